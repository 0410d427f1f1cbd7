#!/usr/bin/python3
"""A participant's folder: the package is the one that was joined, or nothing is reserved; a transcript goes where its path says; ports are
numbers; a link that is planted where a file is written beside is not followed; a graph's file takes memory by its size, and without memory for
threads or numbers a command ends with exit code 3."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from peers import NETDP, Peers

STUDY = """title: A folder
seed: 1
graph: {family: ring 3}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 5}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.1, pair_graph: edges, pair_noise: 4}
"""


def run(*words, **more):
    return subprocess.run([NETDP, *words], capture_output=True, text=True, **more)


with tempfile.TemporaryDirectory() as keep:
    folder = pathlib.Path(keep)
    (folder / "study.yaml").write_text(STUDY.replace("rounds: 5", "rounds: auto"))
    made = run("net", "init", folder / "study.yaml", "--names", "a,b,c", "-o", folder / "net")
    assert made.returncode == 0, made.stderr
    one = folder / "net" / "a"
    agreed = json.loads((one / "peer.json").read_text())["package"]
    assert f"Package {agreed}" in made.stdout, made.stdout
    (one / "data.csv").write_text("h19\n1\n")
    roster = one / "package" / "roster.json"
    whole = roster.read_text()
    roster.write_text(whole.replace('"title": "A folder"', '"title": "A foldes"'))  # a bit that flipped
    assert roster.read_text() != whole
    said = run("peer", one)
    assert said.returncode == 2 and "wrong digest" in said.stderr and agreed in said.stderr, said.stderr
    assert not (one / "ledger.db").exists()
    assert "FAIL agreed" in run("net", "doctor", one).stdout
    roster.write_text(whole)
    assert "ok   agreed" in run("net", "doctor", one).stdout
    settings = json.loads((one / "peer.json").read_text())
    for change, says in (({"listen": "127.0.0.1:74x"}, "HOST:PORT"), ({"listen": "127.0.0.1:65536"}, "HOST:PORT"), ({"listen": "127.0.0.1:+80"}, "HOST:PORT"),
                         ({"dial": {"b": "127.0.0.1:0"}}, "1 to 65535"), ({"dial": {"b": "127.0.0.1:http"}}, "1 to 65535"), ({"dial": {"b": "relay:127.0.0.1:080"}}, "1 to 65535"),
                         ({"metrics": "127.0.0.1:99x"}, "up to 65535"), ({"metrics": "127.0.0.1:70000"}, "up to 65535"), ({"package": "12"}, "64 hexadecimal")):
        (one / "peer.json").write_text(json.dumps(settings | change))
        said = run("peer", one, timeout=60)
        assert said.returncode == 2 and says in said.stderr, (change, said.stderr)
    (one / "peer.json").write_text(json.dumps(settings))
    assert run("net", "join", "x", "--listen", "here:99999", "-o", folder / "x").returncode == 2
    assert run("net", "init", folder / "study.yaml", "--port", "65534", "-o", folder / "y").returncode == 2

    # The name of the process is known: somebody plants a link there. It is replaced, and what it leads to stays.
    victim = folder / "victim"
    victim.write_text("mine")
    shell = f'ln -s {victim} {folder}/out.json.part-$$; exec {NETDP} loss --family davis --rounds 3 --noise 1 --protocol averaging -o {folder}/out.json'
    subprocess.run(["sh", "-c", shell], capture_output=True, text=True)
    assert victim.read_text() == "mine", "a planted link was followed"
    victim.unlink()
    shell = f'ln -s {victim} {folder}/settings.part-$$; exec {NETDP} net invite {folder}/net a -o {folder}/settings'
    said = subprocess.run(["sh", "-c", shell], capture_output=True, text=True)
    assert said.returncode == 0 and not victim.exists() and "netdp-invitation" in (folder / "settings").read_text(), said.stderr

    # Ninety bytes that say ninety million rows.
    (folder / "big.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n90000000 90000000 1\n1 2\n")
    little = lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    said = run("loss", "--graph", folder / "big.mtx", "--rounds", "2", "--noise", "1", "--protocol", "averaging", preexec_fn=little, env=os.environ | {"OMP_NUM_THREADS": "1"})
    assert said.returncode == 2 and "too many for so few entries" in said.stderr, said.stderr

    # Threads that cannot be had: libgomp ends a program by itself.
    said = run("loss", "--family", "hypercube 8", "--rounds", "10", "--noise", "1", "--protocol", "averaging",
               preexec_fn=little, env=os.environ | {"OMP_NUM_THREADS": "8", "OMP_STACKSIZE": "2G"})
    assert said.returncode in (0, 3) and (said.returncode == 0) == (said.stderr == ""), (said.returncode, said.stderr)

# What a library does that cannot go on (libuv without its own wake-up, GMP with numbers too large) ends in one line and code 3.
with Peers(STUDY, noise=1) as net:
    peer = net.start(1)
    while "event=started" not in net.log(1):
        assert peer.poll() is None
        time.sleep(0.02)
    peer.send_signal(signal.SIGABRT)
    assert peer.wait() == 3 and "netdp: a library could not go on" in net.log(1), net.log(1)

# A transcript with a path of its own.
with Peers(STUDY, noise=1) as net, tempfile.TemporaryDirectory() as keep:
    place = pathlib.Path(keep) / "frames-that-left"
    net.settle(1, transcript=str(place))
    for one in range(3):
        net.start(one)
    net.wait()
    assert place.stat().st_size == 5 * (8 + 12 + 8 + 8), place.stat().st_size
print("a folder is what was joined; ports, paths and links are what they say")
