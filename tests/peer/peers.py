"""Peers of a test on the loopback: their folders, their processes, their results."""
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time

NETDP, NETWORK = os.environ["NETDP_COMMAND"], os.environ["NETDP_NETWORK"]

METERS = """title: Evening consumption, between 32 peers
seed: 1
graph: {family: davis}
mixing: {weights: metropolis}
data: {source: meters, per_node: one, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5], unit: kWh}
protocol: {kind: averaging, rounds: 50}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: 20}
"""


def free_ports():
    """The first of 159 ports that nobody listens at now, below those that the system hands out; and a socket that keeps other
    tests out of them for as long as it is open."""
    for first in range(12000 + os.getpid() % 97 * 160, 32000, 160):
        guard, held = socket.socket(), []
        try:
            guard.bind(("127.0.0.1", first + 159))
            for port in range(first, first + 159):
                held.append(socket.socket())
                held[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                held[-1].bind(("127.0.0.1", port))
            return first, guard
        except OSError:
            guard.close()
        finally:
            for one in held:
                one.close()
    raise OSError("no free ports")


class Peers:
    def __init__(self, study, noise, seed=None, files=None, rows=None):
        self.keep = tempfile.TemporaryDirectory(prefix="netdp-peers-")
        self.folder = pathlib.Path(self.keep.name)
        self.study = self.folder / "study.yaml"
        self.study.write_text(study)
        for name, write in (files or {}).items():  # what the study names
            write(self.folder / name)
        self.noise, self.seed = noise, seed
        made = subprocess.run([NETWORK, "make", self.study, self.folder / "net", "0", str(noise)] + ([str(seed)] if seed is not None else []),
                              check=False, capture_output=True, text=True, env=os.environ | ({"ROWS": rows} if rows else {}))
        assert made.returncode == 0, made.stderr
        self.count = int(made.stdout)
        self.first, self.guard = free_ports()
        for one in range(self.count):  # the ports are chosen last
            path = self.of(one) / "peer.json"
            text = json.loads(path.read_text())
            text["listen"] = f"127.0.0.1:{self.first + one}"
            text["dial"] = {name: f"127.0.0.1:{self.first + int(name.rpartition('-')[2])}" for name in text["dial"]}
            path.write_text(json.dumps(text))
        self.running, self.before = {}, None  # what a process does before it is netdp

    def of(self, one):
        return self.folder / "net" / str(one)

    def settle(self, one, **keys):
        path = self.of(one) / "peer.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | keys))

    def start(self, one):
        with open(self.of(one) / "log", "ab") as log:
            self.running[one] = subprocess.Popen([NETDP, "peer", self.of(one)], stderr=log, stdout=log, stdin=subprocess.DEVNULL,
                                                 preexec_fn=self.before)
        return self.running[one]

    def wait(self):
        while any(process.poll() is None for process in self.running.values()):
            if any(process.poll() for process in self.running.values()):
                break  # the others would wait for it
            time.sleep(0.02)
        for process in self.running.values():
            if process.poll() != 0:
                raise AssertionError("\n".join(f"peer {other}: {self.running[other].poll()}\n" + self.log(other)[-1500:]
                                               for other in self.running))

    def stop(self):
        for process in self.running.values():
            if process.poll() is None:
                process.kill()
            process.wait()

    def log(self, one):
        return (self.of(one) / "log").read_text()

    def result(self, one):
        return json.loads((self.of(one) / "result.json").read_text())

    def prove(self, one):
        """What netdp-verify says of account.proof: of each observer, all others and an eavesdropper, an epsilon just below the printed one."""
        account = self.result(one)["account"]
        verify = pathlib.Path(__file__).parents[2] / "tools/verify/netdp-verify"
        done = subprocess.run([verify, self.of(one) / account["proof"]], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        said = [float(epsilon or "inf") for epsilon in re.findall(r"holds: loss <= \S+?(?:, epsilon <= (\S+) at delta \S+ \(noise \S+\))? \(proven", done.stdout)]
        printed = [entry["epsilon"] for entry in account["towards"]] + [account["everyone_else"], account["eavesdropper"]]
        assert len(said) == len(printed), (said, printed)
        for a, b in zip(said, printed):  # an epsilon of thousands is not claimed
            assert b * (1 - 1e-3) <= a <= b * (1 + 1e-12) or a == float("inf") and b > 3000, (said, printed)

    def states(self):
        return [self.result(one)["state"] for one in range(self.count)]

    def expected(self):
        said = subprocess.run([NETWORK, "expect", self.study, str(self.noise), str(self.seed)], check=True, capture_output=True, text=True)
        return [[float(number) for number in line.split()] for line in said.stdout.splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.stop()
        self.guard.close()
        self.keep.cleanup()
