#!/usr/bin/python3
"""netdp claim: the list, values beside what holds, inputs from graphs, what is refused."""
import re

from harness import Case, close, main, run

ROW = ["claim", "paper", "source", "statement", "unit", "sound", "why", "erratum", "condition"]
KEYS = ROW + ["inputs", "value", "valid", "holds", "refuted"]


def claims(got):
    rows = got["claims"]
    assert len(rows) > 80, len(rows)
    assert all(list(row) == ROW + ["by"] for row in rows)
    assert {row["paper"].split(",")[0] for row in rows} >= {f"paper {p}" for p in "ABCDE"}
    assert {row["sound"] for row in rows} == {"yes", "partly", "NO", "rate"}
    # what is no upper bound says why
    assert all(row["why"] for row in rows if row["sound"] in ("NO", "partly"))


def gives(value, least=None, most=None, refuted=False, relative=1e-5, **inputs):
    def check(got):
        if isinstance(value, str):
            assert got["value"] == value and got["valid"] is False, got
        else:
            close(got["value"], value, 1e-300, 1e-5)
            assert got["valid"] is True, got
        assert got["refuted"] is refuted, got
        if least is None and most is None:
            assert got["holds"] is None, got
        if least is not None:
            close(got["holds"]["at_least"], least, 0, relative)
        if most is not None:
            close(got["holds"]["at_most"], most, 0, relative)
        for key, want in inputs.items():
            got_input = got["inputs"][key.replace("_", "-")]
            if isinstance(want, list):
                assert got_input == want, got
            else:
                close(got_input, want, 1e-12)
    return check


def claim(words, check):
    return Case(f"claim {words} --json", keys=KEYS, check=check)


RING = "--family 'ring 60' rounds=68 noise=1"

CASES = [
    Case("claim", out=r"(?m)^C-theorem-1 +NO +1 +paper C, Theorem 1 .* loss of u to v <= "),
    Case("claim --json", keys=["claims"], check=claims),
    Case(f"claim C-theorem-1 {RING} dither=1e-4 from=15 to=0",
         out=r"holds +at least 0\.254013, at most 0\.254013 \(the exact gossip account\)\n"
             r" +the claim is wrong for these inputs"),
    Case("claim C-theorem-7 --family 'ring 12' rounds=3 noise=1",
         out=r"gap = 0\.0893164 \(from the graph\)[^:]+variance = 0\.25 Delta\^2 \(usual\)"),
    Case("claim C-theorem-7 nodes=9 gap=0.5 rounds=3 noise=1",
         out=r"^holds +not known: exact errors need a graph"),
    Case("claim C-theorem-4 nodes=9 degree=3 rounds=3 noise=0.5",
         out=r"value +infinite: the claim says nothing for these inputs\n"
             r"valid +where sigma\^2 >= alpha \(alpha - 1\) / 2"),
    # errata 1, 2, 3, 11, 15, 16
    claim(f"C-theorem-1 {RING} dither=1e-4 from=15 to=0",
          gives(0.0156086, 0.254013, 0.254013, True, rounds=68, alpha=2, dither=1e-4, to=[0])),
    claim(f"C-theorem-12 {RING} dither=1e-4 from=15 to=0,30",
          gives(0.0312171, 0.333431, 0.333431, True, to=[0, 30])),
    claim("C-theorem-6 --family 'ring 12' phases=8 inner=2 noise=1 dither=0.1 from=3 to=0",
          gives(0, 0.968663, 6.15382, True, end_dither=0.1)),
    claim("C-theorem-11 --family 'erdos-renyi 16 0.2' phases=4 inner=1 noise=1 dither=0.1 from=4 "
          "to=0", gives(0, 0.263676, 3.27896, True, seed=1)),
    claim("C-corollary-2-pair --family 'ring 12' rounds=60 noise=1 dither=1e-4 from=5 to=0",
          gives(0.00817638, 0.0310874, 0.0310874, True)),
    claim("C-theorem-8 --family 'complete 10' rounds=60 noise=0.05 variance=1",
          gives(2.51624e-4, 5.52361e-4, 5.52361e-4, True, nodes=10, activation=2 / 9)),
    claim("C-theorem-8-corrected --family 'complete 10' rounds=60 noise=0.05 variance=1",
          gives(1.52582e-3, 5.52361e-4, 5.52361e-4)),
    claim("D-theorem-13 --family 'hypercube 7' rounds=2000 from=1 to=0 omega=0.16346",
          gives(15.625, 40.6284, 2000, True, nodes=128)),
    claim("D-equation-5-5 loss=1 epsilon=10 delta=1e-5", gives(0.484481, 0.499889, 0.499889, True)),
    claim("D-equation-5-3 gap=0.1", gives(0.99, 0, 0.19, True)),
    claim("A-theorem-3 --family 'star 30' --mixing hamilton rounds=300 noise=6 from=1 to=0",
          gives(0.106253, 0.678807, 0.678807, True, cap=0)),
    # sound, partly, no counterpart, outside
    claim("C-theorem-1-mean --family 'star 10' rounds=1 noise=1 to=0",
          gives(0.9, 0.9, 0.9, degree=9, nodes=10)),
    claim("C-corollary-5 nodes=43 degree=1 rounds=2 noise=3", gives(4 / 42 / 9)),
    claim("C-corollary-5-corrected nodes=43 members=40 degree=1 rounds=2 noise=3", gives(1 / 9)),
    claim("C-proposition-1 --family 'ring 6' to=0,1 noise=1 probability=0.5 phases=3 inner=2",
          gives(6 * (0.75 + 0.25 * 2 * 2 / 4), members=2, degree=2)),
    claim("E-theorem-3 nodes=1000 rounds=100 epsilon=0.5 delta=1e-6 delta-compose=1e-6 "
          "delta-visits=1e-6", gives("inf")),
    claim("E-theorem-3 nodes=50 rounds=100 cap=5 epsilon=0.5 delta=1e-6 delta-compose=1e-6 "
          "delta-visits=1e-6", gives(2.41023, 0, 0.439186)),
    claim("E-theorem-4 nodes=100 rounds=20000 epsilon=0.5 delta=1e-6 delta-visits=1e-6",
          gives(3.68726, 0, 1.67657)),
    claim("E-theorem-7 nodes=2000 epsilon=0.4 delta=1e-6",
          gives(0.156422, 0, 0.03651, relative=1e-3)),
    claim("B-lemma-3 epsilon=1 scale=2 least-smoothness=1 smoothness=3",
          gives(0.455838, 0.311211, 0.311211)),
    claim("B-lemma-3-scale epsilon=2 delta=0.1 least-smoothness=1 smoothness=2",
          gives(1.439590, 0.629203, 0.629203)),
    claim("B-lemma-3-scale epsilon=0.5 delta=0.1 least-smoothness=1 smoothness=2", gives("inf")),
    claim("A-theorem-4 nodes=30 rounds=300 noise=6 from=1 to=0",
          gives(0.0019381956, 0.0033556374, 0.0033556374, True)),
    claim("B-theorem-1 rounds=10000 exponent=0.75 gap=0.5 smoothness=1 heterogeneity=4",
          gives(0.4)),
    # refused
    Case("claim C-teorem-1", 2, err="did you mean C-theorem-1"),
    Case("claim zzzzzzzzz", 2, err="'zzzzzzzzz': unknown claim; netdp claim lists them"),
    Case("claim ''", 2, err="unknown claim"),
    Case("claim C-theorem-1", 2, err="needs a graph; give --graph FILE or --family"),
    Case(f"claim C-theorem-1 {RING}", 2, err=r"missing to \(who observes\); give to=NODE"),
    Case(f"claim C-theorem-1 {RING} to=0", 2, err="missing from"),
    Case(f"claim C-theorem-1 {RING} from=1 to=0,2", 2, err="speaks of one observer"),
    Case(f"claim C-theorem-1 {RING} from=1 to=1", 2, err="to: give nodes"),
    Case(f"claim C-theorem-1 {RING} from=60 to=1", 2, err="from: .*60"),
    Case(f"claim C-theorem-12 {RING} from=1 to=0,0", 2, err="named twice"),
    Case(f"claim C-theorem-1 {RING} from=1 from=2 to=0", 2, err="from: given twice"),
    Case(f"claim C-theorem-1 {RING} rounds=3 from=1 to=0", 2, err="rounds: given twice"),
    Case(f"claim C-theorem-1 {RING} ronds=3 from=1 to=0", 2, err="did you mean rounds"),
    Case("claim C-theorem-7 nodes=9 gap=0.5 noise=1 to=3", 2, err="'to': no input of C-theorem-7"),
    Case("claim C-theorem-7 nodes=9 gap=0.5 noise=1", 2, err=r"missing rounds in rounds \(T"),
    Case("claim C-theorem-7 nodes=9 rounds=3 noise=1", 2,
         err=r"missing gap \(1 - max.*or a graph to take it from"),
    Case("claim C-theorem-7 nodes=9 gap=2 rounds=3 noise=1", 2,
         err="gap: 2; give a number above 0 and up to 1"),
    Case("claim C-theorem-7 nodes=9.5 gap=1 rounds=3 noise=1", 2, err="nodes: 9.5; give a whole"),
    Case("claim C-theorem-7 nodes=nan gap=1 rounds=3 noise=1", 2, err="nodes"),
    Case("claim C-theorem-7 rounds", 2, err="KEY=VALUE"),
    Case("claim C-theorem-7 rounds=3 noise=1 --family 'hypercube 3' --mixing hamilton", 2,
         err="periodic"),
    Case("claim C-theorem-11 --family 'ring 6' phases=4 inner=1 noise=1 from=4 to=0", 2,
         err="random family"),
    Case("claim C-theorem-11 --family 'regular 8 3' phases=4 inner=1 noise=1 from=4 to=0", 2, err="erdos-renyi"),
    Case("claim A-theorem-4 nodes=30 rounds=300 noise=6", 2, err="node"),
    Case("claim A-theorem-4 nodes=30 rounds=300 noise=6 from=x to=0", 2, err="from: 'x'"),
    Case("claim C-theorem-1 --family 'ring 6' --graph x", 2, err="give one of them"),
    Case("claim", 3, err="standard output", stdout="/dev/full"),
    Case("claim --list decor", 2, err="--list: lists all claims; leave out 'decor'"),
    Case("claim --json", 3, err="standard output", stdout="/dev/full"),
]


def list_and_json_agree():
    _, table, _ = run(["claim"], "/")
    _, text, _ = run(["claim", "--json"], "/")
    names = re.findall(r'"claim": ?"([^"]+)"', text)
    assert [line.split()[0] for line in table.splitlines()[1:]] == names
    assert len(set(names)) == len(names)
    assert run(["claim", "--list"], "/")[1] == table and run(["claim", "--list", "--json"], "/")[1] == text
    decor = next(line for line in table.splitlines() if line.startswith("decor "))
    assert re.split(r"  +", decor)[1:4] == ["NO", "20", "Allouah et al., ICML 2024, DECOR's accountant"] and "the observer's own pairs taken out" in decor, decor
    # columns stand below their heads
    heads = table.splitlines()[0]
    assert all(line[heads.index(head) - 1] == " " != line[heads.index(head)] for line in table.splitlines() for head in ("sound", "errata", "source", "what holds", "what it"))


def equal_on_any_number_of_threads():
    words = ["claim", "C-theorem-8", "--family", "grid 4 5", "rounds=50", "noise=1", "--json"]
    assert run([*words, "--threads", "1"], "/") == run([*words, "--threads", "2"], "/")


main(CASES, [list_and_json_agree, equal_on_any_number_of_threads])
