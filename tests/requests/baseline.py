"""What calls that are right look like, for every_field.py: the opaque things, every struct by its type, every argument by
its name, and what an argument is of one function alone. Structs and functions that are new are to be named here."""
import os
import tempfile


class Struct(dict):
    """A struct by its fields; `name` is its type. Fields that are not named are zeros."""

    def __init__(self, name, /, **fields):
        super().__init__(fields)
        self.name = name


S = Struct

# Functions that are not called: no call of theirs can be wrong, or it cannot be asked again in a process.
LEFT_OUT = {
    "netdp_audit_self_test": "takes a minute and has no request; test_evidence runs it",
    # What these compute with has been looked at before, and they have no status to say so.
    "netdp_gradient": "of what netdp_objective_check passes", "netdp_batch_gradient": "of what netdp_protection_check passes",
    "netdp_objective_value": "of what netdp_objective_check passes", "netdp_score": "of what netdp_objective_check passes",
    "netdp_score_models": "of what netdp_objective_check passes", "netdp_tally_energy": "of what netdp_tally_check passes",
    "netdp_stream_below": "asks for a bound of 1 or more", "netdp_stream_randomised_response": "asks for 2 levels or more",
}

# What answers nothing in an empty folder: its arguments are looked at all the same.
UNANSWERED = {"netdp_study_audit": "takes minutes", "netdp_figure_draw": "needs results", "netdp_report_write": "needs results",
              "netdp_result_text": "needs results", "netdp_study_run": "writes results"}

# Models and values that a step, noise or a start beyond all reason drives to no number are simulated faithfully.
MAY_DIVERGE = {"netdp_simulate", "netdp_simulate_central", "netdp_simulate_learning", "netdp_simulate_gradients",
               "netdp_learn_central", "netdp_simulate_walk", "netdp_attack_gossip", "netdp_attack_tally", "netdp_reconstruct"}

# Functions that change what they are given or keep it: everything is made anew before each call.
CHANGES = {"netdp_losses_settle", "netdp_study_run_anew", "netdp_guard_release", "netdp_guard_choose", "netdp_guard_open", "netdp_guard_close",
           "netdp_guard_spent", "netdp_question_calibrate"} | {f"netdp_{what}_free" for what in (
               "events", "graph", "mixing", "transition", "sequence", "route", "losses", "table", "examples", "study",
               "quiet_design", "model")}

# How long an array of the caller's is: below that everything is tried, above it the caller alone can know.
LENGTHS = {
    "netdp_rdp.count", "netdp_event.weights", "netdp_edge_list.count", "netdp_edge_list.nodes", "netdp_quiet.phases",
    "netdp_view.count", "netdp_loss_request.from_count", "netdp_loss_request.to_count", "netdp_range.values",
    "netdp_preparation.ranges", "netdp_scores.runs", "netdp_samples.runs", "netdp_samples.width",
    "netdp_walk_attack.count", "netdp_tally_attack.count", "netdp_tally_request.from_count",
    "netdp_tally_request.to_count", "netdp_tally_cycles.count", "netdp_walk_request.from_count",
    "netdp_walk_request.to_count", "netdp_claim_inputs.to_count", "netdp_quiet_request.phases", "netdp_walking.width",
    "netdp_tallying.depth", "netdp_gradients.width", "netdp_gradients.rows", "netdp_release.rows", "netdp_release.width",
    "netdp_gossip_attack.runs", "netdp_walk_attack.runs", "netdp_tally_attack.runs",
    "netdp_losses.from_count", "netdp_losses.to_count", "netdp_losses.members", "netdp_losses.given_count",
    "netdp_events_epsilon.count", "netdp_events_delta.count", "netdp_events_write.count", "netdp_events_certified.count",
    "netdp_graph_from_edges.count", "netdp_graph_from_edges.nodes", "netdp_graph_distances.count", "netdp_graph_columns.count",
    "netdp_table_read.count", "netdp_deal.rows", "netdp_study_read.count", "netdp_study_read_quick.count",
    "netdp_study_parse.count", "netdp_realised_costs.count", "netdp_tally_realised.count", "netdp_simulate.width",
    "netdp_simulate_central.width", "netdp_simulate_central.nodes", "netdp_mixing_workload.phases",
    "netdp_stream_normals.count", "netdp_score_models.count", "netdp_question_request.count", "netdp_question_request.from_count", "netdp_question_request.to_count",
    "netdp_question_request.pattern_count", "netdp_question_request.phases", "netdp_observers.count", "netdp_everything_proof.count", "netdp_guard_choose.count",
}

# The same of single functions, whose arrays are as long as a description says.
OF_PATHS = {"netdp_tally.steps", "netdp_tally.passes", "netdp_tally.nodes", "netdp_tally.graph", "netdp_tally.levels", "netdp_token.steps", "netdp_token.tokens"}
LENGTHS_OF = {name: OF_PATHS for name in (
    "netdp_tally_path", "netdp_simulate_tally", "netdp_tally_realised", "netdp_tally_empirical", "netdp_tally_empirical_pairs",
    "netdp_realised_contributions", "netdp_realised_costs", "netdp_realised_pairs", "netdp_simulate_walk")}
LENGTHS_OF["netdp_simulate_learning"] = LENGTHS_OF["netdp_learn_central"] = {"netdp_objective.parameters"}
LENGTHS_OF["netdp_simulate_walk"] = OF_PATHS | {"netdp_objective.parameters"}

NODES = 6


def take(world, name, *arguments):
    """What a constructor makes, through its out-pointer, which stands at None."""
    function = getattr(world.lib, name)
    kinds = world.ffi.typeof(function).args
    out = [world.ffi.new(world.ffi.getctype(kind.item, "*")) if value is None else value for kind, value in zip(kinds, arguments)]
    error = world.ffi.new("netdp_error *")
    if function(*out, error) != 0:
        raise RuntimeError(f"{name}: {world.ffi.string(error.text).decode()}")
    return [made[0] for made, value in zip(out, arguments) if value is None]


STUDY = b"""title: x
graph: {family: ring 6}
data: {source: davis, split: 0.8}
"""


def make(world):
    ffi, lib = world.ffi, world.lib
    world.here = here = {}
    world.alive = alive = []

    def new(text, value=None):
        made = ffi.new(text) if value is None else ffi.new(text, value)
        alive.append(made)
        return made

    def path(name, text):
        whole = os.path.join(world.folder, name)
        with open(whole, "wb") as file:
            file.write(text)
        return whole.encode()

    here["graph"] = take(world, "netdp_graph_make", b"ring 6", 1, True, None, ffi.NULL)[0]
    here["cube"] = take(world, "netdp_graph_make", b"hypercube 3", 1, True, None, ffi.NULL)[0]
    here["random"] = take(world, "netdp_graph_make", b"erdos-renyi 6 0.8", 1, True, None, ffi.NULL)[0]
    here["mixing"] = take(world, "netdp_mixing_new", here["graph"], b"metropolis", None)[0]
    here["random mixing"] = take(world, "netdp_mixing_new", here["random"], b"metropolis", None)[0]
    here["transition"] = take(world, "netdp_transition_new", here["graph"], b"metropolis", None)[0]
    here["complete"] = take(world, "netdp_graph_make", b"complete 6", 1, True, None, ffi.NULL)[0]
    variation = new("netdp_variation *", {"kind": lib.NETDP_VARY_EDGES, "missing": 0.25, "seed": 1, "span": 1})
    here["sequence"] = take(world, "netdp_sequence_new", here["mixing"], variation, None)[0]
    token = new("netdp_token *", {"law": here["transition"], "steps": 8, "start": -1, "tokens": 1})
    here["route"] = take(world, "netdp_route_new", token, lib.NETDP_PATH_PUBLIC, 1, None)[0]
    route = here["route"]
    here["path"] = [lib.netdp_route_at(route, 0, t) for t in range(9)]
    synthesis = new("netdp_synthesis *", {"law": new("char[]", b"gaussian-classes 2 rows=3"), "classes": True, "split": 0.8,
                                          "nodes": NODES, "seed": 1})
    here["train"], here["test"] = take(world, "netdp_examples_draw", synthesis, None, None)
    linear = new("netdp_linear *", {"mixing": here["mixing"], "rounds": 4, "noise": {"dither": 0.1}})
    request = new("netdp_loss_request *", {"protocol": linear})
    here["losses"] = take(world, "netdp_losses_new", request, ffi.NULL, None)[0]
    alone = new("netdp_token *", {"law": here["transition"], "steps": 8, "start": -1, "tokens": 1})
    walk = new("netdp_walk_request *", {"token": alone, "noise": 2.0, "unit": {"currency": lib.NETDP_AS_DP, "parameter": 1e-5}})
    here["walk losses"] = take(world, "netdp_walk_losses_new", walk, ffi.NULL, None)[0]
    rounds = new("netdp_given_setting[]", [{"name": new("char[]", b"rounds"), "text": new("char[]", b"4")}])
    asked = new("netdp_question_request *", {"graph": here["graph"], "count": 1, "setting": rounds})
    here["question"] = take(world, "netdp_question_new", asked, None)[0]
    open_asked = new("netdp_question_request *", {"graph": here["graph"], "count": 1, "setting": rounds, "calibrates": True})
    here["open question"] = take(world, "netdp_question_new", open_asked, None)[0]
    here["events path"] = path("events.csv", b"gaussian:2\ngaussian:3\n")
    event = new("netdp_event *", {"mechanism": 0, "noise": 2.0, "rate": 1.0, "levels": 1, "count": 3})
    if lib.netdp_events_write(event, 1, path("events.json", b""), ffi.NULL) == 0:
        here["events path"] = os.path.join(world.folder, "events.json").encode()
    here["events"] = take(world, "netdp_events_read", here["events path"], None)[0]
    rows = b"a,b,y\n" + b"".join(b"%d,%d,%d\n" % (i, i * i % 7, i % 2) for i in range(24))
    here["table path"] = path("table.csv", rows)
    here["table"] = take(world, "netdp_table_read", here["table path"], ffi.NULL, 0, None)[0]
    here["edges path"] = path("ring.edges", b"".join(b"%d %d\n" % (i, (i + 1) % 6) for i in range(6)))
    study = path("study.yaml", b"""title: x
seed: 1
graph: {family: ring 6}
mixing: {weights: metropolis}
data: {csv: table.csv, label: y, split: 0.8}
task: {kind: logistic, clip: 0.5, step: 0.2}
protocol: {kind: gossip-sgd, rounds: 3}
privacy: {noise: 2, delta: 1e-5}
output: {every: 1, repeat: 1}
""")
    here["study path"] = study
    here["study text"] = open(study, "rb").read()
    here["study"] = take(world, "netdp_study_read", study, ffi.NULL, 0, None)[0]
    model = path("model-1.json", b'''{"schema": 1, "private": "for the experimenter alone", "variant": "gossip", "of": "the mean",
"predictions": "p", "model": {"kind": "logistic", "label": {"name": "y", "values": ["0", "1"]}, "features": [{"name": "a", "mean": 4.5,
"deviation": 3.2}, {"name": "b", "mean": 1.9, "deviation": 1.5}], "intercept": false, "rows": "unit norm", "missing": "refuse",
"scales": "s", "weights": [0.1, 0.4]}}''')
    here["model path"] = model
    here["kept"] = ffi.new("char[]", b"all")
    here["predicted path"] = os.path.join(world.folder, "predicted.csv").encode()
    here["model"] = take(world, "netdp_model_read", model, ffi.NULL, None)[0]
    here["design"] = take(world, "netdp_quiet_design_new", new(
        "netdp_quiet_request *", {"kind": {"family": 0}, "phases": 3, "cycle": 1}), None)[0]
    here["proof path"] = os.path.join(world.folder, "proof").encode()
    here["guard path"] = os.path.join(world.folder, "budget.sqlite").encode()
    here["protocol"] = take(world, "netdp_protocol_find", b"averaging", None)[0]
    here["walk protocol"] = take(world, "netdp_protocol_find", b"walk", None)[0]
    here["tally protocol"] = take(world, "netdp_protocol_find", b"ring-sum", None)[0]
    here["claim"] = take(world, "netdp_claim_find", b"C-theorem-1", None)[0]
    tally = new("netdp_tally *", {"graph": lib.NETDP_TALLY_COMPLETE, "nodes": NODES, "steps": 20, "cap": 2, "noise": 2.0, "high": 1.0,
                                  "grid": 64})
    steps = new("int32_t[21]")
    if lib.netdp_tally_path(tally, new("netdp_run_seed *", {"seed": 1})[0], steps, ffi.NULL) != 0:
        raise RuntimeError("netdp_tally_path")
    here["tally path"] = list(steps)
    here["result"] = os.path.join(world.folder, "result").encode()
    here["folder"] = world.folder.encode()

    @ffi.callback("bool(void *, const char *, double, double)")
    def report(context, what, done, total):
        return world.told()

    @ffi.callback("bool(void *, const netdp_trace_row *)")
    def trace(context, row):
        return world.told()

    @ffi.callback("bool(void *, int64_t, const double *, double *)")
    def ask(context, step, model, gradient):
        return world.told()

    @ffi.callback("netdp_status(void *, const netdp_losses *, int32_t, const double *, netdp_error *)")
    def row(context, losses, to, loss, error):
        return 0

    @ffi.callback("double(void *, double, double)")
    def margin(context, a, b):
        return a * b

    @ffi.callback("double(void *, netdp_row)")
    def row_value(context, row):
        return 1.0

    @ffi.callback("void(void *, netdp_row, double *)")
    def row_gradient(context, row, gradient):
        gradient[0] = 1.0

    here.update(report=report, trace=trace, ask=ask, row=row, margin=margin, row_value=row_value, row_gradient=row_gradient)


def linears(world):
    """Protocols of gossip: averaging, a stream, learning, each with pairwise noise, correlated noise, changing networks."""
    lib, here = world.lib, world.here
    plain = dict(mixing=here["mixing"], rounds=4, noise=S("netdp_noise", dither=0.1))
    pairs = S("netdp_noise", dither=0.1, pairing=S("netdp_pairing", graph=here["graph"], kappa=2.0))
    ends = S("netdp_noise", dither=0.1, end=0.2)
    late = S("netdp_variation", kind=lib.NETDP_VARY_EDGES, missing=0.25, span=1, seed=1)
    yield S("netdp_linear", **plain, own=[1.0] * NODES)
    yield S("netdp_linear", **dict(plain, noise=pairs))
    yield S("netdp_linear", **plain, varying=late)
    yield S("netdp_linear", **plain, every=2, steady=True)
    yield S("netdp_linear", **dict(plain, noise=ends), every=2, reacts=True)
    yield S("netdp_linear", **dict(plain, noise=ends), every=2, reacts=True, cycle=2,
            quiet=S("netdp_quiet", factor=[1.0, 0.0, -0.5, 1.0], phases=2))
    yield S("netdp_linear", **dict(plain, noise=S("netdp_noise", dither=0.0)), every=1, reacts=True, accelerate=False)


def tallies(world):
    lib = world.lib
    ring = dict(graph=lib.NETDP_TALLY_RING, nodes=NODES, passes=2)
    complete = dict(graph=lib.NETDP_TALLY_COMPLETE, nodes=NODES, steps=20, cap=2)
    sums = dict(task=lib.NETDP_TALLY_SUM, noise=2.0, low=0.0, high=1.0, grid=64)
    counts = dict(task=lib.NETDP_TALLY_HISTOGRAM, levels=2, flip=0.5, mechanism=lib.NETDP_RANDOMISED_RESPONSE, fill=-1)
    yield S("netdp_tally", **ring, **sums, schedule=lib.NETDP_TALLY_ONCE)
    yield S("netdp_tally", **ring, **counts)
    yield S("netdp_tally", **complete, **sums)


def tokens(world):
    plain = dict(law=world.here["transition"], steps=8, start=-1, tokens=1)
    yield S("netdp_token", **plain)
    yield S("netdp_token", **plain, cap=2, release=True)


def protection(world):
    return S("netdp_protection", batches=S("netdp_batches", count=2, rate=0.5), share=None)


def objectives(world):
    lib, here = world.lib, world.here
    margin = S("netdp_margin_loss", value=here["margin"], slope=here["margin"], score=here["margin"], smoothness=1.0)
    row = S("netdp_row_loss", value=here["row_value"], gradient=here["row_gradient"], score=here["row_value"],
            smoothness=float("inf"))
    yield S("netdp_objective", kind=lib.NETDP_LOGISTIC, clip=0.5, l2=0.1, margin_loss=margin, row_loss=row)
    yield S("netdp_objective", kind=lib.NETDP_MARGIN_LOSS, clip=0.5, margin_loss=margin)
    yield S("netdp_objective", kind=lib.NETDP_ROW_LOSS, clip=0.5, row_loss=row, parameters=3)


def structs(world, name):
    """Every baseline of a struct."""
    lib, here = world.lib, world.here
    unit = S("netdp_unit", currency=lib.NETDP_AS_DP, parameter=1e-5)
    target = S("netdp_target", epsilon=2.0, unit=unit, max_noise=1e6, variance=0.25)
    many = {
        "netdp_rdp": lambda: [S(name, slope=0.5), S(name, count=2, order=[2.0, 3.0], epsilon=[0.5, 0.75])],
        "netdp_batches": lambda: [S(name, kind=lib.NETDP_BATCHES_CYCLIC, count=2)],
        "netdp_protection": lambda: [S(name), S(name, protects=lib.NETDP_PROTECTS_ROW, share=[0.5] * NODES,
                                                batches=S("netdp_batches", kind=lib.NETDP_BATCHES_CYCLIC, count=2))],
        "netdp_event": lambda: [
            S(name, mechanism=kind, noise=2.0, rate=0.5, flip=0.5, epsilon=0.5, delta=1e-7, levels=2, weights=2,
              weight=[0.5, 0.5], mu=[0.5, 0.25], count=2) for kind in range(9)],
        "netdp_shuffle": lambda: [S(name, epsilon0=0.4, crowd=100000, levels=2)],
        "netdp_gamma": lambda: [S(name, theta=0.05, low=1.0, high=2.0)],
        "netdp_budget": lambda: [S(name, account=b"a", epsilon=1e6, delta=1e-6)],
        "netdp_release": lambda: [S(name, mechanism=lib.NETDP_GAUSSIAN, clip=1.0, noise=4.0, rows=2, width=2)],
        "netdp_edge_list": lambda: [S(name, nodes=3, count=2, pair=[0, 1, 1, 2], weight=[1.0, 2.0], name=[b"a", b"b", b"c"],
                                      origin=b"here")],
        "netdp_variation": lambda: [S(name, kind=lib.NETDP_VARY_EDGES, missing=0.25, span=1, seed=1)],
        "netdp_spectrum": lambda: [S(name, second=0.5, smallest=-0.25, gap=0.5)],
        "netdp_noise": lambda: [S(name, dither=0.1, end=0.2)],
        "netdp_pairing": lambda: [S(name, graph=here["graph"], kappa=2.0)],
        "netdp_tally": lambda: list(tallies(world)),
        "netdp_token": lambda: list(tokens(world)),
        "netdp_quiet": lambda: [S(name, factor=[1.0], phases=1)],
        "netdp_linear": lambda: list(linears(world)),
        "netdp_settings": lambda: [S(name, rounds=4, noise=S("netdp_noise", dither=0.1, end=0.1), every=1, inner=1, start=-1, tokens=1, grid=64,
                                     levels=2, schedule=1, flip=0.5)],
        "netdp_loss_request": lambda: [
            S(name, protocol=protocol, from_count=1, **{"from": [1]}, to_count=1, to=[0], protection=protection(world))
            for protocol in linears(world)] + [S(name, protocol=next(linears(world)), pool=2)],
        "netdp_proof_request": lambda: [S(name, losses=S("netdp_loss_request", protocol=S(
            "netdp_linear", mixing=here["mixing"], rounds=4, noise=S("netdp_noise", dither=0.1))), to=0, noise=2.0, unit=unit,
                                          **{"from": 2})],
        "netdp_observers": lambda: [S(name, count=1, member=[0])],
        "netdp_given_setting": lambda: [S(name, name=b"rounds", text=b"4")],
        "netdp_question_request": lambda: [S(name, graph=here["graph"], count=1, setting=[S("netdp_given_setting", name=b"rounds", text=b"4")])],
        "netdp_unit": lambda: [unit],
        "netdp_target": lambda: [target],
        "netdp_drawn_request": lambda: [S(name, losses=S("netdp_loss_request", protocol=S(
            "netdp_linear", mixing=here["mixing"], rounds=4, noise=S("netdp_noise", dither=0.1), varying=S(
                "netdp_variation", kind=lib.NETDP_VARY_EDGES, missing=0.25, span=1, seed=1))), draws=3, noise=2.0, unit=unit, failure=0.01)],
        "netdp_manner": lambda: [S(name)],
        "netdp_preparation": lambda: [S(
            name, label=b"y", features=b"a,b", classes=True, split=0.75, nodes=NODES, seed=1, deal=b"even", ranges=2,
            range=[S("netdp_range", column=b"a", low=0.0, high=30.0), S("netdp_range", column=b"b", low=0.0, high=7.0)]),
            S(name, label=b"y", features=b"a", classes=True, split=0.75, nodes=2, seed=1, owner=b"b", owner_cuts=b"3")],
        "netdp_synthesis": lambda: [S(name, law=b"gaussian-classes 2 rows=3", classes=True, split=0.8, nodes=NODES, seed=1)],
        "netdp_objective": lambda: list(objectives(world)),
        "netdp_run_seed": lambda: [S(name, seed=1)],
        "netdp_tracing": lambda: [S(name, every=1, trace=here["trace"], progress=S("netdp_progress", report=here["report"]))],
        "netdp_learning": lambda: [S(name, objective=objective, train=here["train"], test=here["test"], step=0.2, noise=1.0, local=1)
                                   for objective in objectives(world)],
        "netdp_gradients": lambda: [S(name, ask=here["ask"], width=2, rows=2, clip=1.0, step=0.2, noise=1.0, start=[0.0, 0.0])],
        "netdp_walking": lambda: [S(name, objective=next(objectives(world)), train=here["train"], test=here["test"], step=0.2,
                                    noise=1.0),
                                  S(name, values=[0.5] * NODES, width=1, step=0.2, noise=1.0)],
        "netdp_tallying": lambda: [S(name, tally=tally, values=[0.0] * NODES, depth=1, level=0.95) for tally in tallies(world)],
        "netdp_scores": lambda: [S(name, runs=200, world=[[float(i) for i in range(200)], [float(i + 9) for i in range(200)]])],
        "netdp_samples": lambda: [S(name, runs=400, width=1, world=[[float(i % 97) for i in range(400)], [float(i % 97 + 9) for i in range(400)]])],
        "netdp_evidence": lambda: [S(name, confidence=0.99, mu=0.5, epsilon=1.0, delta=1e-5, tested=100)],
        "netdp_gossip_attack": lambda: [S(name, protocol=next(linears(world)), view=S("netdp_view", count=1, observers=[0]),
                                          victim=2, noise=2.0, runs=200, seed=1)],
        "netdp_walk_attack": lambda: [S(name, token=next(tokens(world)), count=1, observers=[0], victim=2, noise=2.0, runs=200, seed=1)],
        "netdp_tally_attack": lambda: [S(name, tally=tally, count=1, observers=[0], victim=2, runs=200, seed=1)
                                       for tally in tallies(world)],
        "netdp_membership": lambda: [S(name, **{"in": 100, "out": 100}, area=0.5, area_error=0.1)],
        "netdp_claim_inputs": lambda: [S(name, value=[{lib.NETDP_IN_ROUNDS: 4.0, lib.NETDP_IN_NOISE: 2.0, lib.NETDP_IN_ALPHA: 2.0, lib.NETDP_IN_DITHER: 0.5}.get(i, float("nan")) for i in range(lib.NETDP_INPUTS)], mixing=here["mixing"], to_count=1, to=[0],
                                         **{"from": 2})],
        "netdp_ratio": lambda: [S(name, numerator=3, denominator=2)],
        "netdp_stream": lambda: [S(name)],
        "netdp_quiet_kind": lambda: [S(name)],
        "netdp_quiet_request": lambda: [S(name, kind=S("netdp_quiet_kind", family=family, size=size), phases=4, cycle=2, workload=work)
                                        for family, size in ((0, 0), (1, 0), (2, 2), (3, 2))
                                        for work in ([1.0 if i == j else 0.0 for i in range(4) for j in range(4)],)],
        "netdp_audit_options": lambda: [S(name, runs=100, confidence=0.99, bound=b"exact", **{"from": b"1"}, to=b"0")],
        "netdp_picture": lambda: [S(name, width=90.0, text=9.0, font=b"sans-serif")],
        "netdp_tally_request": lambda: [
            S(name, tally=tally, unit=unit, from_count=1, **{"from": [1]}, to_count=1, to=[0]) for tally in tallies(world)],
        "netdp_tally_terms": lambda: [S(name, epsilon=0.5, delta=1e-6, delta_compose=1e-6, delta_visits=1e-6, delta_spotted=1e-6,
                                        colluders=1)],
        "netdp_tally_cycles": lambda: [S(name, tally=tally, path=here["tally path"], count=1, observers=[0], delta=1e-6,
                                         delta_compose=1e-6) for tally in list(tallies(world))[2:]],
        "netdp_walk_request": lambda: [S(name, token=token, noise=2.0, unit=unit, from_count=1, **{"from": [1]}, to_count=1, to=[0])
                                       for token in tokens(world)],
        "netdp_convergence": lambda: [S(name, convexity=0.5, smoothness=1.0, mixing_time=2.0, heterogeneity=1.0, dimensions=3,
                                        noise=1.0, distance=1.0, steps=100)],
        "netdp_closed_walk": lambda: [S(name, nodes=NODES, **{"from": 1}, to=2, steps=10, loop=0.25, alpha=2.0, sigma=3.0)],
        "netdp_complete_walk": lambda: [S(name, nodes=NODES, steps=10, cap=2, epsilon=0.5, delta=1e-6, delta_compose=1e-6,
                                          delta_visits=1e-6)],
        "netdp_predicting": lambda: [S(name, as_study=True), S(name, keep=here["kept"])],
        "netdp_progress": lambda: [S(name, report=here["report"])],
    }
    if name not in many:
        raise KeyError(f"{name} has no baseline in baseline.py")
    return many[name]()


# Opaque arguments by their type.
OPAQUE = {"netdp_graph": "graph", "netdp_mixing": "mixing", "netdp_transition": "transition", "netdp_sequence": "sequence",
          "netdp_route": "route", "netdp_examples": "train", "netdp_losses": "losses", "netdp_study": "study", "netdp_table": "table",
          "netdp_events": "events", "netdp_quiet_design": "design", "netdp_protocol": "protocol", "netdp_claim": "claim",
          "netdp_model": "model", "netdp_question": "question"}

# Arguments by their name: numbers, text, arrays.
NAMED = {
    "draws": 0, "mu": 0.5, "delta": 1e-6, "epsilon": 1.0, "alpha": 2.0, "sigma": 2.0, "noise": 2.0, "confidence": 0.99, "slack": 1e-6,
    "gamma": 0.5, "sensitivity": 1.0, "epsilon0": 0.4, "levels": 2, "count": 1, "published": 0, "people": 100, "sample": 10, "k": 1, "low": 1.0,
    "high": 2.0, "theta": 0.05, "range": 1.0, "scale": 1.0, "value": 0.5, "seed": 1, "connected": True, "giant_component": False,
    "node": 0, "nodes": NODES, "attenuation": 0.0, "accuracy": 0.25, "width": 1, "inner": 2, "phases": 2, "span": 1, "t": 1,
    "from": 0, "until": 1, "round": 1, "gap": 0.5, "variance": 0.25, "loss": 0.5, "from_index": 0, "to_index": 1,
    "failure": 0.01, "mean": 1.0, "rows": 24, "shuffle": True, "batch": 0, "step": 1, "phase": 0, "steps": 3,
    "crowd": 100000, "bound": 0, "direction": 0, "method": 0, "form": 0, "path": 1, "sees": 0, "own_noise": 0, "kind": 0,
    "status": 0, "unit": None, "name": b"n", "text": b"full", "over_draws": False, "of_mu": True, "in": 100, "out": 100,
    "delta_spotted": 1e-6, "edge_cap": 2, "account": 1, "index": 0, "purpose": 0, "shape": 2.0, "flip": 0.5, "square": 1.0,
    "for_experimenter": True, "draw": 1, "law": b"metropolis", "weights": b"metropolis", "family": b"ring 6", "paper": b"A",
    "realised": 0, "protects": 0, "set": None, "data": None, "context": None, "certify": 0,
}

# What a function's own argument is.
OWN = {
    "netdp_events_read.path": "events path", "netdp_events_write.path": "events path", "netdp_graph_read.path": "edges path",
    "netdp_graph_write.path": "edges path", "netdp_table_read.path": "table path", "netdp_data_digest.path": "table path",
    "netdp_examples_prepare.path": "table path", "netdp_study_read.path": "study path", "netdp_study_read_quick.path": "study path",
    "netdp_study_parse.path": "study path", "netdp_study_parse.text": "study text", "netdp_guard_open.path": "guard path",
    "netdp_losses_proof.path": "proof path", "netdp_everything_proof.path": "proof path", "netdp_study_write.path": "study path", "netdp_data_find.folder": "folder",
    "netdp_study_run.folder": "result", "netdp_study_audit.folder": "result",
    "netdp_variation_redraw.graph": "random", "netdp_variation_one_peer.graph": "cube",
    "netdp_protocol_describe_token.protocol": "walk protocol", "netdp_protocol_describe_tally.protocol": "tally protocol",
    "netdp_losses_settle.losses": "walk losses", "netdp_question_calibrate.question": "open question", "netdp_losses_each.row": "row", "netdp_figure_draw.folder": "result",
    "netdp_model_read.path": "model path", "netdp_model_predict.csv": "table path", "netdp_model_predict.output": "predicted path",
    "netdp_report_write.folder": "result", "netdp_result_text.folder": "result",
}
NUMBERS = {"netdp_shuffle_delta.bound": 4, "netdp_rr_gamma_printed.epsilon": 0.4, "netdp_rr_gamma_printed.crowd": 10**7,
           "netdp_rr_gamma_printed.delta": 1e-3, "netdp_gamma_calibrate.epsilon": 20.0, "netdp_audit_verdict.epsilon": -1.0}
TEXT = {
    "netdp_batches_parse.text": b"cyclic:2", "netdp_event_parse.text": b"gaussian:2", "netdp_graph_find.name": b"1",
    "netdp_variation_dropout.text": b"0.25", "netdp_pairing_graph.name": b"edges", "netdp_sees_parse.text": b"sum",
    "netdp_own_noise_parse.text": b"known", "netdp_protocol_find.name": b"averaging", "netdp_bound_parse.name": b"exact",
    "netdp_certify_parse.text": b"yes", "netdp_unit_parse.text": b"dp:1e-6", "netdp_convert.from": b"gdp:1",
    "netdp_convert.to": b"dp:1e-5", "netdp_gossip_words.name": b"averaging", "netdp_tally_words.name": b"ring-sum",
    "netdp_walk_words.name": b"walk", "netdp_data_find.file": b"table.csv", "netdp_input_find.name": b"nodes",
    "netdp_claim_find.name": b"C-theorem-1", "netdp_claim_input.name": b"rounds", "netdp_quiet_parse.text": b"banded:2",
    "netdp_report_write.path": b"/dev/null", "netdp_model_read.variant": None,
}
ARRAYS = {
    "netdp_question_noise.given": [2.0],
    "netdp_graph_from_edges.edges": [0, 1, 1, 2], "netdp_graph_distances.sources": [0], "netdp_transition_toward.target": [1 / NODES] * NODES,
    "netdp_mixing_apply.x": [1.0] * NODES, "netdp_gradient.model": [0.1] * 8, "netdp_batch_gradient.model": [0.1] * 8,
    "netdp_objective_value.model": [0.1] * 8, "netdp_score.model": [0.1] * 8, "netdp_score_models.models": [0.1] * 8,
    "netdp_simulate.values": [0.5] * NODES, "netdp_simulate_central.values": [0.5] * NODES,
    "netdp_tally_realised.observers": [0], "netdp_realised_costs.observers": [0], "netdp_guard_release.rows": [0.5] * 4, "netdp_guard_choose.score": [0.5] * 8,
}


def calls(world, name, named, kinds):
    """(arguments, what is not changed) for each baseline of a function."""
    here = world.here
    if name.startswith("netdp_guard_") and name != "netdp_guard_open" and "guard" not in here:
        budget = world.ffi.new("netdp_budget *", {"epsilon": 1e6, "delta": 1e-6})
        # An open budget does not survive a fork: the process that calls opens it.
        here["guard"] = world.ffi.cast("netdp_guard *", 8) if not world.calls else take(world, "netdp_guard_open", here["guard path"], budget, None)[0]
    choices = [list(choice(world, name, text, argument, kind)) for (text, argument), kind in zip(named, kinds)]
    lengths = LENGTHS | LENGTHS_OF.get(name, set())
    # Each baseline of each argument beside the first of the others.
    for position, several in enumerate(choices):
        for other in several[1:] if position or len(several) > 1 else []:
            yield [other if i == position else one[0] for i, one in enumerate(choices)], lengths
    yield [one[0] for one in choices], lengths


def choice(world, name, text, argument, kind):
    """The baselines of one argument."""
    here, ffi = world.here, world.ffi
    key = f"{name}.{argument}"
    if key in OWN:
        return [here[OWN[key]]]
    if key in TEXT:
        return [TEXT[key]]
    if key in ARRAYS:
        return [ARRAYS[key]]
    if kind.kind == "struct":
        return structs(world, kind.cname)
    if argument == "count" and (name.startswith("netdp_study_") or name in ("netdp_table_read", "netdp_graph_columns")):
        return [0]
    if kind.kind in ("primitive", "enum"):
        return [NUMBERS.get(key, NAMED[argument])]
    if kind.kind == "function":
        return [ffi.addressof(world.lib, "netdp_group_gaussian")]
    if kind.kind == "pointer":
        item = kind.item
        if argument == "path" and "int32_t" in text:
            return [here["path"] if "realised_" in name and "tally" not in name else here["tally path"]] if "const" in text else [ffi.new("int32_t[8192]")]
        if item.kind == "struct" and ("const" in text or key in IN_OUT):
            if item.cname in OPAQUE and not (item.cname == "netdp_losses" and key == "netdp_losses_settle.losses"):
                return [here[OPAQUE[item.cname]]]
            return structs(world, item.cname)
        if item.kind == "struct" and item.cname == "netdp_guard":
            return [here["guard"]]
        if item.kind == "struct" and item.cname in OPAQUE and (item.fields is None or name.endswith("_free")):
            return [here[OPAQUE[item.cname]]]
        if item.kind == "struct":
            return [ffi.new(ffi.getctype(item, "[]"), 128)]
        if item.kind == "primitive" and item.cname == "char" and "const" in text:
            return [NAMED.get(argument)]
        if "const" in text and item.kind == "primitive" and item.cname != "void":
            raise KeyError(f"{key} is an array that baseline.py does not know")
        if item.cname in ("void", "void *"):
            return [ffi.new("double *", 0.5)] if "group" in name or "subsample" in name else [None]
        if argument == "set":
            return [None]
        return [ffi.new(ffi.getctype(item, "[]"), 8192 if item.kind in ("primitive", "enum") else 2)]
    raise KeyError(f"{key}: {kind}")


# Structs that a call reads and writes.
IN_OUT = {"netdp_claim_derive.inputs", "netdp_stream_bits.stream", "netdp_stream_uniform.stream", "netdp_stream_below.stream",
          "netdp_stream_normals.stream", "netdp_stream_discrete_laplace.stream", "netdp_stream_discrete_gaussian.stream",
          "netdp_stream_laplace.stream", "netdp_stream_gamma.stream", "netdp_stream_randomised_response.stream"}
