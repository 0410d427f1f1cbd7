"""Network differential privacy: what does each node learn about each other node?

Three tiers. First, one call that answers: `losses`, `calibrate`. Then the parts that they are made of: `graph`, `mixing`.
Last, everything else that C has, as C has it: `netdp.lib` and `netdp.ffi`, with the names of the public headers.
"""
from netdp._call import (Error, Interrupted, Invalid, NoAnswer, OutOfMemory, Unavailable, ffi, lib, text_of)
from netdp._losses import Calibration, Losses, calibrate, losses
from netdp._network import Graph, Mixing, graph, mixing

__version__: str = text_of(lib.netdp_version()) or ""

__all__ = ["Calibration", "Error", "Graph", "Interrupted", "Invalid", "Losses", "Mixing", "NoAnswer", "OutOfMemory",
           "Unavailable", "calibrate", "ffi", "graph", "lib", "losses", "mixing"]
