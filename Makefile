# A thin door to meson: every target first installs what is missing and builds what is out of date.
.PHONY: demo test test-long site tarball wheel sdist deb clean

demo:
	@tools/build demo
	@tools/demo

test:
	@tools/build
	@tools/run-tests quick

# The attacks, the statistics, the studies and the docs: what `make test` leaves out.
test-long:
	@tools/build
	@tools/run-tests long

# The manual as pages of HTML, which need no network and can be searched: build/docs/site/README.html.
site:
	@tools/build
	@ninja -C build site
	@echo build/docs/site/README.html

# With every library inside, for any Linux with glibc 2.36 or newer, in dist/; the sdist is the source for pip.
tarball wheel sdist:
	@tools/package $@

# Debian packages, beside the source; as debian/control says it, apt-get build-dep . has installed what they need.
deb:
	dpkg-buildpackage -b -us -uc

clean:
	rm -rf build dist results
