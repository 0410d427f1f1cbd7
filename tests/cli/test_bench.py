#!/usr/bin/python3
"""netdp bench: the list, one bench, names and numbers that it does not take."""
from harness import Case, main


def timed(got):
    assert got["machine"]["processors"] >= 1 and got["machine"]["memory_gb"] > 0, got["machine"]
    assert got["machine"]["kernels"], got["machine"]
    names = [bench["name"] for bench in got["benches"]]
    assert names == ["stream-regular-48", "excursion-regular-60"], names
    for bench in got["benches"]:
        assert bench["runs"] == 2 and 0 < bench["best_s"] <= bench["median_s"], bench
        assert bench["processor_s"] > 0 and bench["peak_mb"] > 1, bench
    # the means of bench/reference.py, which computes them by dense matrices and by plain recursions
    assert abs(got["benches"][0]["value"] / 5.1855341954460235 - 1) < 1e-9, got
    assert -1e-9 < got["benches"][1]["value"] / 0.026381890659073173 - 1 < 1e-6, got


main([
    Case("bench --list", out=r"^excursion-regular-100000 +a walk of 100,000 steps"),
    Case("bench excursion-regular-60 stream-regular-48 --runs 2",
         keys=["netdp", "commit", "machine", "benches"], check=timed),
    Case("bench excursion-regular-61", 2, err="did you mean 'excursion-regular-60'?"),
    Case("bench --runs 0", 2, err="--runs: 0; give 1 to 1000"),
])
