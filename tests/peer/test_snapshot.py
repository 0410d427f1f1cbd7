#!/usr/bin/python3
"""A disk that is restored from a copy: neighbours know of the newer ledger, and the contribution that the copy does not
know of is not drawn again. Another study and another mode are refused by name, too; so is a second
pair key, and a missing one is not made again."""
import contextlib
import json
import shutil
import sqlite3
import subprocess
import threading
import time

from peers import NETDP, Peers

STUDY = """title: A restored copy
seed: 1
graph: {family: ring 6}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 20}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.1, pair_graph: edges, pair_noise: 4}
"""


def wait_for(net, one, text, times=1):
    while net.log(one).count(text) < times:
        assert net.running[one].poll() is None, net.log(one)
        time.sleep(0.02)


def remembered(net, one):
    """Rows of member 0's ledger that this one knows of."""
    with sqlite3.connect(f"file:{net.of(one) / 'ledger.db'}?mode=ro", uri=True) as ledger:
        return max((rows for rows, in ledger.execute("SELECT m.rows FROM met m WHERE m.key = ?", (key_of(net, 0),))), default=0)


def key_of(net, one):
    roster = json.loads((net.of(one) / "package" / "roster.json").read_text())
    return bytes.fromhex(roster["members"][one]["key"])


def kill(net, one):
    net.running[one].kill()
    net.running[one].wait()


with Peers(STUDY, noise=1) as net:
    net.start(0)
    wait_for(net, 0, "event=started")
    kill(net, 0)
    copy = net.folder / "copy"
    shutil.copytree(net.of(0), copy)
    # Without member 3 nobody gets far, but 0 contributes: its partners 1 and 5 are there.
    for one in (0, 1, 2, 4, 5):
        net.start(one)
    wait_for(net, 0, "event=contributed")
    # Opened, study, reserved, contribution: at both, for a grown copy that meets one who does not know would show that one a longer ledger.
    while remembered(net, 1) < 4 or remembered(net, 5) < 4:
        time.sleep(0.02)
    kill(net, 0)
    for one in (1, 5):  # what they know outlives them
        kill(net, one)
        net.start(one)

    # The whole folder as it was: key, ledger and pair key fit together, and only neighbours can know. It is told before
    # it draws anything, and stops; so does a copy that has grown since, for another study.
    shutil.copytree(net.of(0), net.folder / "newest")
    for grown in (False, True):
        shutil.rmtree(net.of(0))
        shutil.copytree(copy, net.of(0))
        if grown:
            roster = json.loads((net.of(0) / "package" / "roster.json").read_text())
            roster["terms"]["rounds"] += 1
            (net.of(0) / "package" / "roster.json").write_text(json.dumps(roster))
            budget = net.of(0) / "budget.yaml"
            budget.write_text(budget.read_text() + "total: none\n")  # for two studies
            net.start(0)
            wait_for(net, 0, "event=started", 2)
            kill(net, 0)
            for file in [copy / "package" / "roster.json", *copy.glob("pair-key*")]:
                shutil.copy(file, net.of(0) / file.relative_to(copy))
        before = net.log(0).count("event=contributed")
        assert net.start(0).wait() == 2, net.log(0)
        assert "seen a later ledger of this peer" in net.log(0), net.log(0)
        assert net.log(0).count("event=contributed") == before

    # The ledger alone: the zeroed pair key says that the contribution was stored once.
    shutil.rmtree(net.of(0))
    shutil.copytree(net.folder / "newest", net.of(0))
    for file in net.of(0).glob("ledger.db*"):
        file.unlink()
    shutil.copy(copy / "ledger.db", net.of(0) / "ledger.db")
    for file in copy.glob("ledger.db-*"):
        shutil.copy(file, net.of(0) / file.name)
    assert net.start(0).wait() == 2 and "was once stored" in net.log(0), net.log(0)

    # And as it was last, all is well.
    shutil.rmtree(net.of(0))
    shutil.copytree(net.folder / "newest", net.of(0))
    net.start(0)
    net.start(3)
    net.wait()

with Peers(STUDY, noise=1) as net:
    # Another package, by one number of its terms: another digest.
    path = net.of(0) / "package" / "roster.json"
    roster = json.loads(path.read_text())
    roster["terms"]["rounds"] += 1
    path.write_text(json.dumps(roster))
    net.settle(2, linger=1)
    settings = json.loads((net.of(2) / "peer.json").read_text())
    del settings["data"]
    (net.of(2) / "peer.json").write_text(json.dumps(settings | {"test": {"seed": 1}}))
    for one in (0, 1, 2):
        net.start(one)
    wait_for(net, 1, "reason=wrong-digest member=meter-0")
    wait_for(net, 1, "reason=wrong-mode member=meter-2")
    # A package that has expired.
    path = net.of(4) / "package" / "roster.json"
    roster = json.loads(path.read_text())
    roster["terms"]["expires"] = 1600000000
    path.write_text(json.dumps(roster))
    assert net.start(4).wait() == 2 and "expired" in net.log(4), net.log(4)
    # A cell that is no number is a private one: the log names its line alone.
    (net.of(5) / json.loads((net.of(5) / "peer.json").read_text())["data"]).write_text("h19\n1.5\n41;5 ill\n")
    assert net.start(5).wait() == 2 and "line 3 is not" in net.log(5) and "ill" not in net.log(5), net.log(5)

with Peers(STUDY, noise=1) as net:
    # Everybody is restored, and nobody remembers: the same value leaves under the same noise, so in the same bytes.
    for one in range(net.count):
        net.settle(one, transcript="transcript")
        net.start(one)
        wait_for(net, one, "event=started")
        kill(net, one)
    shutil.copytree(net.folder / "net", net.folder / "copies")
    sent = []
    for _ in range(2):
        for one in range(net.count):
            net.start(one)
        net.wait()
        heads = [(net.of(one) / "transcript").read_bytes() for one in range(net.count)]
        sent.append([head[:int.from_bytes(head[:4], "little")] for head in heads])
        shutil.rmtree(net.folder / "net")
        shutil.copytree(net.folder / "copies", net.folder / "net")
    assert sent[0] == sent[1] and len(set(sent[0])) == net.count
with Peers(STUDY, noise=1) as net:
    for one in (0, 1, 2):
        net.start(one)
    wait_for(net, 1, "event=contributed")
    kill(net, 0)
    # Its pair key is gone, and others have added noise with it: it makes no second one.
    kept = next(net.of(0).glob("pair-key-*"))
    first = kept.read_bytes()
    kept.unlink()
    assert net.start(0).wait() == 2 and f"{kept.name}: is missing, though ledger.db has begun" in net.log(0), net.log(0)
    assert not kept.exists()
    # One that it signed all the same, in a copy without a ledger, is refused aloud: on its own link, and where neighbours
    # hand it on.
    # A ledger that is gone does not begin anew: the key says that it began, and without that line its traces do.
    shutil.copytree(net.of(0), net.folder / "copy", ignore=shutil.ignore_patterns("ledger*", "log"))
    start_copy = lambda: subprocess.run([NETDP, "peer", net.folder / "copy"], capture_output=True, text=True)
    key = net.folder / "copy" / "key"
    lines = key.read_text().splitlines(True)
    assert len(lines) == 2 and lines[0].startswith("netdp signing key 1, ledger of 20"), lines[0]
    for traces, says in (([], "`key` says that it began at 20"), (["pair-key-0-0-0"], "pair-key-0-0-0"), (["frames"], "frames"), (["result.json"], "result.json")):
        key.write_text("netdp signing key 1\n" + lines[1] if traces else "".join(lines))
        for trace in traces:
            (net.folder / "copy" / trace).write_text(json.dumps({"title": 'A "TEST: of meters'}))
        said = start_copy()
        assert said.returncode == 2 and says in said.stderr and "ledger.db: is gone" in said.stderr, said.stderr
        assert not (net.folder / "copy" / "ledger.db").exists()
        joined = subprocess.run([NETDP, "net", "join", net.of(1), "-o", net.folder / "copy"], capture_output=True, text=True)
        assert joined.returncode == 2 and "is gone" in joined.stderr, joined.stderr
        # Neither does one begin in a base that holds nothing, also while another holds that.
        with contextlib.closing(sqlite3.connect(net.folder / "copy" / "ledger.db", isolation_level=None, check_same_thread=False)) as empty:
            empty.execute("vacuum")
            assert (net.folder / "copy" / "ledger.db").stat().st_size > 0
            empty.execute("begin exclusive")
            release = threading.Timer(1, empty.rollback)
            release.start()
            said = start_copy()
            release.join()
        assert said.returncode == 2 and says in said.stderr and "ledger.db: is gone" in said.stderr, said.stderr
        for left in (net.folder / "copy").glob("ledger.db*"):
            left.unlink()
        for trace in traces:
            (net.folder / "copy" / trace).unlink()
    joined = subprocess.run([NETDP, "net", "join", net.of(2), "-o", net.of(1)], capture_output=True, text=True)
    assert joined.returncode == 2 and "a peer runs in it" in joined.stderr, joined.stderr
    copied = subprocess.Popen([NETDP, "peer", net.folder / "copy"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not (net.folder / "copy" / kept.name).exists():
        assert copied.poll() is None
        time.sleep(0.02)
    copied.kill()
    copied.wait()
    shutil.copy(net.folder / "copy" / kept.name, kept)
    assert kept.read_bytes() != first
    net.start(0)
    wait_for(net, 1, "event=refused reason=second-key member=meter-0")
    wait_for(net, 0, "event=goodbye reason=second-key member=meter-1")
    for one in (5, 4, 3):
        net.start(one)
    while not any("reason=second-key member=meter-0" in net.log(one) for one in (2, 3, 4, 5)):
        time.sleep(0.02)
    # The first key again, and all is well.
    kill(net, 0)
    kept.write_bytes(first)
    for one in (3, 4, 5):  # they forget the second
        kill(net, one)
    for one in (0, 3, 4, 5):
        net.start(one)
    net.wait()
with Peers(STUDY, noise=1, seed=3) as net:
    # In test mode each start makes a pair key, from which no noise comes: a restart is nobody's offence.
    for one in (0, 1, 2):
        net.start(one)
    wait_for(net, 1, "event=contributed")
    kill(net, 0)
    for one in (0, 3, 4, 5):
        net.start(one)
    net.wait()
    assert not any("second-key" in net.log(one) for one in range(net.count))
print("a ledger that went back, another study, another mode and an old package are refused by name; a copy sends the same bytes")
