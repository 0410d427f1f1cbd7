#!/usr/bin/python3
"""Started by systemd, a peer says when it is ready, that it lives, and what it waits for; a frozen one says nothing. A manager
who does not read, or none where one should be, holds nobody up."""
import os
import signal
import socket

from peers import METERS, Peers

with Peers(METERS.replace("family: davis", "family: ring 4").replace("per_node: one", "per_node: even"), noise=1.25, seed=7) as net, \
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
    manager.bind(str(net.folder / "notify"))
    os.environ["NOTIFY_SOCKET"] = str(net.folder / "notify")
    peer = net.start(0)
    del os.environ["NOTIFY_SOCKET"]

    def said():
        return dict(line.split("=", 1) for line in manager.recv(4096).decode().splitlines())

    first = said()
    assert first["READY"] == "1" and "event=started" in net.log(0), first
    second = said()
    assert second["WATCHDOG"] == "1", second
    while "waiting for " not in second["STATUS"]:
        second = said()
    assert second["STATUS"].startswith("round 0 of 50, waiting for a connection to meter-"), second
    peer.send_signal(signal.SIGSTOP)
    while open(f"/proc/{peer.pid}/stat", encoding="ascii").read().rpartition(")")[2].split()[0] != "T":
        pass
    manager.setblocking(False)
    try:
        while True:
            manager.recv(4096)
    except BlockingIOError:
        pass
    manager.settimeout(2)
    try:
        assert not said(), "a stopped peer spoke"
    except TimeoutError:
        pass
    manager.settimeout(None)
    peer.send_signal(signal.SIGCONT)
    assert said()["WATCHDOG"] == "1"
    for one in range(1, net.count):
        net.start(one)
    last = second
    while "STOPPING" not in last:
        last = said()
    net.wait()
    assert net.states() == net.expected()

STUDY = METERS.replace("family: davis", "family: ring 4").replace("per_node: one", "per_node: even")
for where in ("{}/deaf", "@netdp-deaf-{}", "{}/nobody", "{}", "/" + "long" * 99, "@", "words", ""):
    with Peers(STUDY, noise=1.25, seed=7) as net, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as deaf:
        where = where.format(net.folder if where[0:1] == "{" else os.getpid())
        if "deaf" in where:
            deaf.bind(where.replace("@", "\0"))
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:  # as much as it holds
                other.setblocking(False)
                try:
                    while True:
                        other.sendto(b"WATCHDOG=1", where.replace("@", "\0"))
                except BlockingIOError:
                    pass
        os.environ["NOTIFY_SOCKET"] = where
        for one in range(net.count):
            net.start(one)
        del os.environ["NOTIFY_SOCKET"]
        net.wait()
        assert net.states() == net.expected()
print("ready, alive, waiting for, stopping: systemd is told")
