#!/usr/bin/python3
"""netdp recheck: what version 0.1.0 printed stands, and what is too small is told, by how much, with exit code 1.

recheck/sums was written by version 0.1.0."""
import json
import pathlib
import re
import shutil
import sys
import tempfile

from harness import SOURCE, read_json, run

OLD = pathlib.Path(SOURCE) / "tests/cli/recheck/sums"


def smaller(page):
    """The same page with the guarantee of half the size."""
    found = re.search(r'(<script type="application/json" id="data">)(.*?)(</script>)', page, re.S)
    data = json.loads(found[2])
    data["summary"]["variants"][0]["guarantee"]["worst"]["epsilon"] /= 2
    return page[:found.start(2)] + json.dumps(data).replace("<", "\\u003c") + page[found.end(2):]


with tempfile.TemporaryDirectory() as folder:
    old = pathlib.Path(folder, "old")
    shutil.copytree(OLD, old)
    code, out, err = run(["recheck", "old"], folder)
    assert code == 0 and not err, (code, err)
    row = next(line.split() for line in out.splitlines() if line.startswith("gossip"))
    assert row[1] == "gdp" and abs(float(row[4]) - 1) < 1e-6 and "0 of 72" in out, out
    for given in ("old", "old/summary.json"):
        code, out, err = run(["recheck", given, "--json"], folder)
        told = read_json(out)["variants"][0]
        assert code == 0 and told["pairs"] == 72 and told["below"] == 0 and told["now"] <= told["then"] * (1 + 1e-9), out

    code, out, err = run(["report", "old", "-o", "page.html"], folder)
    if code == 0:
        page = pathlib.Path(folder, "page.html")
        code, out, err = run(["recheck", "page.html"], folder)
        assert code == 0, (out, err)
        text = page.read_text(encoding="utf-8")
        page.write_text(smaller(text), encoding="utf-8")
        code, out, err = run(["recheck", "page.html", "--json"], folder)
        told = read_json(out)
        assert code == 1 and told["below"] == 1 and abs(told["variants"][0]["ratio"] - 2) < 1e-6, (code, out, err)
        assert len(err.splitlines()) == 1 and "1 of 1 guarantees are below what is proven now" in err, err
        page.write_text(text.replace('"study":"', '"study_":"').replace('"study": "', '"study_": "'), encoding="utf-8")
        code, out, err = run(["recheck", "page.html"], folder)
        assert code == 2 and "does not hold its study" in err, (code, err)

    # A folder that somebody changed is not compared.
    losses = old / "loss.csv"
    losses.write_text(losses.read_text(encoding="ascii").replace("0.1", "0.2", 1), encoding="ascii")
    code, out, err = run(["recheck", "old"], folder)
    assert code == 2 and "was changed after the run wrote it" in err and not out, (code, err)
    pathlib.Path(folder, "text").write_text("no page", encoding="ascii")
    for given, want in (("text", 2), ("missing", 3), ("missing.json", 2)):
        code, out, err = run(["recheck", given], folder)
        assert code == want and len(err.splitlines()) == 1 and not out, (given, code, err)
print("recheck")
sys.exit(0)
