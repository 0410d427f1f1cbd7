#!/usr/bin/python3
"""Peers that can all only dial meet at netdp net relay, which strangers crowd and which is killed in mid-study: the result is the
simulator's to the last bit, and with real noise the sum of what was sent. A link that is cut, by a limit on its bytes or by a peer's end,
is made again; nothing that the relay passes on can be read, and nobody but its two ends can cut a link there."""
import hashlib
import json
import re
import resource
import signal
import socket
import subprocess
import threading
import time

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from liar import curve_key
from peers import NETDP, Peers
from transcripts import frames, number_of

STUDY = """title: Peers that only dial
seed: 1
graph: {family: ring 5}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 1500}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: %g, pair_graph: edges, pair_noise: 4}
"""


class Relay:
    def __init__(self, port, *options, before=None):
        self.before, self.words, self.port = before, [NETDP, "net", "relay", f"127.0.0.1:{port}", *options], port
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stderr=subprocess.PIPE, text=True, preexec_fn=self.before)
        assert self.process.stderr.readline().startswith(f"event=started port={self.port} connections=")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.kill()  # nobody else ends it where a test failed
        self.process.wait()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        said = self.process.communicate()[1]
        assert self.process.returncode == (0 if number == signal.SIGTERM else -number), said
        return {key: int(value) for key, value in re.findall(r"([a-z-]+)=(\d+)", said)}


def knock(port, over, sent):
    """Silent, garbage, half a greeting, a link that is nobody's, and much before anybody is there."""
    said = [b"", b"GET / HTTP/1.0\r\n\r\n", b"netdp/r", b"netdp/r\1" + bytes(32), b"netdp/r\0" + b"x" * 32 + b"y" * 20000, b"netdp/r\2" + b"z" * 32]
    while not over.is_set():
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as stranger:
                stranger.sendall(said[sent[0] % len(said)])
            sent[0] += 1
        except OSError:
            pass
        over.wait(0.003)


def reach(net, port):
    for one in range(net.count):
        path = net.of(one) / "peer.json"
        text = json.loads(path.read_text())
        del text["listen"]
        text["dial"] = {f"meter-{(one + by) % net.count}": f"relay:127.0.0.1:{port}" for by in (-1, 1)}
        path.write_text(json.dumps(text))


def await_line(net, one, line, times=1):
    while net.log(one).count(line) < times:
        assert all(process.poll() in (None, 0) for process in net.running.values()), [net.log(one)[-500:] for one in net.running]
        time.sleep(0.01)


with Peers(STUDY % 0.02, noise=1, seed=7) as net, Relay(port := net.first + net.count, "--connections", "64") as relay:
    over, sent = threading.Event(), [0]
    reach(net, port)
    crowd = threading.Thread(target=knock, args=(port, over, sent))
    crowd.start()
    try:
        for one in range(net.count):
            net.start(one)
        await_line(net, 0, "event=contributed")
        relay.end(signal.SIGKILL)
        await_line(net, 0, "event=link-down")
        relay.start()
        net.wait()
    finally:
        over.set()
        crowd.join()
    counts = relay.end()
    assert net.states() == net.expected()
    assert counts["meetings"] >= net.count and counts["turned-away"] > 0 and sent[0] > 10, (counts, sent)



def name_of(net, digest, one, other, secret):
    """What names the link of two members: by what all know of them, as it was, or by the secret that they have in common."""
    roster = [bytes.fromhex(member["key"]) for member in json.loads((net.of(0) / "package" / "roster.json").read_text())["members"]]
    keys = roster[min(one, other)] + roster[max(one, other)]
    if not secret:
        return hashlib.blake2b(b"netdp relay\0" + digest + keys, digest_size=32).digest()
    mine = hashlib.sha512(bytes.fromhex((net.of(one) / "key").read_text().split("\n")[1])).digest()[:32]
    shared = X25519PrivateKey.from_private_bytes(mine).exchange(X25519PublicKey.from_public_bytes(curve_key(roster[other])))
    key = hashlib.blake2b(b"netdp knock 1\0", key=shared, digest_size=32).digest()
    return hashlib.blake2b(b"netdp relay 2\0" + digest + keys, key=key, digest_size=32).digest()


# Who has the package cannot come between two others; nor can who has the name of their link itself, once they have met.
with Peers(STUDY % 0.02, noise=1, seed=7) as net, Relay(port := net.first + net.count) as relay:
    reach(net, port)
    for one in range(net.count):
        net.start(one)
    doctor = subprocess.run([NETDP, "net", "doctor", net.of(0)], capture_output=True, text=True).stdout
    digest = bytes.fromhex(re.search(r"[0-9a-f]{64}", doctor)[0])
    await_line(net, 1, "event=link-up member=meter-2")
    cuts, held = 0, []
    while any(process.poll() is None for process in net.running.values()):
        for secret in (False, True):
            for side in (b"\0", b"\1"):
                try:
                    stranger = socket.create_connection(("127.0.0.1", port), 1)
                    stranger.sendall(b"netdp/r" + side + name_of(net, digest, 1, 2, secret))
                    held.append(stranger)
                    cuts += 1
                except OSError:
                    pass
        for stranger in held[:-2]:
            stranger.close()
        held = held[-2:]
        time.sleep(0.02)
    net.wait()
    for stranger in held:
        stranger.close()
    assert net.states() == net.expected() and cuts >= 4, cuts
    assert "event=link-down member=meter-2" not in net.log(1).partition("event=finished")[0], net.log(1)
    relay.end()

# Where few files may be open, strangers do not take all of them.
with Peers(STUDY % 0.02, noise=1, seed=7) as net:
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    with Relay(port := net.first + net.count, before=few):
        strangers = [socket.create_connection(("127.0.0.1", port), 60) for _ in range(100)]
        ends = [socket.create_connection(("127.0.0.1", port), 60) for _ in range(2)]
        for side, one in enumerate(ends):
            one.sendall(b"netdp/r" + bytes([side]) + b"q" * 32)
        ends[0].sendall(b"here")
        assert ends[1].recv(4) == b"here"
        for one in strangers + ends:
            one.close()

# A link's rounds are some 200,000 bytes.
with Peers(STUDY % 0, noise=1) as net, Relay(port := net.first + net.count, "--bytes", "60000") as relay:
    reach(net, port)
    for one in range(net.count):
        net.settle(one, transcript="transcript", patience=600)
        net.start(one)
    await_line(net, 1, "event=contributed")
    net.running[1].kill()
    net.running[1].wait()
    net.start(1)
    net.wait()
    counts = relay.end()
    first = [number_of(dict(frames(net.of(one) / "transcript"))[one, 0]) for one in range(net.count)]
    assert abs(sum(state[0] for state in net.states()) - sum(first)) < 1e-9, "a contribution is lost, or counted twice"
    assert counts["meetings"] > 2 * net.count, counts
print(f"{sent[0]} strangers, a killed relay, {counts['meetings']} meetings: every bit is there")
