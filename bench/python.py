#!/usr/bin/python3
"""netdp for Python against C in one process, as JSON; times are the processor's, medians of turns taken by each.

    PYTHONPATH=build/python/package OMP_NUM_THREADS=1 bench/python.py
"""
import json
import statistics
import time

import netdp
import numpy as np
import scipy.sparse
from netdp import ffi, lib

TURNS = 41


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def mixing_from_csr():
    """10^5 nodes, 3 10^5 edges: a ring, so that it is connected, and chords."""
    random, nodes = np.random.default_rng(1), 100000
    ends = np.concatenate([np.stack([np.arange(nodes), (np.arange(nodes) + 1) % nodes]),
                           random.integers(0, nodes, (2, 2 * nodes))], axis=1)
    ends = ends[:, ends[0] != ends[1]]
    half = scipy.sparse.coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(nodes, nodes))
    given = (half + half.T).tocsr()
    return {"edges": given.nnz // 2, "seconds": statistics.median(seconds(lambda: netdp.mixing(given)) for _ in range(TURNS))}


def by_c(rounds):
    """What netdp.losses("davis", rounds=..., noise=2, as_="dp:1e-6") asks of C, and nothing else."""
    error, graph, mixing, losses = (ffi.new(kind) for kind in (
        "netdp_error *", "netdp_graph **", "netdp_mixing **", "netdp_losses **"))
    value, summary = ffi.new("double[]", 32 * 32), ffi.new("netdp_summary *")
    steps = [lambda: lib.netdp_graph_make(b"davis", 1, True, graph, ffi.NULL, error),
             lambda: lib.netdp_mixing_new(graph[0], b"metropolis", mixing, error)]
    for step in steps:
        assert step() == lib.NETDP_OK
    protocol = ffi.new("netdp_linear *", {"mixing": mixing[0], "rounds": rounds, "noise": {"dither": 0.01}})
    request = ffi.new("netdp_loss_request *", {"protocol": protocol})
    assert lib.netdp_losses_new(request, ffi.NULL, losses, error) == lib.NETDP_OK
    unit = ffi.new("netdp_unit *", {"currency": lib.NETDP_AS_DP, "parameter": 1e-6})
    assert lib.netdp_losses_values(losses[0], 2.0, unit[0], ffi.NULL, value, summary, error) == lib.NETDP_OK
    lib.netdp_losses_free(losses[0])
    lib.netdp_mixing_free(mixing[0])
    lib.netdp_graph_free(graph[0])
    return summary.mean


def losses_of_davis(rounds):
    def by_python():
        return netdp.losses("davis", rounds=rounds, noise=2, as_="dp:1e-6").mean

    assert by_python() == by_c(rounds)
    times = [(seconds(lambda: by_c(rounds)), seconds(by_python)) for _ in range(TURNS)]
    c, python = (statistics.median(one) for one in zip(*times))
    return {"rounds": rounds, "c": c, "python": python, "above": statistics.median(b - a for a, b in times)}


def all_pairs():
    """2,048 nodes by the published bound: is the array that NumPy has C's own memory?"""
    view, addresses = netdp._losses._view, []

    def seen(pointer, *more):
        addresses.append(int(ffi.cast("uintptr_t", pointer)))
        return view(pointer, *more)

    netdp._losses._view = seen
    start = time.process_time()
    made = netdp.losses("hypercube 11", rounds=11, bound="published")
    taken = time.process_time() - start
    netdp._losses._view = view
    return {"pairs": made.pairs, "bytes": made.losses.nbytes, "seconds": taken,
            "same_memory": made.losses.ctypes.data == addresses[0]}


if __name__ == "__main__":
    print(json.dumps({"mixing_from_csr": mixing_from_csr(), "losses_of_davis": [losses_of_davis(3), losses_of_davis(20)],
                      "all_pairs": all_pairs()}, indent=1))
