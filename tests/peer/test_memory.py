#!/usr/bin/python3
"""What a peer holds in memory, of 17 who all have links to one another, a thousand numbers each: less than 8 MiB of its own
(with the libraries' pages that the kernel maps for it, more on one machine than on another, 12 to 16 MiB: printed). Its values
and its keys lie in pages that never go to swap or into a core file, and there is no core file. A study of many rounds holds no
more: NETDP_MEMORY_ROUNDS rounds of three peers, 1,500 unless told, whose frames would be 12 MB."""
import os
import pathlib
import random
import re
import resource
import signal
import struct
import subprocess
import time

from peers import Peers

WIDTH = 1000
STUDY = f"""title: Memory
seed: 1
graph: {{family: complete 17}}
mixing: {{weights: metropolis}}
data: {{csv: all.csv, per_node: one, columns: [{", ".join("{name: c%d}" % j for j in range(WIDTH))}]}}
task: {{kind: mean, bounds: [0, 1]}}
protocol: {{kind: averaging, rounds: 100}}
privacy: {{epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: 4}}
"""
CHANCE = random.Random(9)
VALUES = [[CHANCE.random() for _ in range(WIDTH)] for _ in range(17)]


def text(rows):
    return ",".join(f"c{j}" for j in range(WIDTH)) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows)


def mappings(process):
    """First and last address, whether it is locked, whether core files leave it out, its name."""
    with open(f"/proc/{process.pid}/smaps", encoding="ascii") as lines:
        for line in lines:
            begins = re.match(r"([0-9a-f]+)-([0-9a-f]+) (r?)\S+ \S+ \S+ \S+ *(.*)", line)
            if begins:
                at = begins
            if line.startswith("VmFlags") and at[3]:
                yield int(at[1], 16), int(at[2], 16), " lo" in line, " dd" in line, at[4]


def places(process, planted):
    """Where any of these bytes lie."""
    with open(f"/proc/{process.pid}/mem", "rb", 0) as memory:
        for first, last, locked, left_out, name in mappings(process):
            try:
                memory.seek(first)
                held = memory.read(last - first)
            except (OSError, ValueError, OverflowError):
                continue
            for one in planted:
                if one in held:
                    yield name, locked, left_out


def may_look(process):
    """Nobody but root looks into a process that leaves no core file, and root not in every container."""
    try:
        with open(f"/proc/{process.pid}/mem", "rb", 0), open(f"/proc/{process.pid}/smaps", "rb", 0):
            return True
    except PermissionError:
        print("skipped: where values and keys lie (its memory may not be read here)")
        return False


def resident(process):
    """kB that are the process's own, and all."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        found = dict(re.findall(r"(RssAnon|VmRSS):\s+(\d+) kB", status.read()))
    return int(found.get("RssAnon", 0)), int(found.get("VmRSS", 0))


def dumps(words, where):
    """Does this command, once it has said a line, leave a core file where a signal asks for one?"""
    child = subprocess.Popen(words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2),
                             cwd=where, stderr=subprocess.PIPE)
    child.stderr.readline()
    child.send_signal(signal.SIGQUIT)
    return os.WCOREDUMP(os.waitpid(child.pid, 0)[1])


def most_held(net, peer):
    """kB of its own and all, from the account's end to the study's; what it writes at the end is not held while it runs."""
    own, most = 0, 0
    while peer.poll() is None and "event=finished" not in net.log(0):
        now = resident(peer)
        own, most = max(own, now[0]), max(most, now[1])
        time.sleep(0.02)
    return own, most


sanitized = b"__asan_init" in pathlib.Path(os.environ["NETDP_COMMAND"]).read_bytes()
with Peers(STUDY, noise=2, files={"all.csv": lambda path: path.write_text(text(VALUES))}) as net:
    for one in range(net.count):
        (net.of(one) / "values.csv").write_text(text([VALUES[one]]))
    peer = net.start(0)
    while "event=started" not in net.log(0):
        time.sleep(0.02)
    secret = next(net.of(0).glob("pair-key-*-0-0")).read_bytes()[:32]
    key = bytes.fromhex((net.of(0) / "key").read_text().split()[-1])
    if not sanitized and may_look(peer):
        numbers = struct.pack("<4d", *VALUES[0][500:504])
        lying = {what: list(places(peer, planted)) for what, planted in
                 {"values": [numbers], "their text": [repr(value).encode()[2:] for value in VALUES[0][:40]], "pair key": [secret],
                  "key": [key]}.items()}
        print(lying)
        room = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
        little = room != resource.RLIM_INFINITY and room < 8 << 20  # less than the unit of net init gives it
        assert lying["values"] and lying["pair key"] and lying["key"], "looked in the wrong place"
        for what, found in lying.items():
            assert all((locked or little) and left_out for _, locked, left_out in found), (what, found)
    peer.kill()  # looking has brought all of it into memory
    peer.wait()
    for one in range(net.count):
        net.start(one)
    while net.log(0).count("event=started") < 2:
        time.sleep(0.02)
    own, most = most_held(net, net.running[0])
    net.wait()
    assert sanitized or 0 < own < 8 * 1024, f"{own} kB"
    net.start(0)
    net.running[0].kill()
    if dumps(["sh", "-c", "echo >&2; exec sleep 60"], net.folder):  # else nothing here leaves any
        print("cores are left here")
        assert not dumps([os.environ["NETDP_COMMAND"], "peer", net.of(1)], net.folder), "a core file"
    print(f"{own / 1024:.1f} MiB of its own, {most / 1024:.1f} MiB resident at most")

ROUNDS = int(os.environ.get("NETDP_MEMORY_ROUNDS", "1500"))
with Peers(STUDY.replace("complete 17", "complete 3").replace("rounds: 100", f"rounds: {ROUNDS}"), noise=2,
           files={"all.csv": lambda path: path.write_text(text(VALUES[:3]))}) as net:
    for one in range(net.count):
        (net.of(one) / "values.csv").write_text(text([VALUES[one]]))
        net.start(one)
    while "event=started" not in net.log(0):
        time.sleep(0.02)
    own, most = most_held(net, net.running[0])
    net.wait()
    assert sanitized or 0 < own < 8 * 1024, f"{own} kB in {ROUNDS} rounds"
    print(f"{ROUNDS} rounds: {own / 1024:.1f} MiB of its own, {most / 1024:.1f} MiB resident at most")
