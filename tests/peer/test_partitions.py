#!/usr/bin/python3
"""The network falls into two parts in mid-study and comes together again, over and over: links are cut, or carry nothing for a
while and then go on or break. Every link goes through a relay of this test. Each peer says whose link or whose message it waits
for, in its log and its metrics, and tells it to nobody else; in test mode the results are the simulator's to the last bit, with real
noise nothing is spent twice, sent with other bytes or lost. NETDP_PARTITIONS of them, 12 unless told."""
import asyncio
import json
import os
import random
import sqlite3
import threading
import time

from peers import Peers
from transcripts import frames, number_of

ROUNDS = 300
STUDY = f"""title: Peers that are cut off
seed: 1
graph: {{family: ring 6}}
mixing: {{weights: metropolis}}
data: {{source: meters, per_node: even, columns: [{{name: h19}}]}}
task: {{kind: mean, bounds: [0, 5]}}
protocol: {{kind: averaging, rounds: {ROUNDS}}}
privacy: {{epsilon: 4, delta: 1e-6, over: worst, dither: %g, pair_graph: edges, pair_noise: 4}}
"""


class Relay:
    """One link: what it hears it passes on a little later. Cut: it breaks and nobody answers; silent: nothing is passed on."""

    def __init__(self, loop, target):
        self.loop, self.target, self.open, self.server = loop, target, set(), None
        self.passing = asyncio.Event()
        self.passing.set()

    async def listen(self, port):  # none that the system hands out: while a link is cut it would be another's
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", port)
        self.port = port

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await asyncio.sleep(0.003)
                await self.passing.wait()
                writer.write(data)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        writer.close()

    async def serve(self, reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except ConnectionError:
            writer.transport.abort()
            return
        ends = {writer.transport, back.transport}
        self.open |= ends
        await asyncio.gather(self.pump(reader, back), self.pump(there, writer))
        self.open -= ends

    def sever(self):
        for end in self.open:
            end.abort()

    async def cut(self, kind):
        if kind == "silent":
            self.passing.clear()
            return
        self.server.close()
        self.sever()

    async def heal(self, kind, breaks):
        if kind == "silent":
            if breaks:
                self.sever()
            self.passing.set()
        else:
            await self.listen(self.port)


def divide(net, chance):
    """Both sides of a partition: two runs of the ring."""
    first, length = chance.randrange(net.count), chance.randrange(1, net.count - 1)
    side = {(first + k) % net.count for k in range(length)}
    return [edge for edge in net.relay if (edge[0] in side) != (edge[1] in side)]


def waits(net, kind, edges):
    """Does some peer beside the cut say so, in its log and its metrics?"""
    words = [("connection", "a connection to")]
    words = words if kind == "cut" else [("message", "the message of"), *words]  # one that says nothing for long is given up
    for edge in edges:
        for one, other in (edge, edge[::-1]):
            path = net.of(one) / "metrics"
            metrics = path.read_text() if path.exists() else ""
            if any(f'event=waiting for="{says} meter-{other}"' in net.log(one)
                   and f'netdp_peer_waiting{{for="{word}",member="meter-{other}"}} 1' in metrics for word, says in words):
                return True
    return False


def run(study, seed, wanted, chance):
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    def do(work):
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    async def relay(target, port):
        made = Relay(loop, target)
        await made.listen(port)
        return made

    with Peers(study, noise=1, seed=seed) as net:
        net.relay, done, kinds = {}, 0, ["cut", "silent"]
        for one in range(net.count):
            dial = json.loads((net.of(one) / "peer.json").read_text())["dial"]
            for name in dial:
                other = int(name.rpartition("-")[2])
                net.relay[one, other] = do(relay(net.first + other, net.first + net.count + len(net.relay)))
                dial[name] = f"127.0.0.1:{net.relay[one, other].port}"
            net.settle(one, dial=dial, transcript="transcript", metrics="metrics")
            net.start(one)
        while any("event=contributed" not in net.log(one) for one in range(net.count)):
            time.sleep(0.02)
        while done < wanted and not any("event=finished" in net.log(one) for one in range(net.count)):
            kind, edges = kinds[done % 2], divide(net, chance)
            for edge in edges:
                do(net.relay[edge].cut(kind))
            if done < 2:  # the first of each kind lasts until it is seen
                while not waits(net, kind, edges):
                    assert all(process.poll() is None for process in net.running.values()), [net.log(one)[-500:] for one in range(net.count)]
                    time.sleep(0.05)
            else:
                time.sleep(chance.uniform(0.01, 0.3))
            for edge in edges:
                do(net.relay[edge].heal(kind, chance.random() < 0.5))
            done += 1
            time.sleep(chance.uniform(0.01, 0.1))
        net.wait()
        assert done >= 2
        if seed is not None:
            assert net.states() == net.expected()
            return done
        sent, first = {}, []
        for one in range(net.count):
            for place, frame in frames(net.of(one) / "transcript"):
                assert sent.setdefault(place, frame) == frame, f"{place}: sent with other bytes"
            with sqlite3.connect(f"file:{net.of(one)}/ledger.db?mode=ro", uri=True) as ledger:
                rows = dict(ledger.execute("select kind, count(*) from entry group by kind"))
            assert (rows["reserved"], rows["contribution"], rows["settled"]) == (1, 1, 1), rows
            first.append(number_of(sent[one, 0]))
        assert abs(sum(state[0] for state in net.states()) - sum(first)) < 1e-9, "a contribution is lost, or counted twice"
        return done


total, runs, goal = 0, 0, int(os.environ.get("NETDP_PARTITIONS", "12"))
dice = random.Random(int(os.environ.get("NETDP_PARTITIONS_SEED", "1")))
while total < goal:
    total += run(STUDY % (0.02 if runs % 2 == 0 else 0), 7 if runs % 2 == 0 else None, max(2, min(goal // 2, 10)), dice)
    runs += 1
print(f"{total} partitions in {runs} studies: every wait has its reason, 0 bits differ, 0 double spends, 0 lost contributions")
