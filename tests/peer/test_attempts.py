#!/usr/bin/python3
"""A second attempt: a run that cannot go on (a member has lost its pair key) is given up and done anew by all, while peers are
killed at any moment. Each attempt has keys and noise of its own and is charged in full; contributions of the first are in no
result; who is still in another attempt is told so and let in by nobody; a given-up attempt does not come back, none follows
a result, and no more are done than the package allows."""
import os
import random
import sqlite3
import subprocess
import time

from ended import LEARNING, PHASES, ROUNDS, STUDY, write_rows
from peers import NETDP, Peers
from transcripts import frames, number_of

CHANCE = random.Random(int(os.environ.get("NETDP_KILLS_SEED", "1")))


def spent(net, one):
    """The ledger's rows by kind and attempt."""
    with sqlite3.connect(f"file:{net.of(one)}/ledger.db?mode=ro", uri=True) as ledger:
        return {(kind, attempt): count for kind, attempt, count in
                ledger.execute("select kind, attempt, count(*) from entry where kind in ('reserved', 'contribution') group by kind, attempt")}


def kill(net, one):
    net.running[one].kill()
    return net.running[one].wait() == -9


def refused(net, one, attempt, *words):
    """Told in one line, before anything leaves; the ledger stays as it was."""
    net.settle(one, attempt=attempt)
    before, rows = net.log(one), spent(net, one)
    assert net.start(one).wait(60) == 2 and spent(net, one) == rows
    said = net.log(one)[len(before):].splitlines()
    assert all(word in said[-1] for word in words) and not any("event=started" in line for line in said), said


def give_up(net, phases):
    """The first attempt, until member 0 has sent its contribution and loses its pair key; all are killed."""
    for one in range(net.count):
        net.settle(one, transcript="transcript-0")
        net.start(one)
    sent = net.of(0) / "transcript-0"
    while ("event=contributed phase=%d" % min(phases - 1, 2) not in net.log(0)
           or not any(place == (0, 0) for place, _ in frames(sent))):
        time.sleep(0.002)
    for one in range(net.count):
        kill(net, one)
    next(net.of(0).glob("pair-key-*")).unlink()
    assert net.start(0).wait(60) == 2 and "pair-key" in net.log(0).splitlines()[-1], net.log(0)[-400:]


def again(net, kills):
    """The second: one neighbour comes late, from the first."""
    for one in range(net.count):
        if one != 1:
            net.settle(one, transcript="transcript-1", attempt=1)
        net.start(one)
    while "reason=wrong-attempt" not in net.log(0) or "reason=wrong-attempt" not in net.log(1):
        time.sleep(0.01)
        assert all(process.poll() is None for process in net.running.values())
    assert "event=contributed phase=0 attempt=1" not in net.log(0), "it did not wait for its neighbour"
    kill(net, 1)
    net.settle(1, transcript="transcript-1", attempt=1)
    net.start(1)
    done = 0
    while any(process.poll() is None for process in net.running.values()):
        time.sleep(CHANCE.uniform(0.005, 0.1))
        if done < kills:
            one = CHANCE.randrange(net.count)
            done += kill(net, one)
            net.start(one)
    net.wait()
    return done


def judge(net, phases, study):
    first = []
    for one in range(net.count):
        rows = spent(net, one)
        given_up = rows.get(("reserved", 0), 0)
        assert rows["reserved", 1] == rows["contribution", 1] == phases, rows
        assert (0 if one else 1) <= given_up <= phases, rows  # the others may have been killed before they reserved
        assert rows.get(("contribution", 0), 0) in (given_up, given_up - 1), rows
        result = net.result(one)
        assert result["attempt"] == 1, result
        if "account" in result:
            assert result["account"]["contributions"] == 2 * phases, result["account"]
        sent = {}
        for attempt in (0, 1):
            for place, frame in frames(net.of(one) / f"transcript-{attempt}"):
                assert sent.setdefault((attempt, place), frame) == frame, f"{place}: sent with other bytes"
        assert one > 0 or (0, (one, 0)) in sent
        assert (0, (one, 0)) not in sent or sent[0, (one, 0)][28:] != sent[1, (one, 0)][28:], "the second attempt has the first's noise"
        first.append(number_of(sent[1, (one, 0)]))
        for secret in net.of(one).glob("pair-key-*-[01]"):  # a kill leaves parts of files, of keys that nobody was offered
            assert secret.read_bytes()[:32] == bytes(32), secret
        said = subprocess.run([NETDP, "ledger", "verify", net.of(one) / "ledger.db"], capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
    if phases == 1 and ", dither: 0," in study:
        assert abs(sum(state[0] for state in net.states()) - sum(first)) < 1e-9, "a contribution is lost, or one of the first attempt is in"


os.environ["ATTEMPTS"] = "2"
kills = 0
for study, phases in ((STUDY % 0, 1), (LEARNING % 0, PHASES)):
    with Peers(study, noise=1, files={"all.csv": lambda path: write_rows(path, 60, CHANCE)}) as net:
        for one in range(net.count):
            if phases > 1:
                write_rows(net.of(one) / "values.csv", 10, CHANCE)
            (net.of(one) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e6\ntotal: 1e6\n")
        give_up(net, phases)
        refused(net, 0, 2, "peer.json", "attempt")
        kills += again(net, int(os.environ.get("NETDP_KILLS", "12")) // 2)
        judge(net, phases, study)
        refused(net, 0, 0, "attempt", "result")
        # Of a folder that has begun the second and not ended it: the first does not come back.
    with Peers(study, noise=1, files={"all.csv": lambda path: write_rows(path, 60, CHANCE)}) as net:
        if phases > 1:
            write_rows(net.of(0) / "values.csv", 10, CHANCE)
        (net.of(0) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e6\ntotal: 1e6\n")
        net.settle(0, attempt=1)
        net.start(0)
        while "event=started" not in net.log(0):
            assert net.running[0].poll() is None, net.log(0)
            time.sleep(0.02)
        kill(net, 0)
        refused(net, 0, 0, "attempt", "given up")
# What two attempts cost is what a budget must allow, before anything is reserved.
worst = {}
for attempts in (1, 2):
    os.environ["ATTEMPTS"] = str(attempts)
    with Peers(STUDY % 0, noise=1) as net:
        limit = (worst[1] * 1.1) if attempts == 2 else 1e6
        (net.of(0) / "budget.yaml").write_text(f"delta: 1e-6\npeer: {limit}\ntotal: 1e6\n")
        net.start(0)
        while "event=started" not in net.log(0) and net.running[0].poll() is None:
            time.sleep(0.02)
        worst[attempts] = float(net.log(0).split("worst=")[1].split()[0])
        assert (net.running[0].poll() is None) == (attempts == 1), net.log(0)
        assert attempts == 1 or not spent(net, 0), spent(net, 0)
assert worst[2] > 1.3 * worst[1], worst
print(f"{kills} kills within second attempts: each of two studies has its result, and every attempt is charged")
