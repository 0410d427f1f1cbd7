#!/usr/bin/python3
"""netdp loss: what it prints, what it writes, what it refuses, and torture."""
import csv
import json
import math
import os
import subprocess
import tempfile
import time

from harness import COMMAND, PATIENCE, Case, close, interrupt, main, read_json, run

try:
    import numpy
except ImportError:
    numpy = None

KEYS = ["netdp", "graph", "protocol", "threat", "noise", "bound", "direction", "sound", "certified",
        "reason", "assumes", "unit",
        "losses", "summary"]
EXPLAINED = ["method", "observers", "seen", "rounds", "streaming", "seconds", "bytes", "ways"]
RING = "loss --family 'ring 9' --rounds 5"
PAIR = "loss --json --family 'ring 9' --rounds 5 --from 3 --to 0"


def has(**want):
    def check(got):
        for key, value in want.items():
            assert got[key] == value, f"{key} is {got[key]!r}, want {value!r}"
    return check


def sums_of_views(observers):
    """Seconds in all are those of so many views, on a machine at most four times as fast as the one that was measured."""
    def check(got):
        one = next(way for way in got["ways"] if way["method"] == got["method"])
        assert got["observers"] == observers and got["seconds"] >= observers * one["seconds"] / 4, got
        assert got["bytes"] >= one["bytes"], got
    return check


def summary_is_of_the_list(got):
    """Mean, largest and the smallest worst pair of what is listed."""
    values = [one["value"] for one in got["losses"]]
    told = got["summary"]
    assert told["pairs"] == len(values), told
    close(told["mean"], sum(values) / len(values), relative=1e-12)
    close(told["max"], max(values), relative=1e-12)
    worst = min((one["from"], one["to"]) for one in got["losses"]
                if one["value"] >= max(values) * (1 - 1e-9))
    assert worst == (told["worst"]["from"], told["worst"]["to"]), told
    assert told["mean"] <= told["max"] <= told["local"] * (1 + 1e-12), told
    listed = [(one["from"], one["to"]) for one in got["losses"]]
    assert listed == sorted(set(listed)), "pairs out of order"
    assert all(source != target for source, target in listed)


def small_but_proven(got):
    assert got["certified"] is True and got["bound"] == "exact", got["bound"]
    assert got["summary"]["mean"] < 0.01, got["summary"]


def rounded_up(got, want):
    assert want <= got <= want * (1 + 1e-15), got


def ok(text, check=None, **more):
    return Case(text, keys=KEYS, check=check, **more)


def bad(options, err=None, **more):
    return Case(f"loss --family 'ring 9' {options}", 2, err=err, **more)


def bad_graph(content, err=None, words="", code=2):
    return Case(f"loss --graph g --rounds 3 {words}", code, err=err, files={"g": content})


GARBAGE = bytes(range(256)) * 64
ENDLESS = b"0 1" + b" " * 10**6 + b"2 3 4\n"
WIDE = b" ".join(b"%d" % node for node in range(10**6)) + b"\n"

CASES = [
    # One contribution, however far away the next would be: at 9e18 the products overflowed.
    *[Case(f"loss --family 'ring 12' --protocol stream --rounds 200 --every {every} --from 3 --to 0",
           out=r"mean 0\.0222151, worst") for every in (200, 1000000000)],
    Case(["loss", "--graph", "erdos-renyi 8 0.9", "--rounds", "3", "--redraw", "round"], 2,
         err="applies to graphs of a random family", files={"erdos-renyi 8 0.9": b"0 1\n1 2\n2 0\n"}),
    Case("loss --family 'ring 5' --rounds 2 --noise=-0", out=r"noise 0 Delta"),
    # ---- what is printed ----
    ok(f"{RING} --json", summary_is_of_the_list),
    ok(f"{RING} --json --as dp:1e-6 --noise 2", summary_is_of_the_list),
    ok("loss --json --family davis --rounds 6 --as rdp:3 --noise 3", summary_is_of_the_list),
    ok("loss --json --family florentine --rounds 6 --from 2,5 --to 0", summary_is_of_the_list),
    ok("loss --json --family florentine --rounds 6 --from Medici --to Strozzi",
       lambda got: has(from_name="Medici", to_name="Strozzi")(got["losses"][0])),
    Case(f"{PAIR} --certify maybe", 2, err="certify"),
    ok(PAIR, has(noise=1, bound="exact", sound=True, certified=True, unit="loss",
                 threat={"to": [0], "sees": "neighbours", "own_noise": "known",
                         "adjacency": "a node's whole data replaced",
                         "released": "nothing at the end"})),
    ok(PAIR, lambda got: has(name="averaging", rounds=5, dither=0.01)(got["protocol"])),
    ok(PAIR, lambda got: has(distance=3)(got["losses"][0])),
    ok(f"{PAIR} --sees everything", lambda got: has(value=1)(got["losses"][0])),
    ok(f"{PAIR} --bound everything", has(certified=True, sound=True)),
    ok(f"{PAIR} --as gdp --noise 4", lambda got: rounded_up(got["summary"]["local"], 0.25)),
    ok("loss --json --family 'ring 9' --rounds 5 --from 3 --to set:0,8",
       lambda got: has(to=[0, 8], distance=3)(got["losses"][0])),
    ok("loss --json --family 'path 2' --rounds 1"),
    ok("loss --json --family 'ring 9' --rounds auto --from 3 --to 0",
       lambda got: has(rounds=math.ceil(math.log(9) / math.sqrt(
           1 - (1 + 2 * math.cos(2 * math.pi / 9)) / 3)))(got["protocol"])),
    ok("loss --json --graph g --giant-component --rounds 3",
       lambda got: has(nodes=3, edges=2)(got["graph"]), files={"g": b"0 1\n1 2\n7\n8 9\n"}),
    ok("loss --json --family 'complete 5' --mixing uniform --rounds 2"),
    # sigma = 0 is legal and says "inf" wherever anything is learnt.
    *[ok(f"{PAIR} --noise 0 --as {unit}", lambda got: has(value="inf")(got["losses"][0]))
      for unit in ("gdp", "rdp:2", "dp:1e-6")],
    *[ok(f"{PAIR} --noise 0 --as {unit}",
         lambda got: has(mean="inf", max="inf", local="inf")(got["summary"]))
      for unit in ("gdp", "dp:0.5")],
    # One round: a node two hops away has sent nothing yet.
    ok("loss --json --family 'path 5' --rounds 1 --from 4 --to 0 --noise 0 --as dp:1e-6",
       lambda got: close(got["losses"][0]["value"], 0, absolute=0)),
    Case(f"{RING}", out=r"own noise known;\nadjacency: a node's whole data replaced; released: "),
    Case(f"{RING} --bound published", out="NOT an upper bound"),
    Case(f"{RING} --dither 0", out="every message counts as seen: rounds without dither have no proof"),
    Case("loss --bound list", out=r"^published +NO .*paper C, Theorems 1, 6"),
    Case("loss --help --protocol averaging", out="--own-noise"),
    # ---- how it would be computed ----
    Case("loss --json --explain --family 'regular 5000 4' --rounds 6 --to 9",
         keys=EXPLAINED,
         check=lambda got: (has(method="reduced", observers=1, seen=4, rounds=6)(got),
                            has(modes=20)(got["ways"][0]),
                            has(multiplications="inf")(got["ways"][1]))),
    Case("loss --explain --family 'regular 40 30' --rounds 60 --certify yes", out="taken: dense\\n"),
    # A coalition is one observer; all observers of a network, whose views are of one size, take as many times one's.
    Case("loss --json --explain --family 'regular 2000 8' --rounds 50 --to set:0,1,2", keys=EXPLAINED,
         check=sums_of_views(1)),
    Case("loss --json --explain --family 'regular 2000 8' --rounds 50", keys=EXPLAINED, check=sums_of_views(2000)),
    Case("loss --json --explain --family 'regular 60 4' --protocol walk --rounds 100 --noise 6", keys=["method", "seconds", "bytes"],
         check=lambda got: has(method="pairs", seconds=got["seconds"] if got["seconds"] > 0 else "above 0")(got)),
    Case("loss --explain --family 'regular 40 30' --rounds 60 --dither 0.001", out="taken: dense\\n"),
    # Some 4,000 messages under a small dither: an account of hours is not begun for a proof that is little beside it.
    Case("loss --explain --family 'regular 5000 8' --to 0 --rounds 501 --dither 0.001", out="taken: closed form\\n"),
    Case("loss --explain --family 'regular 5000 8' --to 0 --rounds 501 --dither 0.001 --certify yes", out="taken: reduced\\n"),
    Case("loss --explain --family 'regular 2000 8' --to 0 --rounds 501 --dither 0.001", out="taken: closed form\\n"),
    Case("loss --family 'regular 5000 8' --to 0 --rounds 501 --dither 0.001", out="there is no proof, or none in minutes; see --certify yes"),
    # A hub sees everybody: nothing is left to follow.
    Case("loss --family 'star 5000' --rounds 200 --to 0", out="mean 1, worst 1 "),
    Case("loss --explain --family 'ring 9' --protocol stream --rounds 5000", out="; streaming"),
    Case("loss --explain --family 'ring 9' --rounds 5 --bound everything", out="closed form"),
    # The proof of a stream knows no filter that carries a factor of its covariance: the closed bound, and why.
    Case("loss --protocol stream --family 'star 300' --rounds 12 --sees sum --to 3 --from 5",
         out="bound everything: an upper bound, every message counts as seen: "),
    # A large network under a small dither: what is heard proves it where that is little.
    ok("loss --json --family 'regular 5000 4' --rounds 20 --to 0 --dither 0.0001", small_but_proven),
    Case("loss --protocol stream --family 'ring 20' --rounds 12 --sees sum --to 3 --from 5", out="an upper bound, certified"),
    Case("loss --explain --family 'hypercube 13' --rounds 200 --bound upper --to 0", out="taken: reduced\n"),
    Case("loss --explain --family 'hypercube 13' --rounds 4 --bound upper --to 0",
         out="taken: reduced\n"),
    # ---- what is refused ----
    Case("loss", 2, err="no graph"),
    Case("loss --explain --family 'ring 9' --protocol walk --rounds 5 --noise 2", out="about .* s of the processor in all"),
    Case("loss --explain --family 'ring 9' --protocol ring-sum --rounds 50 --noise 2", out="about .* s of the processor in all"),
    bad("", "--rounds"),
    *[bad(f"--rounds={text}", "rounds") for text in
      ("0", "-1", "2.5", "nan", "inf", "x", "''", "1e16", "1e400", "5abc", "0x5", "autox")],
    *[bad(f"--rounds 5 --noise={text} --as gdp", "noise") for text in
      ("-1", "nan", "-inf", "x", "''", "1.5abc", "0x1p2", "-1e-300")],
    *[bad(f"--rounds 5 --dither={text}", "dither") for text in
      ("-0.1", "inf", "nan", "x", "1.5abc", "''", "-1e-300", "1e999")],
    *[bad(f"--rounds 5 --noise 1 --as={text}", "as") for text in
      ("dp:0", "dp:1", "dp:-1", "dp:2", "dp:nan", "dp:", "dp", "dp:1e-6x", "rdp:1", "rdp:0.5",
       "rdp:inf", "rdp:nan", "rdp:", "gpd", "''", "loss:1", "gdp:1", "dp:1e-400", "'dp: 1e-6'",
       "rdp:0x2", "dp:1e-6,1e-7")],
    bad("--rounds 5 --as gdp", "--noise"),
    bad("--rounds 5 --variance 1", "--variance"),
    *[bad(f"--rounds auto --variance={text}", "variance") for text in ("-1", "nan", "inf", "x")],
    bad("--rounds auto --noise 0 --as gdp", "rounds"),
    bad("--rounds 5 --sees nothing", "neighbours"),
    bad("--rounds 5 --own-noise unknown", "known"),
    bad("--rounds 5 --bound best", "list"),
    bad("--rounds 5 --protocol averging", "averaging"),
    bad("--rounds 5 --protocol wallk", "averaging"),
    bad("--rounds 5 --bound published --to set:0,1", "published"),
    bad("--rounds 5 --bound published --sees sum", "published"),
    # The observer's own value is not a statement about two parties.
    bad("--rounds 5 --from 3 --to 3", "observer set"),
    bad("--rounds 5 --from 3 --to set:3,4", "observer set"),
    bad("--rounds 5 --from 3,4 --to set:3,4", "observer set"),
    ok("loss --json --family 'ring 9' --rounds 5 --from 3,5 --to set:3,4",
       lambda got: has(pairs=1)(got["summary"])),
    *[bad(f"--rounds 5 --from={text}", "from") for text in ("9", "-1", "x", "''", "1,1", "1,,2",
                                                           "1.0", "99999999999")],
    *[bad(f"--rounds 5 --to={text}", "to") for text in ("9", "1,2", "set:", "set:1,1", "set:all",
                                                       "set:x", "''", "set:9")],
    # Options of other protocols do not apply.
    *[bad(f"--rounds 5 {option}", option.split()[0]) for option in
      ("--cap 3", "--inner 2", "--pattern ones", "--every 2", "--at-most 3", "--end-dither 0.1",
       "--start uniform", "--release final")],
    bad("--rounds 5 surplus"),
    # ---- graphs that gossip cannot run on ----
    Case("loss --family 'complete 1' --rounds 3", 2, err="single node"),
    Case("loss --family 'hypercube 3' --mixing hamilton --rounds 3", 2, err="lazy:0.5"),
    Case("loss --family 'ring 4' --mixing hamilton --rounds 3", 2, err="lazy:0.5"),
    Case("loss --family 'ring 5' --mixing uniform --rounds 3", 2, err="uniform"),
    Case("loss --family 'erdos-renyi 30 0.01' --connected no --rounds 3", 2, err="connected"),
    Case("loss --graph g --family 'ring 9' --rounds 3", 2, files={"g": b"0 1\n"}),
    bad_graph(b"0 0\n1 1\n"),
    bad_graph(b"0 0\n"),
    bad_graph(b"7\n", "single node"),
    bad_graph(b"0 1\n2 3\n", "--giant-component"),
    bad_graph(b"", "g"),
    bad_graph(b"\n#\n", "g"),
    bad_graph(GARBAGE, "g"),
    bad_graph(GARBAGE[::-1], "g"),
    bad_graph(b"\x7fELF\x02\x01\x01\0\0\0", "g"),
    bad_graph(ENDLESS, "g:1"),
    bad_graph(WIDE, "g:1"),
    bad_graph(b"0 1 1.5abc\n", "g:1"),
    bad_graph(b"0 1 0.5\n1 2 0.75\n", words="--mixing file"),
    Case("loss --graph nowhere --rounds 3", 3, err="nowhere"),
    Case("loss --graph . --rounds 3", 3),
    # ---- what is written ----
    Case(f"{RING} --json", 3, stdout="/dev/full", err="standard output"),
    Case(f"{RING}", 3, stdout="/dev/full", err="standard output"),
    Case(f"{RING} --csv nowhere/pairs.csv", 3, err="nowhere/pairs.csv"),
    Case(f"{RING} --npy nowhere/pairs.npy", 3, err="nowhere/pairs.npy"),
    Case(f"{RING} --csv .", 3, err="folder"),
    Case(f"{RING} --csv /dev/full", 3, err="/dev/full"),
    Case(f"{RING} --npy /dev/full", 3, err="/dev/full"),
    Case(f"{RING} --csv ''", 3),
    bad("--rounds 5 --csv x --npy x", "two files"),
    Case("loss --family 'path 3' --rounds 1 --csv -",
         out=r"distance,loss\n1,0,.*\n2,0,.*\n0,1,.*\n2,1,.*\n0,2,.*\n1,2,"),
]


def told(*words, folder="."):
    code, out, err = run(["loss", "--json", *words], folder)
    assert code == 0, f"{words}: {err}"
    return read_json(out)


def number(value):
    assert value == "inf" or isinstance(value, (int, float)), value
    return math.inf if value == "inf" else float(value)


def spectral_is_one_bound():
    """Of streams: 1,024 contributions are bounded one by one, more by what is the same; and paper D's (3.2) leaves out the last sum."""
    ask = ["--family", "erdos-renyi 40 0.2", "--seed", "1", "--protocol", "stream", "--sees", "sum", "--noise", "1", "--as", "loss", "--from", "2", "--to", "0"]
    for own in ("counts", "known"):
        found = [told(*ask, "--own-noise", own, "--rounds", rounds, "--bound", "spectral")["summary"]["max"] for rounds in ("1024", "1025")]
        assert 0 < found[1] / found[0] - 1 < 0.08, (own, found)
        for extra in ([], ["--pattern", "ones"]):
            bound = ["--bound", "lower", *extra] if extra else ["--bound", "spectral"]
            whole = told(*ask, "--own-noise", own, "--rounds", "30", *bound)["summary"]["max"]
            without = told(*ask, "--own-noise", own, "--rounds", "30", "--bound", "published", *extra)
            assert without["bound"] == "published" and not without["sound"] and 0.3 * whole < without["summary"]["max"] < whole, (own, extra, whole, without)


def long_streams_are_proven():
    """In segments: more rounds never tell less, and each contribution about as much as one of a short stream."""
    for to, sees, bound, most in (("1", "sum", "spectral", 0.03), ("1", "neighbours", "upper", 0.03), ("31", "sum", "upper", 0.15)):
        before, ask = 0, ["--family", "hypercube 5", "--protocol", "stream", "--noise", "1", "--from", to, "--to", "0", "--sees", sees, "--bound", bound]
        for rounds in (1000, 1024, 1025, 1026, 1087, 1088, 1100, 3000):
            answer = told(*ask, "--rounds", str(rounds))
            assert answer["certified"] is True and answer["bound"] == bound and answer["reason"] is None, answer
            now = answer["summary"]["max"]
            assert before <= now <= rounds, (to, sees, rounds, before, now)
            before = now
            short = now if rounds <= 1024 else short
        assert now / 3000 <= short / 1024 * (1 + most), (to, sees, now, short)


def torture():
    """sigma 1e-2..1e4, delta 1e-1..1e-300: an answer, never negative, monotone in both."""
    sigmas = [10 ** (k / 2) for k in range(-4, 9)]
    deltas = ["1e-1", "1e-2", "1e-6", "1e-12", "1e-30", "1e-100", "1e-200", "1e-300"]
    grid = {}
    for delta in deltas:
        for sigma in sigmas:
            got = told("--family", "ring 14", "--rounds", "9", "--from", "1,4,7", "--to", "0",
                       "--noise", repr(sigma), "--as", f"dp:{delta}")
            values = [number(one["value"]) for one in got["losses"]]
            values += [number(got["summary"][key]) for key in ("mean", "max", "local")]
            assert all(value >= 0 for value in values), (delta, sigma, values)
            assert values[0] >= values[1] >= values[2], "farther nodes learn more"
            grid[delta, sigma] = values
    for delta in deltas:
        for less, more in zip(sigmas, sigmas[1:]):
            assert all(a >= b for a, b in zip(grid[delta, less], grid[delta, more])), (delta, more)
    for sigma in sigmas:
        for more, less in zip(deltas, deltas[1:]):
            assert all(a <= b for a, b in zip(grid[more, sigma], grid[less, sigma])), (sigma, less)


def torture_of_orders_and_extremes():
    for unit in ("gdp", "rdp:1.0000001", "rdp:2", "rdp:512", "rdp:1e6", "dp:1e-300", "dp:0.999"):
        before = math.inf
        for sigma in ("0", "1e-308", "1e-160", "1e-20", "1", "1e20", "1e160", "1e300"):
            got = told("--family", "ring 14", "--rounds", "9", "--from", "4", "--to", "0",
                       "--noise", sigma, "--as", unit)
            value = number(got["losses"][0]["value"])
            assert 0 <= value <= before, (unit, sigma, value, before)
            before = value
        # A Gaussian release, however noisy, is not nothing.
        if unit == "gdp":
            assert before > 0, "mu of noise 1e300 is 0"
    for dither in ("1e-320", "1e-200", "1e-15", "1e-3", "1e3", "1e100", "1e99"):
        got = told("--family", "ring 14", "--rounds", "9", "--dither", dither)
        assert all(0 <= number(one["value"]) <= 1 for one in got["losses"]), dither


def files_hold_the_same():
    """--csv and --npy against --json, single observers and a coalition."""
    with tempfile.TemporaryDirectory() as folder:
        for words in (["--noise", "2", "--as", "dp:1e-6"], ["--to", "set:0,5"], ["--noise", "0",
                                                                              "--as", "gdp"]):
            got = told("--family", "florentine", "--rounds", "7", "--csv", "pairs.csv", "--npy",
                       "pairs.npy", *words, folder=folder)
            with open(os.path.join(folder, "pairs.csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            assert [list(row) for row in rows[:1]] == [["from", "to", "distance", "loss"] + (
                ["epsilon"] if "dp:1e-6" in words else ["mu"] if "gdp" in words else [])]
            assert len(rows) == len(got["losses"])
            by_observer = sorted(got["losses"], key=lambda one: (one["to"], one["from"]))
            for row, one in zip(rows, by_observer):
                target = one["to"] if isinstance(one["to"], list) else [one["to"]]
                assert int(row["from"]) == one["from"]
                assert [int(v) for v in row["to"].split()] == target
                assert int(row["distance"]) == one["distance"]
                assert float(list(row.values())[-1]) == number(one["value"])
            if numpy is None:
                continue
            array = numpy.load(os.path.join(folder, "pairs.npy"))
            assert array.dtype == numpy.float64
            assert array.shape == ((15, 1) if "set:0,5" in words else (15, 15)), array.shape
            for one in got["losses"]:
                column = 0 if isinstance(one["to"], list) else one["to"]
                assert array[one["from"], column] == number(one["value"])
            listed = len(got["losses"]) if words[1] != "0" else 0
            assert numpy.isinf(array).sum() >= array.size - listed
            assert not numpy.isnan(array).any()
        assert sorted(os.listdir(folder)) == ["pairs.csv", "pairs.npy"], os.listdir(folder)


def threads_do_not_matter():
    for words in (["--family", "regular 60 4", "--seed", "3", "--rounds", "20"],
                  ["--family", "davis", "--rounds", "15", "--sees", "sum", "--as", "dp:1e-6",
                   "--noise", "3"],
                  ["--family", "hypercube 6", "--rounds", "12", "--bound", "published"],
                  ["--family", "erdos-renyi 120 0.2", "--rounds", "30", "--to", "3"],
                  ["--family", "regular 600 8", "--rounds", "5", "--sees", "everything", "--to", "0",
                   "--pair-graph", "regular 10", "--pair-noise", "10"]):
        with tempfile.TemporaryDirectory() as folder:
            one, two = [run(["loss", "--json", "--threads", count, *words], folder, {"OPENBLAS_NUM_THREADS": count})
                        for count in ("1", "2")]
        assert one[0] == 0 and one == two, words


def long_lists_stay_out_of_json():
    words = ["--family", "ring 102", "--rounds", "3"]
    got = told(*words)
    assert got["losses"] is None and got["summary"]["pairs"] == 102 * 101, got["summary"]
    full = told(*words, "--full")
    assert len(full["losses"]) == 102 * 101
    assert full["summary"] == got["summary"]
    assert len(told("--family", "ring 100", "--rounds", "3")["losses"]) == 9900


def relabelled_file():
    """Names in any order: losses go with the names."""
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("b", "e"), ("e", "f")]
    answers = []
    for order in (edges, edges[::-1]):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "g"), "w", encoding="utf-8") as file:
                file.writelines(f"{u} {v}\n" for u, v in order)
            got = told("--graph", "g", "--rounds", "5", folder=folder)
            answers.append({(one["from_name"], one["to_name"]): one["value"]
                            for one in got["losses"]})
    assert answers[0].keys() == answers[1].keys() and len(answers[0]) == 30
    for key, value in answers[0].items():
        close(answers[1][key], value, absolute=1e-10)


def full_disk():
    """--csv onto a full disk: exit 3, one line, nothing left behind."""
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder],
                capture_output=True, check=False).returncode != 0:
            print("skipped: full_disk (needs to mount a tmpfs)")
            return
        try:
            for kind in ("--csv", "--npy"):
                code, out, err = run(["loss", "--family", "ring 100", "--rounds", "3", kind,
                                      os.path.join(folder, "pairs")], "/")
                assert (code, out) == (3, ""), (code, out, err)
                assert len(err.splitlines()) == 1 and "space" in err, err
                assert os.listdir(folder) == [], os.listdir(folder)
            # An older result is not lost to a newer one that does not fit.
            with open(os.path.join(folder, "pairs"), "w", encoding="utf-8") as file:
                file.write("kept")
            code, _, _ = run(["loss", "--family", "ring 100", "--rounds", "3", "--csv",
                              os.path.join(folder, "pairs")], "/")
            with open(os.path.join(folder, "pairs"), encoding="utf-8") as file:
                assert code == 3 and file.read() == "kept"
            assert os.listdir(folder) == ["pairs"]
        finally:
            subprocess.run(["umount", folder], check=False)


def batches_hold_the_same():
    """A matrix of several batches has the columns that each observer has alone."""
    words = ["--family", "regular 1500 3", "--seed", "2", "--rounds", "2", "--bound", "published"]
    if numpy is None:
        print("skipped: batches_hold_the_same (no numpy)")
        return
    with tempfile.TemporaryDirectory() as folder:
        got = told(*words, "--npy", "pairs.npy", folder=folder)
        array = numpy.load(os.path.join(folder, "pairs.npy"))
    assert array.shape == (1500, 1500) and numpy.isinf(array).sum() == 1500
    for to in (0, 1397, 1398, 1499):
        alone = told(*words, "--to", str(to))
        assert len(alone["losses"]) == 1499
        for one in alone["losses"]:
            assert array[one["from"], to] == number(one["value"]), one
    finite = array[numpy.isfinite(array)]
    close(got["summary"]["mean"], finite.mean(), relative=1e-9)
    ties = sorted((int(u), int(v)) for u, v in numpy.argwhere(numpy.isfinite(array) &
                                                          (array >= finite.max() * (1 - 1e-9))))
    assert ties[0] == (got["summary"]["worst"]["from"], got["summary"]["worst"]["to"])


def all_pairs_do_not_fill_memory():
    """10^8 pairs are 800 MB as numbers; half of that is held, and what the libraries' files are in memory."""
    with open(COMMAND, "rb") as file:
        if b"__asan_init" in file.read():
            print("skipped: all_pairs_do_not_fill_memory (the address sanitizer holds more)")
            return
    with subprocess.Popen(
            [COMMAND, "loss", "--json", "--family", "regular 10000 3", "--rounds", "2", "--bound",
             "published", "--npy", "/dev/null"], stdout=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "2"}) as process:
        got = read_json(process.stdout.read().decode())
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0 and got["summary"]["pairs"] == 10000 * 9999
    assert used.ru_maxrss < 600_000, f"{used.ru_maxrss} kB"


def interrupted():
    interrupt(["loss", "--family", "hypercube 11", "--rounds", "30"])


def interrupted_files():
    """Control-C when rows are on disk: no file is left."""
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(
                [COMMAND, "loss", "--family", "regular 4000 4", "--rounds", "100", "--bound",
                 "published", "--csv", "/dev/null", "--npy", "pairs.npy"], cwd=folder,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, "OMP_NUM_THREADS": "2"}) as process:
            while process.poll() is None and not any(
                    entry.stat().st_size > 4096 for entry in os.scandir(folder)):
                time.sleep(0.01)
            assert process.poll() is None, "done before it could be interrupted"
            process.send_signal(2)
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130 and out == b"" and len(err.splitlines()) == 1, (out, err)
        assert os.listdir(folder) == []


main(CASES, [torture, spectral_is_one_bound, long_streams_are_proven, torture_of_orders_and_extremes, files_hold_the_same, threads_do_not_matter,
             long_lists_stay_out_of_json, batches_hold_the_same, all_pairs_do_not_fill_memory,
             relabelled_file, full_disk, interrupted, interrupted_files])
