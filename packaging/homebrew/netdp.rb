# Untested: written without a Mac, for Linux; /proc is how netdp finds itself.
# liblbfgs and libcyaml are not in Homebrew's core; formulae for them come first.
class Netdp < Formula
  desc "Network differential privacy: what each node learns about each other node"
  homepage "https://example.org/netdp"
  url "https://example.org/netdp/netdp-0.2.0.tar.gz"
  # The sum that make sdist prints stands here: sha256 "..."
  license "GPL-3.0-or-later"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "fftw"
  depends_on "flint"
  depends_on "gmp"
  depends_on "gnuplot"
  depends_on "igraph"
  depends_on "jansson"
  depends_on "lapack"
  depends_on "libcyaml"
  depends_on "liblbfgs"
  depends_on "libsodium"
  depends_on "libuv"
  depends_on "libyaml"
  depends_on :linux
  depends_on "openblas"
  depends_on "openssl@3"
  depends_on "popt"
  depends_on "python@3.13"
  depends_on "sqlite"

  def install
    args = ["-Dmpi=disabled", "-Dtests=disabled", "-Dpython=disabled"]
    system "meson", "setup", "build", *std_meson_args, *args
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    assert_match "netdp", shell_output("#{bin}/netdp version")
    assert_match "certified", shell_output("#{bin}/netdp loss --family davis --rounds 20 --noise 2")
  end
end
