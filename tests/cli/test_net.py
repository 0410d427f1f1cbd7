#!/usr/bin/python3
"""netdp net and netdp ledger: a network is made, people join one at a time, and what is wrong is said in one line."""
import json
import os
import pathlib
import re
import socket
import stat
import subprocess
import tempfile
import time

from harness import SOURCE, Case, main, run

STUDY = b"""title: A mean of three
graph: {family: complete 3}
data: {csv: none.csv, per_node: one, columns: [{name: age}]}
task: {kind: mean, bounds: [0, 100]}
protocol: {kind: averaging, rounds: auto}
privacy: {epsilon: 1, delta: 1e-6, over: worst, dither: 0, pair_graph: edges, pair_noise: 10}
"""
FILES = {"study.yaml": STUDY}
NAMES = "north,south,west"


def expect(words, folder, code=0):
    got, out, err = run(words, folder)
    assert got == code and "\n" not in err.strip(), (words, got, err)
    return out if code == 0 else err


def member_folders_are_whole():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        out = expect(["net", "init", "study.yaml", "-n", "3", "--names", NAMES, "-o", "net"], folder)
        name = re.search(r"Package ([0-9a-f]{64})", out).group(1)
        net = pathlib.Path(folder, "net")
        roster = json.loads((net / "package/roster.json").read_text(encoding="utf-8"))
        assert [one["name"] for one in roster["members"]] == NAMES.split(",")
        assert roster["edges"] == roster["pairs"] == [[0, 1], [0, 2], [1, 2]]
        for member in NAMES.split(","):
            own = net / member
            assert stat.S_IMODE(os.stat(own / "key").st_mode) == 0o600 and stat.S_IMODE(os.stat(own).st_mode) == 0o700
            assert (own / "package/roster.json").read_bytes() == (net / "package/roster.json").read_bytes()
            assert f'peer "{own.resolve()}"' in (own / f"netdp-{member}.service").read_text(encoding="utf-8")
            assert float(re.search(r"^peer: (.*)$", (own / "budget.yaml").read_text(encoding="utf-8"), re.M).group(1)) >= 0.99
        # Each link is dialled by one of its two ends.
        dialled = [(member, other) for member in NAMES.split(",")
                   for other in json.loads((net / member / "peer.json").read_text(encoding="utf-8"))["dial"]]
        assert sorted(map(sorted, dialled)) == [["north", "south"], ["north", "west"], ["south", "west"]], dialled
        keys = {(net / member / "key").read_text(encoding="utf-8") for member in NAMES.split(",")}
        assert len(keys) == 3 and not any(key.split()[-1] in json.dumps(roster) for key in keys)
        err = expect(["net", "init", "study.yaml", "-o", "net"], folder, 3)
        assert "is there already" in err, err
        # Peers would add everybody's noise, and be accounted for with more.
        pathlib.Path(folder, "more.yaml").write_bytes(STUDY.replace(b"dither: 0", b'dither: 0, targets: "1:0.5"'))
        err = expect(["net", "init", "more.yaml", "--names", NAMES, "-o", "more"], folder, 2)
        assert "privacy.targets: between peers" in err, err
        # What was refused is not in the way of the next try, and what was there stays.
        pathlib.Path(folder, "there").mkdir()
        for wrong, code, place in (["-n", "4"], 2, "more"), (["--variant", "none"], 2, "more"), (["-n", "4"], 3, "there"):
            expect(["net", "init", "study.yaml", *wrong, "-o", place], folder, code)
        assert not pathlib.Path(folder, "more").exists() and pathlib.Path(folder, "there").exists()
        # Anything another gives another name.
        (net / "package/study.yaml").write_bytes((net / "package/study.yaml").read_bytes() + b"# changed\n")
        doctor = subprocess.run([os.environ["NETDP_COMMAND"], "net", "doctor", "net/north"], cwd=folder, capture_output=True, text=True, check=False)
        assert f"ok   digest     {name}" in doctor.stdout, doctor.stdout


def one_at_a_time():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        out = expect(["net", "init", "study.yaml", "--names", NAMES, "--invite", "-o", "net"], folder)
        assert "0 of 3 have joined" in out, out
        keys = {}
        for number, member in enumerate(NAMES.split(",")):
            expect(["net", "invite", "net", member, "-o", f"{member}.invitation"], folder)
            listen = ["--listen", f"127.0.0.1:{7500 + number}"] if number < 2 else []
            out = expect(["net", "join", f"{member}.invitation", "-o", member, *listen], folder)
            keys[member] = re.search(r"key: ([0-9a-f]{64})", out).group(1)
            err = expect(["net", "join", "net", "-o", member], folder, 2)
            assert "has not joined" in err, err
            out = expect(["net", "invite", "net", "--accept", f"{member}/answer.json"], folder)
            assert f"{member} has joined with the key {keys[member]}" in out and f"{number + 1} of 3" in out, out
        for member in keys:
            out = expect(["net", "join", "net", "--data", "/dev/null", "-o", member], folder)
            name = re.search(r"Package ([0-9a-f]{64})", out).group(1)
        west = json.loads(pathlib.Path(folder, "west/peer.json").read_text(encoding="utf-8"))
        assert "listen" not in west and sorted(west["dial"]) == ["north", "south"], west
        # South comes with a new key; nobody else's folder is touched but for the package.
        before = pathlib.Path(folder, "north/key").read_bytes()
        expect(["net", "invite", "net", "south", "-o", "again"], folder)
        err = expect(["net", "invite", "net", "--accept", "north/answer.json", "--threads", "1"], folder, 0)
        pathlib.Path(folder, "south/key").unlink()
        expect(["net", "join", "again", "-o", "south"], folder)
        expect(["net", "invite", "net", "--accept", "south/answer.json"], folder)
        out = expect(["net", "join", "net", "-o", "north"], folder)
        assert re.search(r"Package ([0-9a-f]{64})", out).group(1) != name
        assert pathlib.Path(folder, "north/key").read_bytes() == before
        # Answers that are not what was signed, or to another study.
        answer = json.loads(pathlib.Path(folder, "south/answer.json").read_text(encoding="utf-8"))
        for key, value, says in [("address", "10.0.0.1:1", "signature"), ("name", "west", "signature"),
                                 ("study", "00" * 32, "wrong digest"), ("key", keys["north"], "signature"),
                                 ("color", "red", "answer"), ("name", "east", "wrong digest")]:
            pathlib.Path(folder, "bad.json").write_text(json.dumps({**answer, key: value}), encoding="utf-8")
            err = expect(["net", "invite", "net", "--accept", "bad.json"], folder, 2)
            assert says in err, (key, err)
        pathlib.Path(folder, "other.yaml").write_bytes(STUDY.replace(b"epsilon: 1", b"epsilon: 2"))
        expect(["net", "init", "other.yaml", "--names", NAMES, "-o", "other"], folder)
        err = expect(["net", "join", "other", "-o", "north"], folder, 2)
        assert "wrong digest" in err, err


def join_all(folder, net, north=7500):
    """All three join the package of NET, with the folders and keys that they have."""
    expect(["net", "init", "study.yaml", "--names", NAMES, "--invite", "-o", net], folder)
    for number, member in enumerate(NAMES.split(",")):
        expect(["net", "invite", net, member, "-o", "invitation"], folder)
        expect(["net", "join", "invitation", "--listen", f"127.0.0.1:{north + number}", "-o", member], folder)
        expect(["net", "invite", net, "--accept", f"{member}/answer.json"], folder)


def the_next_study_keeps_what_the_owner_set():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "north/peer.json")
        read = lambda: json.loads(path.read_text(encoding="utf-8"))
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        join_all(folder, "net")
        assert "Kept" not in expect(["net", "join", "net", "--data", "/srv/first.csv", "-o", "north"], folder)
        first = read()
        assert first["listen"] == first["announced"] == "127.0.0.1:7500", first
        own = {"metrics": "127.0.0.1:9400", "listen": "127.0.0.1:7700", "patience": 600, "linger": 5, "slot": 50, "transcript": "said"}
        path.write_text(json.dumps(first | own | {"attempt": 0, "dial": {"south": "127.0.0.1:1"}}), encoding="utf-8")
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY.replace(b"of three", b"of three, again"))
        join_all(folder, "net-2", 7600)
        out = expect(["net", "join", "net-2", "--data", "/srv/second.csv", "-o", "north"], folder)
        said = re.findall(r"^Kept as you set it in peer.json: (.*)\.$", out, re.M)
        assert said == ["metrics 127.0.0.1:9400, listen 127.0.0.1:7700, transcript said, patience 600, linger 5, slot 50"], out
        second = read()
        assert {key: second[key] for key in own} == own, second
        # What belongs to the study is the new one's.
        assert second["package"] != first["package"] and second["data"] == "/srv/second.csv", second
        assert second["announced"] == "127.0.0.1:7600" and second["dial"] == {} and "attempt" not in second, second
        # An address that join made moves with it; data that nobody names stay what they were.
        path.write_text(json.dumps({key: first[key] for key in first}), encoding="utf-8")
        out = expect(["net", "join", "net-2", "-o", "north"], folder)
        assert read()["listen"] == "127.0.0.1:7600" and read()["data"] == "/srv/first.csv", read()
        assert "peer.json: data /srv/first.csv." in out, out
        path.write_text(json.dumps(first | {"patience": 0}), encoding="utf-8")
        assert "patience" in expect(["net", "join", "net-2", "-o", "north"], folder, 2)


def who_can_only_dial_meets_at_a_relay():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        for net, relay in (("net", ["--relay", "[2001:db8::1]:7399"]), ("none", [])):
            expect(["net", "init", "study.yaml", "--names", NAMES, "--invite", *relay, "-o", net], folder)
            for member in NAMES.split(","):
                expect(["net", "invite", net, member, "-o", "invitation"], folder)
                listen = ["--listen", "127.0.0.1:7500"] if member == "north" else []
                expect(["net", "join", "invitation", "-o", f"{net}-{member}", *listen], folder)
                out = expect(["net", "invite", net, "--accept", f"{net}-{member}/answer.json"], folder)
                # Said when the second of two comes in who can only dial, and not before the relay is known.
                assert ("both can only dial" in out) == (net == "none" and member == "west"), (net, member, out)
        for member, other in (("south", "west"), ("west", "south")):
            expect(["net", "join", "net", "-o", f"net-{member}"], folder)
            settings = json.loads(pathlib.Path(folder, f"net-{member}/peer.json").read_text(encoding="utf-8"))
            assert settings["dial"] == {"north": "127.0.0.1:7500", other: "relay:[2001:db8::1]:7399"} and "listen" not in settings, settings
            err = expect(["net", "join", "none", "-o", f"none-{member}"], folder, 2)
            assert "south and west are linked" in err or "west and south are linked" in err, err
            assert "--relay" in err, err
        assert "give HOST:PORT" in expect(["net", "invite", "none", "--relay", "nowhere"], folder, 2)
        expect(["net", "invite", "none", "--relay", "127.0.0.1:7399"], folder)
        expect(["net", "join", "none", "-o", "none-south"], folder)
        settings = json.loads(pathlib.Path(folder, "none-south/peer.json").read_text(encoding="utf-8"))
        assert settings["dial"]["west"] == "relay:127.0.0.1:7399", settings
        done = subprocess.run([os.environ["NETDP_COMMAND"], "net", "doctor", "net-west"], cwd=folder, capture_output=True, text=True, check=False)
        assert "FAIL link       south at relay:[2001:db8::1]:7399: does not answer" in done.stdout, done.stdout


def the_doctor_says_what_is_wrong():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        expect(["net", "init", "study.yaml", "--names", NAMES, "--port", str(port := free_ports(3)), "-o", "net"], folder)
        doctor = lambda: subprocess.run([os.environ["NETDP_COMMAND"], "net", "doctor", "net/south"], cwd=folder, capture_output=True, text=True, check=False)
        assert "FAIL data" in doctor().stdout and "ok   start " not in doctor().stdout
        pathlib.Path(folder, "net/south/data.csv").write_text("age\n30\n", encoding="utf-8")
        done = doctor()
        assert done.returncode == 2 and f"FAIL link       north at 127.0.0.1:{port}: does not answer" in done.stdout, done.stdout
        assert done.stdout.count("FAIL") == 1, done.stdout
        budget = pathlib.Path(folder, "net/south/budget.yaml")
        budget.write_text(budget.read_text(encoding="utf-8") + "peers:\n  - {name: nroth, epsilon: 1}\n", encoding="utf-8")
        done = doctor()
        assert "FAIL allowed" in done.stdout and "peers.1: 'nroth' is no other participant" in done.stdout, done.stdout
        os.chmod(pathlib.Path(folder, "net/south/key"), 0o644)
        pathlib.Path(folder, "net/south/budget.yaml").write_text("delta: 1\n", encoding="utf-8")
        done = doctor()
        assert "FAIL key" in done.stdout and "others may read this key" in done.stdout and "FAIL budget" in done.stdout, done.stdout


def the_doctor_refuses_what_the_peer_refuses():
    """A ledger from before and a pair key that is gone; and what a neighbour's log says of a doctor."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        expect(["net", "init", "study.yaml", "--names", NAMES, "--port", str(free_ports(3)), "-o", "net"], folder)
        net = pathlib.Path(folder, "net")
        command = os.environ["NETDP_COMMAND"]
        doctor = lambda who: subprocess.run([command, "net", "doctor", net / who], capture_output=True, text=True, check=False).stdout

        def alone(who):
            """Runs until it waits for the others, and the ledger has its reservation."""
            peer = subprocess.Popen([command, "peer", net / who], stderr=subprocess.PIPE, text=True)
            said = [peer.stderr.readline()]
            while said[-1] and "event=waiting" not in said[-1]:
                said.append(peer.stderr.readline())
            assert "event=waiting" in said[-1], said
            return peer

        def end(peer):
            peer.terminate()
            return peer.communicate()[1]

        for number, member in enumerate(NAMES.split(",")):
            (net / member / "data.csv").write_text(f"age\n{30 + number}\n", encoding="utf-8")
            assert "ok   start" in doctor(member)
        end(alone("south"))
        before = (net / "south/ledger.db").read_bytes()
        north = alone("north")
        assert re.match(r"north +running", expect(["net", "status", "net/north"], folder)), "a peer without a pid file runs"
        said = doctor("south")
        assert "ok   link       north" in said and "ok   newest     north" in said and "ok   start" in said, said
        log = end(north)
        assert "event=visit member=south" in log and "event=refused reason=said-nothing member=-" in log, log
        assert "link-down" not in log and "reason=handshake" not in log, log
        try:
            expect(["net", "up", "net"], folder)
            await_done(folder)
        finally:
            run(["net", "down", "net"], folder)
        assert "ok   start" in doctor("south")
        assert re.fullmatch(r"south +done .*\n", expect(["net", "status", "net/south"], folder))
        key = next((net / "south").glob("pair-key-*"))
        for path, other, says in (key, None, "is missing, though ledger.db has begun"), (net / "south/ledger.db", before, "is a copy from before"):
            whole = path.read_bytes()
            path.unlink() if other is None else path.write_bytes(other)
            files = {one: one.read_bytes() for one in (net / "south").iterdir() if one.is_file() and one.name[-4:] not in ("-wal", "-shm")}
            said = doctor("south")
            assert re.search(f"^FAIL start .*{says}", said, re.M), said
            assert all(one.read_bytes() == was for one, was in files.items()), "the doctor wrote"
            if other is not None:
                north = alone("north")
                assert "FAIL newest     north has seen a later ledger" in doctor("south")
                end(north)
            code, _, err = run(["peer", "net/south"], folder)
            assert code == 2 and says in err, err
            path.write_bytes(whole)


def how_a_peer_ends():
    """The exit codes of docs/peer.md that a peer has before its result."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        expect(["net", "init", "study.yaml", "--names", NAMES, "--port", str(free_ports(3)), "-o", "net"], folder)
        own = pathlib.Path(folder, "net/north")
        settings = json.loads((own / "peer.json").read_text(encoding="utf-8"))
        budget = (own / "budget.yaml").read_text(encoding="utf-8")
        assert "FAIL data" in run(["net", "doctor", "net/north"], folder)[1]
        assert run(["peer", "net/north"], folder)[0] == 3
        (own / "data.csv").write_text("age\n30\n", encoding="utf-8")
        (own / "budget.yaml").write_text(re.sub("^peer: .*$", "peer: 0.1", budget, flags=re.M), encoding="utf-8")
        code, _, err = run(["peer", "net/north"], folder)
        assert code == 1 and "budget" in err, err
        (own / "budget.yaml").write_text(budget, encoding="utf-8")
        (own / "peer.json").write_text(json.dumps(settings | {"patience": 1}), encoding="utf-8")
        for _ in range(2):  # nothing is given up: it may be started again
            code, _, err = run(["peer", "net/north"], folder)
            assert code == 3 and "start it again to continue" in err, err
        assert not (own / "result.json").exists()


def free_ports(count):
    """A range of ports that nobody listens on just now: none that tests/peer takes, nor one that the system hands out."""
    for first in range(28000 + os.getpid() % 1000 * count, 32000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise AssertionError("no ports")


def await_done(folder):
    """Until all three have their result; one that died before is not waited for. It may end between two looks at it."""
    still = 0
    while (status := expect(["net", "status", "net"], folder)).count(" done ") < 3:
        still = still + 1 if " stopped " in status else 0
        if still > 20:
            raise AssertionError(status + "".join(log.read_text(encoding="utf-8")[-600:] for log in pathlib.Path(folder, "net").glob("*/peer.log")))
        time.sleep(0.05)


def they_run_on_one_machine():
    """Up, stopped in the middle and up again, done; what was spent is in the ledger; a second time there is no room."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_bytes(STUDY)
        expect(["net", "init", "study.yaml", "--names", NAMES, "--port", str(free_ports(3)), "-o", "net"], folder)
        for number, member in enumerate(NAMES.split(",")):
            pathlib.Path(folder, "net", member, "data.csv").write_text(f"age\n{30 + number}\n", encoding="utf-8")
        try:
            assert expect(["net", "up", "net"], folder).count("started") == 3
            expect(["net", "down", "net"], folder)
            assert "running" not in expect(["net", "status", "net"], folder)
            assert expect(["net", "up", "net"], folder).count("started") == 3
            await_done(folder)
            results = [json.loads(pathlib.Path(folder, "net", member, "result.json").read_text(encoding="utf-8"))["estimate"]
                       for member in NAMES.split(",")]
            assert max(results) == min(results) or max(max(one) for one in results) - min(min(one) for one in results) < 1e-6, results
        finally:
            run(["net", "down", "net"], folder)
        # Started again after its end: it waits for the others as long as linger says, and ends well; its file of metrics stays.
        settle = pathlib.Path(folder, "net/north/peer.json")
        settle.write_text(json.dumps(json.loads(settle.read_text(encoding="utf-8")) | {"linger": 1, "metrics": "metrics.prom"}), encoding="utf-8")
        code, _, err = run(["peer", "net/north"], folder)
        assert code == 0 and "event=left unfinished=" in err, err
        measures = pathlib.Path(folder, "net/north/metrics.prom").read_text(encoding="utf-8")
        assert "netdp_peer_finished 1" in measures and "netdp_peer_still_seconds" in measures, measures
        spent, budget = (float(re.search(rf'netdp_peer_{what}_epsilon{{observer="south"}} (.*)', measures)[1]) for what in ("spent", "budget"))
        assert 0.99 < spent / budget <= 1, "budget.yaml as made is full after one study"
        out = expect(["ledger", "show", "net/north"], folder)
        assert "1 of 1 contributions reserved, 1 frames stored" in out and re.search(r"^south +1 +1$", out, re.M), out
        content = json.loads(expect(["ledger", "show", "net/north", "--json"], folder))
        assert content["studies"][0]["title"] == "A mean of three" and content["ledger"]["rows"] >= 4, content
        expect(["ledger", "export", "net/north", "-o", "north.json"], folder)
        assert "The signature holds" in expect(["ledger", "verify", "north.json"], folder)
        assert "are what was written" in expect(["ledger", "verify", "net/north/ledger.db"], folder)
        err = expect(["ledger", "export", "net/north", "--key", "net/south/key"], folder, 2)
        assert "not that of the ledger's owner" in err, err


main([
    Case("net", 2, err="init"),
    Case("net upp", 2, err="must be doctor, down, init, invite, join, relay"),
    Case("ledger", 2, err="show"),
    Case("ledger sho", 2, err="must be export, show or verify"),
    Case("ledger show none", 3, err="none: cannot read"),
    Case("ledger verify none", 3, err="none"),
    Case("ledger export none.db", 2, err="--key: required"),
    Case("ledger verify study.yaml", 2, err="study.yaml", files=FILES),
    Case("ledger verify s.json", 2, err="statement", files={"s.json": b"{}"}),
    Case("ledger show study.yaml --delta 2", 2, err="--delta", files=FILES),
    Case("net init none.yaml -o net", 3, err="none.yaml"),
    Case("net init study.yaml", 2, err="-o DIR: required", files=FILES),
    Case("net init study.yaml -n 4 -o net", 2, err="-n: 4, but the study's graph has 3", files=FILES),
    Case("net init study.yaml --names a,b -o net", 2, err="2 names for a network of 3", files=FILES),
    Case("net init study.yaml --names a,b,b -o net", 2, err="twice", files=FILES),
    Case("net init study.yaml --names a,b,../c -o net", 2, err="letters", files=FILES),
    Case("net init study.yaml --coalition peer-1,nobody -o net", 2, err="--coalition", files=FILES),
    Case("net init study.yaml --coalition peer-1,peer-3 -o net", files=FILES, out="3 of 3 have joined"),
    Case("net init study.yaml --revealed 1 -o net", files=FILES, out="epsilon"),
    Case("net init study.yaml --attempts 0 -o net", 2, err="attempts", files=FILES),
    Case("net init study.yaml --port 0 -o net", 2, err="--port", files=FILES),
    Case("net init study.yaml --test 1 --invite -o net", 2, err="--invite", files=FILES),
    Case("net init study.yaml --set privacy.pair_noise=auto -o net", 2, err="pair_noise", files=FILES),
    Case("net init study.yaml --set protocol.kind=walk -o net", 2, err="walk|averaging", files=FILES),
    Case(["net", "init", f"{SOURCE}/experiments/meters-on-davis.yaml", "-o", "net"], 2, err="--variant: required"),
    Case(["net", "init", f"{SOURCE}/experiments/meters-on-davis.yaml", "--variant", "gossip with pairs", "--deal", "-o", "net"],
         out="32 of 32 have joined"),
    Case("net init study.yaml --invite --relay here -o net", 2, err="--relay", files=FILES),
    Case("net init study.yaml --relay 127.0.0.1:7399 -o net", 2, err="--invite", files=FILES),
    Case("net relay", 2, err="HOST:PORT"),
    Case("net relay here", 2, err="give HOST:PORT"),
    Case("net relay 192.0.2.1:7399", 3, err="192.0.2.1:7399"),
    Case("net relay 127.0.0.1:0 --connections 1", 2, err="--connections"),
    Case("net up none", 3, err="none/package"),
    Case("net doctor none", 3, err="none"),
    Case("net join none -o x", 3, err="none"),
    Case("net join study.yaml -o x", 2, err="not JSON", files=FILES),
    Case("net invite none", 2, err="either NAME"),
], [member_folders_are_whole, one_at_a_time, the_next_study_keeps_what_the_owner_set, who_can_only_dial_meets_at_a_relay, the_doctor_says_what_is_wrong, the_doctor_refuses_what_the_peer_refuses, how_a_peer_ends, they_run_on_one_machine])
