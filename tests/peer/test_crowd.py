#!/usr/bin/python3
"""Strangers that connect and say nothing, thousands a second, do not shut out a neighbour whose bytes take 50 ms each way; nor does somebody
elsewhere who has read that neighbour's knock from the line and repeats it hundreds of times a second; nor do strangers where the system
allows few open files."""
import asyncio
import collections
import json
import os
import resource
import socket
import threading
import time

from peers import Peers
from liar import STUDY, Liar, knock

RATE, KNOCKS, DELAY = 5000, 500, 0.05


async def carry(reader, writer):
    """Bytes as they come, each DELAY later."""
    late = asyncio.Queue()

    async def deliver():
        while True:
            due, some = await late.get()
            await asyncio.sleep(max(0, due - time.monotonic()))
            if not some:
                writer.close()
                return
            writer.write(some)

    delivering = asyncio.create_task(deliver())
    try:
        while some := await reader.read(65536):
            late.put_nowait((time.monotonic() + DELAY, some))
    except OSError:
        pass
    late.put_nowait((time.monotonic() + DELAY, b""))
    await delivering


def far_away(port, listener):
    async def serve(reader, writer):
        try:
            there, here = await asyncio.open_connection("127.0.0.1", listener)
        except OSError:
            writer.close()
            return
        await asyncio.gather(carry(reader, here), carry(there, writer))

    async def main():
        async with await asyncio.start_server(serve, "127.0.0.1", port) as server:
            await server.serve_forever()

    threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()


def crowd(port, over, made, rate, said):
    waiting, begun = collections.deque(), time.monotonic()
    while not over.is_set():
        while made[0] < rate * (time.monotonic() - begun):
            one = socket.socket()
            if said:
                one.bind(("127.0.0.2", 0))
                one.settimeout(1)
                try:
                    one.connect(("127.0.0.1", port))
                    one.sendall(said)
                except OSError:
                    pass
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
            waiting.append(one)
            made[0] += 1
            if len(waiting) > 300:
                waiting.popleft().close()
        time.sleep(0.001)


def seconds_until_up(rate, repeats, files=None):
    """Of member 0's link to member 1, which so many connect to in a second, and which may have so many files open."""
    with Peers(STUDY, noise=1) as net:
        far_away(net.first + 100, net.first + 1)
        dial = json.loads((net.of(0) / "peer.json").read_text())["dial"]
        net.settle(0, dial=dial | {"meter-1": f"127.0.0.1:{net.first + 100}"})
        over, made = threading.Event(), [0]
        with Liar(net, 0) as member:
            said = knock(member.seed, member.public(1), 0, 1) if repeats else b""
        net.before = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
        for one in (1, 2, 3):
            net.start(one)
        net.before = None
        while "event=link-up" not in net.log(1):
            time.sleep(0.02)
        strangers = threading.Thread(target=crowd, args=(net.first + 1, over, made, rate, said))
        strangers.start()
        try:
            time.sleep(0.5)
            begun = time.monotonic()
            net.start(0)
            while "event=link-up member=meter-0" not in net.log(1):
                assert net.running[0].poll() is None and net.running[1].poll() is None, net.log(1)[-2000:]
                if files:
                    assert len(os.listdir(f"/proc/{net.running[1].pid}/fd")) < files, "it is shut out"
                time.sleep(0.01)
            up = time.monotonic() - begun
            net.wait()
        finally:
            over.set()
            strangers.join()
        assert net.log(1).count("event=refused") < 1500
    return made[0], up


made, up = seconds_until_up(RATE, False)
again, late = seconds_until_up(KNOCKS, True)
seconds_until_up(100, False, 64)
print(f"{made} strangers; the neighbour's link was up after {up:.2f} s, and beside {again} repeated knocks after {late:.2f} s")
