"""Types of the settings of a question, made from the program's table by tests/reference/check."""
from typing import Any, Literal, Sequence, TypedDict, Union


class Settings(TypedDict, total=False):
    #: variance of the values in units of Delta^2, for --rounds auto (default: 0.25)
    variance: float
    #: fresh noise on each later message, in units of the first noise; 0: every message counts as seen, local differential privacy (default: 0.01)
    dither: Union[float, Literal["auto"]]
    #: averaging: the dither of round t is TAU / t^P, P from 0 to 2 (default: 0)
    dither_decay: Union[float, Literal["auto"]]
    #: stream: rounds from one contribution to the next (default: 1)
    every: int
    #: stream: contributions that one node makes at most (default: none)
    at_most: Union[int, Literal["none"]]
    #: muffliato-sgd: gossip rounds of a phase (default: 1)
    inner: int
    #: muffliato-sgd: noise on every state at the end of a phase, in units of the first noise (default: 0.1)
    end_dither: Union[float, Literal["auto"]]
    #: Chebyshev gossip (averaging, muffliato-sgd) (default: False)
    accelerate: bool
    #: gossip, ring-sum: who shares noise that cancels in the sum; edges: neighbours do; also regular K and k-out K; FILE -: standard input (default: none)
    pair_graph: Union[str, Any]
    #: gossip, ring-sum: that noise, of each pair and contribution, in units of the first noise (default: 0)
    pair_noise: Union[float, Literal["auto"]]
    #: averaging: pairs differ in noise: KAPPA times the weight of each in the pair graph, a file of lines 'u v weight' (default: False)
    pair_weights: bool
    #: draws the pair graph, which is public (default: 1)
    pair_seed: int
    #: learning: cyclic participation: rows are partitioned into B batches, and a row is what is protected; it takes part in every B-th phase (default: in all phases)
    cycle: int
    #: learning: noise correlated over phases so that models err least (netdp design); also banded:B and blt:M; or by the covariance in FILE, a line a phase (default: fresh)
    quiet: Union[str, Any]
    #: what correlated noise is designed for: the mean model, or all models as gossip mixes them (default: sums)
    workload: Literal["sums", "gossip"]
    #: gossip: each node is away from a round with probability P, or each edge; late, of averaging: fails for good once its partners have added their halves; revealed: and they tell them; drawn with --seed before the run, and public (default: 0)
    dropout: Union[str, float]
    #: gossip: a graph of a random family is drawn again for every round, or for every phase of muffliato-sgd, with --seed, and public; one-peer: a hypercube, one neighbour a round (default: never)
    redraw: Literal["never", "round", "phase", "one-peer"]
    #: walk: where the token starts; observer: at each observer in turn (default: uniform)
    start: Union[str, Any]
    #: walk: moves before the first step, without contribution or noise (default: 0)
    burn_in: int
    #: walk: who knows where it goes; all but hidden are drawn before the run and public: by the law; tour: pass by pass over all nodes; also resting (a node that keeps the token rests) and non-backtracking (default: hidden)
    path: Literal["hidden", "public", "resting", "non-backtracking", "tour"]
    #: draws a path that is public (default: 1)
    path_seed: int
    #: walk: independent tokens, each with a model of its own (default: 1)
    tokens: int
    #: tokens: contributions of one node at most; above it adds noise (a walk: and takes the step of l2) (default: none)
    cap: Union[int, Literal["none"]]
    #: walk: every step multiplies the distance of two models by C at most: max(1 - step l2, step beta - 1) of learning with l2 (a study finds it itself) (default: none)
    contraction: float
    #: weighted-walk: the Gamma mechanism released the law; adds its cost, for half of delta (default: a public law)
    gamma: Union[str, Sequence[float]]
    #: sums by a token: gaussian, laplace or discrete-gaussian noise (default: gaussian)
    mechanism: Literal["gaussian", "laplace", "discrete-gaussian"]
    #: ring-sum: noise in every hop, once every n-1 hops, or spread over the nodes (default: once)
    schedule: Literal["every", "once", "spread"]
    #: discrete-gaussian: grid steps in one sensitivity (default: 1024)
    grid: int
    #: histograms: how many values there are (default: 2)
    levels: int
    #: histograms: a contribution is a uniform value with this probability (default: required)
    flip: float
    #: ring-histogram: least, erlingsson, feldman, clones, blanket or local (default: least)
    shuffle: str
    #: tokens: everyone sees the final model, sum or histogram (default: none)
    release: Literal["none", "final"]
    #: one pattern of contributions instead of the worst, with --bound lower or linear; also cos:OMEGA; FILE -: standard input (default: the worst)
    pattern: Union[str, Sequence[float]]
    #: gossip: all that a node holds, or one row of it (with --cycle always); noise is in units of what that can change (default: node)
    protects: Literal["node", "row"]
    #: rows: another row in its place, or it counts or does not (default: replace)
    change: Literal["replace", "add-remove"]
    #: learning: which rows take part in a phase: all; by turns, as --cycle B; each with probability Q, anew (--change add-remove) (default: full)
    batches: str
    #: rows that each node holds, which is public: a row of a larger node weighs less; FILE: one number a line (default: alike)
    rows: Union[str, Sequence[float]]
    #: what an observer sees: its neighbours' messages; only their (secure) sum; all messages (default: neighbours)
    sees: Literal["neighbours", "sum", "everything"]
    #: whether observers subtract the noise they drew themselves (default: known)
    own_noise: Literal["known", "counts"]
    #: gossip: what a proof may take: minutes, or whatever it takes; else all messages count as seen (default: auto)
    certify: Literal["auto", "yes", "no"]
