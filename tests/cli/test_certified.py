#!/usr/bin/python3
"""Whatever says "certified": true is at or above the truth at 50 digits, and hardly above it."""
import itertools
import pathlib
import tempfile

from mpmath import erfc, exp, gammainc, log, loggamma, mp, mpf, sqrt

from harness import main, read_json, run

mp.dps = 50
SLACK = mpf("1e-9")  # relative


def told(argv):
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run([*argv, "--json"], folder)
    assert code == 0, f"{argv}: {err}"
    got = read_json(out)
    assert got["certified"] is True, f"{argv}: not certified"
    return got


def covers(argv, value, truth):
    assert mpf(value) >= truth, f"{argv}: {value!r} is below {truth}"
    assert mpf(value) <= truth * (1 + SLACK), f"{argv}: {value!r} is far above {truth}"


def below(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def bisect(function, low, high):
    """The root of a falling function."""
    while function(high) > 0:
        low, high = high, 2 * high
    for _ in range(220):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high


def gaussian_epsilon(mu, delta):
    def excess(eps):
        return below(-eps / mu + mu / 2) - exp(eps) * below(-eps / mu - mu / 2) - delta
    return mpf(0) if excess(mpf(0)) <= 0 else bisect(excess, mpf(0), mpf(1))


def renyi_epsilon(curve, delta, published=False):
    """The least over real orders of a smooth curve's conversion."""
    def at(shift):  # alpha = 1 + e^shift
        a = 1 + exp(shift)
        if published:
            return curve(a) + log(1 / delta) / (a - 1)
        return curve(a) + log((a - 1) / a) - (log(delta) + log(a)) / (a - 1)
    low, high = mpf(-30), mpf(30)
    for _ in range(400):  # ternary search
        one, other = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (low, other) if at(one) < at(other) else (one, high)
    return max(mpf(0), at((low + high) / 2))


def gaussians():
    for mu, delta in itertools.product(("0.03", "0.7", "1", "4.25"), ("0.01", "1e-5", "1e-12")):
        argv = ["convert", f"gdp:{mu}", "--to", f"dp:{delta}"]
        truth = gaussian_epsilon(mpf(float(mu)), mpf(float(delta)))
        covers(argv, told(argv)["value"], truth)
    for mu, order in itertools.product(("0.03", "0.7", "4.25"), ("1.1", "2", "37.5")):
        argv = ["convert", f"gdp:{mu}", "--to", f"rdp:{order}"]
        covers(argv, told(argv)["value"], mpf(float(order)) * mpf(float(mu)) ** 2 / 2)


def renyi():
    for slope, delta in itertools.product(("0.001", "0.5", "3"), ("1e-3", "1e-6", "1e-15")):
        c, d = mpf(float(slope)), mpf(float(delta))
        argv = ["convert", f"rdp-linear:{slope}", "--to", f"dp:{delta}"]
        covers(argv, told(argv)["value"], renyi_epsilon(lambda a, c=c: c * a, d))
        covers(argv, told([*argv, "--published"])["value"],
               renyi_epsilon(lambda a, c=c: c * a, d, published=True))


def everything():
    """Local differential privacy: N Gaussian releases, whatever the graph."""
    protocols = [
        (["--rounds", "5"], 1),
        (["--rounds", "7", "--protocol", "stream"], 7),
        (["--rounds", "9", "--protocol", "stream", "--at-most", "4"], 4),
        (["--rounds", "6", "--protocol", "gossip-sgd"], 6),
        (["--rounds", "12", "--protocol", "muffliato-sgd", "--inner", "4"], 3),
    ]
    for (words, count), noise in itertools.product(protocols, ("0.3", "2.5", "40")):
        mu = sqrt(mpf(count)) / mpf(float(noise))
        argv = ["loss", "--family", "ring 9", *words, "--bound", "everything", "--noise", noise]
        units = {"loss": mpf(count), "gdp": mu, "rdp:2.5": mpf("2.5") * mu**2 / 2,
                 "dp:1e-6": gaussian_epsilon(mu, mpf(1e-6))}
        for unit, truth in units.items():
            got = told([*argv, "--as", unit])
            for value in [got["losses"][0]["value"], got["summary"]["mean"], got["summary"]["max"]]:
                covers([*argv, unit], value, truth)


def walks():
    for cap, tokens, noise in itertools.product((1, 13), (1, 3), ("0.7", "9")):
        mu = sqrt(mpf(cap * tokens)) / mpf(float(noise))
        argv = ["loss", "--family", "davis", "--protocol", "walk", "--rounds", "50", "--cap",
                str(cap), "--tokens", str(tokens), "--bound", "local", "--noise", noise]
        covers(argv, told([*argv, "--as", "rdp:3"])["summary"]["mean"], 3 * mu**2 / 2)
        covers(argv, told([*argv, "--as", "dp:1e-5"])["summary"]["max"],
               gaussian_epsilon(mu, mpf(1e-5)))


def gamma_delta(theta, low, high, eps, published):
    """Paper B, Lemma 3, and the exact curve."""
    a, b = high / theta, low / theta
    k, ell = theta / (high - low), loggamma(a) - loggamma(b)
    one, other = exp((eps + ell) * k), exp((ell - eps) * k)
    above = gammainc(a, one, mp.inf, regularized=True)
    below_other = gammainc(b, 0, other, regularized=True)
    if published:
        return max(above, below_other)
    return max(above - exp(eps) * gammainc(b, one, mp.inf, regularized=True),
               below_other - exp(eps) * gammainc(a, 0, other, regularized=True))


def gamma_mechanism():
    for (theta, low, high), delta in itertools.product(((2, 1, 3), (0.5, 1, 2), (4, 2, 5)),
                                                       ("0.4", "0.3")):
        for published in (False, True):
            argv = ["convert", f"gamma:{theta},{low},{high}", "--to", f"dp:{delta}"]
            truth = bisect(lambda eps, p=published: gamma_delta(
                mpf(theta), mpf(low), mpf(high), eps, p) - mpf(float(delta)), mpf(0), mpf(1))
            covers(argv, told(argv + ["--published"] * published)["value"], truth)


def gaussian_events():
    for noise, count, delta in (("3", 12, "1e-5"), ("1000", 1000000, "1e-5"), ("0.5", 1, "1e-9")):
        argv = ["convert", f"gaussian:{noise} x{count}", "--to", f"dp:{delta}"]
        mu = sqrt(mpf(count)) / mpf(float(noise))
        covers(argv, told(argv)["value"], gaussian_epsilon(mu, mpf(float(delta))))


def randomised_response():
    for flip, levels in itertools.product(("0.3", "0.01", "0.9"), (2, 40)):
        argv = ["convert", f"rr:{flip},{levels},1", "--to", "dp:1e-6", "--by", "local"]
        gamma = mpf(float(flip))
        covers(argv, told(argv)["value"], log(1 + levels * (1 - gamma) / gamma))


def sums_that_nearly_agree():
    """Two sums that differ by 1e-10 of one message tell both apart; doubles do not see it, a displacement does."""
    weights = "0 2 0.3333333333\n0 3 0.3333333333\n1 2 0.3333333333\n1 3 0.3333333334\n2 4 0.25\n3 4 0.125\n"
    truths = {"--dither 0.1": (1, 1, 0.9204), "--dither 0.1 --accelerate": (1, 1, 0.92537),
              "--protocol stream": (3.89947, 3.97486, 0.49942),
              "--protocol muffliato-sgd --inner 4 --dither 0.1 --end-dither 0.1": (1, 1, 0.92716)}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "near.edges").write_text(weights, encoding="utf-8")
        for words, truth in truths.items():
            argv = ["loss", "--graph", "near.edges", "--mixing", "file", "--rounds", "4", "--sees", "sum", "--to",
                    "set:0,1", *words.split(), "--json"]
            code, out, err = run(argv, folder)
            assert code == 0, err
            values = [loss["value"] for loss in read_json(out)["losses"]]
            assert all(value >= least for value, least in zip(values, truth, strict=True)), (argv, values)


def sums_with_a_faint_part():
    """What one sum holds beside another is told whole, however small its weight."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "faint.edges").write_text("0 2 0.5\n1 2 0.5\n0 3 0.00000000000001\n3 4 0.25\n", encoding="utf-8")
        for words, least in ((["--dither", "0.1"], 1), (["--protocol", "stream"], 3.9)):
            code, out, err = run(["loss", "--graph", "faint.edges", "--mixing", "file", "--rounds", "4", "--sees", "sum",
                                  "--to", "set:0,1", "--from", "3", *words, "--json"], folder)
            assert code == 0 and read_json(out)["losses"][0]["value"] >= least, (out, err)


main([], [gaussians, renyi, everything, walks, gamma_mechanism, gaussian_events,
          randomised_response, sums_that_nearly_agree,
          sums_with_a_faint_part])
