"""The library under a locale with decimal commas, and under one whose small I has no dot: every file that it writes, every
number that it reads and every sentence of it are those of the locale "C", byte for byte."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ASKED = r"""
import hashlib, json, locale, os, pathlib, sys
name = sys.argv[1]
if name != "C":
    locale.setlocale(locale.LC_ALL, name)
    if name.startswith("de"):
        assert locale.localeconv()["decimal_point"] == ","
import netdp
os.chdir(sys.argv[2])
told = {}

def said(what, ask):
    try:
        told[what] = repr(ask())
    except Exception as why:
        told[what] = f"{type(why).__name__}: {why}"

pathlib.Path("weighted.edges").write_text("a b 1.5\nb c 2.25\nc a 0.125\n")
pathlib.Path("weighted.gml").write_text('graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] node [ id 2 label "c" ]\n'
    'edge [ source 0 target 1 weight 1.5 ] edge [ source 1 target 2 weight 2.25 ] edge [ source 0 target 2 weight 0.125 ] ]\n')
pathlib.Path("weighted.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1.5\n3 1 0.5\n3 2 2.25\n")
pathlib.Path("rows.csv").write_text("AGE,LEVEL,y\n" + "".join(f"{i * 0.37:.4f},{i % 4},{i % 2}\n" for i in range(60)))
for file in ("weighted.edges", "weighted.gml", "weighted.mtx"):
    said(file, lambda: netdp.losses(file, rounds=3, dither=0.25, noise=2.5, as_="dp:1.5e-6", mixing="file"))
for unit in ("gdp:1.5", "dp:1.25,1e-6", "rdp:2=0.5,4=1.1", "subsampled-gaussian:0.05,1.5 x 100", "1,2"):
    said(unit, lambda: netdp.convert(unit, "dp:1.5e-6"))
for weights in ("lazy:0.5", "lazy:0,5", "LAZY:0.5", "METROPOLIS"):
    said(weights, lambda: netdp.losses("ring 12", rounds=3, mixing=weights))
for family in ("erdos-renyi 40 0.25", "erdos-renyi 40 0,25", "geometric 60 0.35", "ERDOS-RENYI 40 c=1.5"):
    said(family, lambda: netdp.losses(family, rounds=3, dither=0.125))
study = '''title: LOCALE
seed: 3
graph: {family: ring 4}
data: {csv: rows.csv, label: y, owner: LEVEL, split: 0.75}
task: {kind: logistic, clip: 0.5, step: 0.25}
protocol: {kind: muffliato-sgd, rounds: 4, inner: 2}
privacy: {epsilon: 1.5, delta: 1e-5, dither: 0.0125}
output: {every: 2, repeat: 2}
'''
pathlib.Path("study.yaml").write_text(study)
pathlib.Path("cuts.yaml").write_text(study.replace("owner: LEVEL", "owner: AGE, features: all but AGE, owner_cuts: '5.5, 11.25, 16.75'"))
pathlib.Path("wrong.yaml").write_text(study.replace("0.25}", "0,25}"))
for file in ("study", "cuts", "wrong"):
    said(file, lambda: netdp.run(f"{file}.yaml", f"{file}-result"))
for path in sorted(pathlib.Path(".").rglob("*")):
    if path.is_file() and path.suffix != ".log" and path.name not in ("study.yaml",) or path.name == "study.yaml" and path.parent.name:
        told[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
print(json.dumps(told))
"""


def asked(folder, name, where):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", ASKED, name, str(folder)], text=True, encoding="utf-8", stdout=subprocess.PIPE,
                          check=True, env={**os.environ, "LOCPATH": str(where), "PYTHONUTF8": "1"})
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """One folder for all: results name the files that they came from."""
    return tmp_path_factory.mktemp("locale") / "here"


@pytest.fixture(scope="module")
def plain(here):
    return asked(here, "C", "/usr/lib/locale")


@pytest.mark.parametrize("name, source", [("de_DE.UTF-8", "de_DE"), ("tr_TR.UTF-8", "tr_TR")])
def test_the_same_in_every_locale(name, source, plain, here, tmp_path):
    """A locale is made for the test: Debian's package locales has the sources, libc-bin what compiles them."""
    maker = shutil.which("localedef")
    if maker is None or not pathlib.Path("/usr/share/i18n/locales", source).exists():
        pytest.skip(f"no localedef, or no source of {source} (Debian: libc-bin, locales)")
    subprocess.run([maker, "-i", source, "-f", "UTF-8", str(tmp_path / name)], check=True)
    told = asked(here, name, tmp_path)
    assert {what: told.get(what) for what in plain} == plain
    assert any("result" in what for what in told), "no study was run"
    assert not told["lazy:0.5"].startswith("Invalid") and told["lazy:0,5"].startswith("Invalid")
    assert not told["study"].startswith("Invalid") and not told["cuts"].startswith("Invalid") and told["wrong"].startswith("Invalid")
