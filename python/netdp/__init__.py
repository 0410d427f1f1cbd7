"""Network differential privacy: what does each node learn about each other node?

Three tiers. First, one call that answers: `losses`, `calibrate`, `run`, `predict`, `audit`, `audit_mechanism`, `claim`, `convert`.
Then the parts that they are made of: `graph`, `mixing`, `simulate`, `Study`, and `Mechanism`, noise for a loop of your own. Last, everything else that C has, as C has it: `netdp.lib` and `netdp.ffi`,
with the names of the public headers.
"""
try:
    import _cffi_backend as _cffi_backend  # noqa: F401  (the libraries that everything below needs, by their names)
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError as _missing:
    _packages = {"numpy": ("python3-numpy", "numpy"), "_cffi_backend": ("python3-cffi-backend", "cffi")}
    if _missing.name not in _packages:
        raise
    raise ImportError("netdp needs {1}, which this Python does not have: apt-get install {0}, or pip install {1}".format(
        *_packages[_missing.name])) from None

from netdp import events
from netdp._call import (Error, Interrupted, Invalid, NoAnswer, OutOfMemory, Unavailable, ffi, lib, text_of)
from netdp._losses import Calibration, Losses, calibrate, losses
from netdp._mechanism import Evidence, Mechanism, Spent, audit_mechanism
from netdp._model import predict
from netdp._more import Claim, Converted, claim, claims, convert
from netdp._network import Graph, Mixing, graph, mixing
from netdp._simulate import Simulation, simulate
from netdp._study import Audit, Result, Study, audit, run

__version__: str = text_of(lib.netdp_version()) or ""

__all__ = ["Audit", "Calibration", "Claim", "Converted", "Error", "Evidence", "Graph", "Interrupted", "Invalid", "Losses",
           "Mechanism", "Mixing", "NoAnswer", "OutOfMemory", "Result", "Simulation", "Spent", "Study", "Unavailable", "audit",
           "audit_mechanism", "calibrate", "claim", "claims", "convert", "events",
           "ffi", "graph", "lib", "losses", "mixing", "predict", "run", "simulate"]
