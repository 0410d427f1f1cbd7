#!/usr/bin/env python3
"""Gossip between torch processes (torch.distributed, gloo): clip, noise, K rounds of mixing, and the account of what was sent.

    python3 gossip_ddp.py            # four processes on this machine

Into a loop of your own go three lines:

    gossip = Gossip("ring 4", step=0.2, clip=1.0, noise=found.noise, **SETTINGS)
    for phase in range(PHASES):
        model = gossip.phase(model, gradient_of(model))

The account is `netdp.losses(protocol="muffliato-sgd")` of the same settings: what every node learns about every other node's whole
data, which is replaced. Noise is of doubles from the system's random source, as an experiment has it; what leaves a real machine needs
noise that is sampled exactly and rounded (`netdp peer`, or `netdp.Mechanism` where nobody is trusted at all). Needs torch with gloo.
"""
import os
import tempfile

import netdp
import numpy as np
import torch
import torch.distributed as dist

NODES, PHASES, INNER = 4, 6, 3
GRAPH = f"ring {NODES}"
SETTINGS = dict(rounds=PHASES * INNER, inner=INNER, dither=0.1, end_dither=0.2)


def system_noise(node, round_, slot, width):
    """Standard normals of this process alone."""
    return np.random.default_rng().standard_normal(width)


def seeded_noise(seed):
    """The draws of netdp.simulate: whoever has the seed can remove the noise. For tests."""
    def draw(node, round_, slot, width):
        purpose = netdp.lib.NETDP_FOR_END_DITHER if slot else netdp.lib.NETDP_FOR_NOISE
        stream = netdp.ffi.new("netdp_stream *", netdp.lib.netdp_stream_at(seed, purpose, node, round_))
        made = np.empty(width)
        netdp.lib.netdp_stream_normals(stream, netdp.ffi.from_buffer("double[]", made, require_writable=True), width)
        return made
    return draw


class Gossip:
    """One process of the group: its rank is its node. `noise` as in netdp.losses; a gradient's noise is 2 clip times that."""

    def __init__(self, graph, *, step, clip, noise, rounds, inner, dither=0.0, end_dither=0.0, draw=system_noise):
        self.weights = netdp.mixing(graph).to_numpy()[dist.get_rank()]
        self.step, self.clip, self.deviation = step, clip, step * noise * 2 * clip
        self.rounds, self.inner, self.dither, self.end_dither = rounds, inner, dither, end_dither
        self.draw, self.round = draw, 0

    def _noise(self, slot, scale, width):
        return torch.from_numpy(self.draw(dist.get_rank(), self.round, slot, width)) * (scale * self.deviation)

    def _mixed(self, message):
        """Sends to neighbours only, and takes their mean by the mixing matrix's weights."""
        me, others = dist.get_rank(), np.flatnonzero(self.weights)
        got = {int(v): message if v == me else torch.empty_like(message) for v in others}
        waiting = [work for v in others if v != me for work in (dist.isend(message, int(v)), dist.irecv(got[int(v)], int(v)))]
        for work in waiting:
            work.wait()
        return sum(self.weights[v] * got[v] for v in sorted(got))

    def phase(self, model, gradient):
        """A clipped, noisy step, and `inner` rounds; the model is a flat tensor of doubles."""
        if self.round >= self.rounds:
            raise RuntimeError(f"the account is of {self.rounds} rounds, and they are over")
        gradient = gradient * min(1.0, self.clip / max(float(gradient.norm()), 1e-300))
        for k in range(self.inner):
            message = model - self.step * gradient if k == 0 else model
            scale = 1.0 if k == 0 else self.dither
            if scale:
                message = message + self._noise(0, scale, len(model))
            model = self._mixed(message.contiguous())
            if k == self.inner - 1 and self.end_dither:
                model = model + self._noise(1, self.end_dither, len(model))
            self.round += 1
        return model


def target(node, width=5):
    """The data of a node."""
    return torch.full((width,), node / NODES, dtype=torch.float64)


def work(rank, meeting, folder, noise, seed):
    """One process: learns, and writes its model."""
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=NODES)
    gossip = Gossip(GRAPH, step=0.2, clip=1.0, noise=noise, draw=system_noise if seed is None else seeded_noise(seed), **SETTINGS)
    model = torch.zeros(5, dtype=torch.float64)
    for _ in range(PHASES):
        model = gossip.phase(model, model - target(rank))
    np.save(os.path.join(folder, f"{rank}.npy"), model.numpy())
    dist.destroy_process_group()


def run(noise, seed=None):
    """Models [nodes][parameters] of four processes."""
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, args=(os.path.join(folder, "meeting"), folder, noise, seed), nprocs=NODES)
        return np.stack([np.load(os.path.join(folder, f"{rank}.npy")) for rank in range(NODES)])


if __name__ == "__main__":
    found = netdp.calibrate(GRAPH, protocol="muffliato-sgd", target=2, as_="dp:1e-5", over="mean", **SETTINGS)
    print(run(found.noise).round(3))
    print(netdp.losses(GRAPH, protocol="muffliato-sgd", noise=found.noise, as_="dp:1e-5", **SETTINGS))
