"""What the docs say in Python runs, and gives the numbers of the commands that it stands for."""
import os
import pathlib
import re
import shlex

import netdp
import pytest

pytest.importorskip("pandas")
SOURCE = pathlib.Path(os.environ["NETDP_SOURCE"])


def blocks(name, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", (SOURCE / name).read_text("utf-8"), re.M | re.S)


def test_readme(monkeypatch, capsys, command):
    (code,) = blocks("README.md", "python")
    assert len([line for line in code.splitlines() if line]) <= 8
    monkeypatch.chdir(SOURCE)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    shown = blocks("README.md", "text")
    assert len(shown) == 2
    for line in "".join(shown).splitlines():
        assert line.rstrip() == "..." or line.rstrip() in printed.splitlines(), line
    assert "bound exact: an upper bound, certified" in printed


def test_start_line_by_line(monkeypatch, tmp_path, capsys, command):
    monkeypatch.chdir(tmp_path)
    # What asks the graph of its own is run by structure/docs-commands, and so is what Python has no word for.
    lines = [line for block in blocks("docs/start.md", "sh") for line in block.splitlines() if "mine.edges" not in line and "netdp report" not in line]
    kinds = [shlex.split(line)[1] for line in lines]
    assert kinds == ["graph", "loss", "calibrate", "calibrate", "init", "run", "run", "run", "audit"], "start.md has changed"
    (code,) = [block for block in blocks("docs/python.md", "python") if "network.mixing_time" in block]
    there = {}
    exec(compile(code, "docs/python.md", "exec"), there)
    printed = capsys.readouterr().out

    said = [command(line.partition(" ")[2], json_too=kind != "init") for line, kind in zip(lines, kinds)]
    network = there["network"]
    assert (network.mixing_time(), network.spectrum()[2]) == (said[0]["mixing_time"], said[0]["spectral_gap"])
    shown = blocks("docs/start.md", "text")[0].splitlines()
    for line in shown:
        if line not in ("...", ""):
            assert line.rstrip() in printed, line
    for got, want in ((there["worst"], said[2]), (there["mean"], said[3])):
        assert (got.noise, got.achieved.mean, got.achieved.worst) == (
            want["noise"], want["achieved"]["mean"], want["achieved"]["max"])
    for name, want in (("result", said[5]), ("strict", said[6]), ("circle", said[7])):
        mine = there[name].summary["variants"]
        assert [v["guarantee"] for v in mine] == [v["guarantee"] for v in want["variants"]], name
        assert [v["noise"] for v in mine] == [v["noise"] for v in want["variants"]]
    folder = tmp_path / "results" / "first"
    assert there["result"].private()["variants"] == __import__("json").loads((folder / "private.json").read_text())["variants"]
    for audit in said[8]["audits"]:
        assert f"{audit['from']}->{audit['to']}" in printed and audit["verdict"] in printed


def test_python_page(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    there = {}
    for block in blocks("docs/python.md", "python"):
        if "network.mixing_time" not in block:
            exec(compile(block, "docs/python.md", "exec"), there)
    assert "2.25409" in capsys.readouterr().out


def test_everything_says_its_tier():
    for name in ("losses", "calibrate", "run", "audit", "claim", "convert"):
        assert getattr(netdp, name).__doc__
    assert "Three tiers" in netdp.__doc__


def test_every_setting_of_the_command_is_explained_here(command):
    """`netdp loss` and `netdp.losses` read one table: the help page's options are the docstring's words."""
    page = command("loss --help all", json_too=False)
    protocol, = re.findall(r"The protocol:\n(.*?)The answer:", page, re.S)
    options = {name.replace("-", "_") for name in re.findall(r"^ {6}--([\w-]+)", protocol, re.M)}
    options -= {"protocol", "rounds", "from", "to", "bound", "engine"}
    here = set(re.findall(r"^    (\w+): ", netdp.losses.__doc__.split("Settings:")[1], re.M))
    assert len(options) > 35
    assert here == options, here ^ options


def test_types(tmp_path):
    import shutil
    import subprocess


    if shutil.which("mypy") is None:
        pytest.skip("mypy is not installed")
    done = subprocess.run(["mypy", "--config-file", "../pyproject.toml", "--cache-dir", str(tmp_path), "netdp"], cwd=SOURCE / "python", check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout
