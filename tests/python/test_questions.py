"""Questions made up at random, asked by the command, by Python and by a study: the same numbers to the last bit, or the same refusal."""
import json
import math
import os
import pathlib
import random
import re
import shlex
import subprocess

import netdp
import pytest
from conftest import COMMAND

#: How many; NETDP_QUESTIONS=2000 asks more.
COUNT = int(os.environ.get("NETDP_QUESTIONS", "120"))

PROTOCOLS = ["averaging", "random-averaging", "stream", "gossip-sgd", "async-gossip-sgd", "muffliato-sgd", "walk", "weighted-walk", "ring-sum",
             "ring-histogram", "complete-sum", "complete-histogram"]
FAMILIES = ["ring 6", "davis", "star 5", "complete 5", "hypercube 3", "path 4", "florentine", "regular 8 3", "erdos-renyi 8 0.7"]
UNITS = ["loss", "gdp", "rdp:2", "dp:1e-5", "dp:1e-5", "dp:1e-9", "rdp:32"]

#: Texts for each setting, some of them wrong; most of them are taken as numbers where they are some.
VALUES = {
    "dither": ["0.01", "0.5", "0", "1e-6", "-1", "auto", "x"], "dither_decay": ["0", "0.5", "3"], "every": ["1", "2", "3", "0", "1e3"],
    "at_most": ["1", "3", "2", "none", "0", "two"], "inner": ["1", "3", "0"], "end_dither": ["0.1", "0.5", "auto"], "accelerate": ["true"],
    "pair_graph": ["edges", "complete", "ring", "k-out 2", "nobody"], "pair_noise": ["0", "2", "auto", "-1"], "pair_weights": ["true"], "pair_seed": ["1", "7", "-1"],
    "cycle": ["1", "2", "3"], "quiet": ["fresh", "optimal", "banded:2", "loud"], "workload": ["sums", "gossip", "rest"],
    "dropout": ["0.1", "edges:0.3", "0", "0.2", "late:0.1", "revealed:0.1", "2", "edges:", "late:x"],
    "redraw": ["round", "one-peer", "never", "phase", "often"],
    "start": ["uniform", "observer", "0", "3", "Medici", "nobody"], "burn_in": ["0", "3", "-1"], "path": ["hidden", "public", "tour", "resting", "secret"],
    "path_seed": ["1", "4"], "tokens": ["1", "2", "0"], "cap": ["2", "none", "0"], "contraction": ["0.5", "1", "2"],
    "gamma": ["1,0,2", "1,2", "x"], "mechanism": ["gaussian", "laplace", "discrete-gaussian", "none"],
    "schedule": ["every", "once", "spread", "never"], "grid": ["16", "1024", "0"], "levels": ["2", "5", "1"], "flip": ["0.5", "0.2", "0", "2"],
    "shuffle": ["least", "local", "blanket", "cards"], "release": ["final", "none", "all"],
    "pattern": ["ones", "alternating", "worst", "cos:0.5", "cos:x", "waves"], "protects": ["node", "row", "all"], "change": ["replace", "add-remove", "none"],
    "batches": ["cyclic:2", "poisson:0.3", "full", "cyclic:0", "poisson:2", "some"], "rows": ["1,2,3,4,5", "3,3,3,3,3,3", "2,2,2,2,2,2,2,2", "0", "many"],
    "from": ["0", "1, 2", "all", "Medici", "0,0", "nobody"], "to": ["1", "set:1,2", "set: 0, 3", "all", "Strozzi", "set:Medici,Guadagni", "set:1,1", "set:all", "99"],
    "sees": ["neighbours", "sum", "everything", "nothing"], "own_noise": ["known", "counts", "hidden"], "certify": ["auto", "maybe"],
    "variance": ["0.25", "1", "-1"], "bound": ["auto", "everything", "published", "excursion", "nope"], "nosuch": ["1"],
}


def made_up(draw):
    """Graph, settings by Python's names, all of them texts, noise, currency, and whether it is a calibration."""
    protocol = draw.choice(PROTOCOLS)
    family = "ring 6" if protocol.startswith("ring") else "complete 5" if protocol.startswith("complete") else draw.choice(FAMILIES)
    settings = {"protocol": protocol, "rounds": draw.choice(["1", "4", "6", "12", "auto", "0.5"] if draw.random() < 0.3 else ["4", "6"])}
    likely = [name for name in VALUES if taken(name, protocol)]
    for name in draw.sample(likely, min(len(likely), draw.randrange(4))) + draw.sample(list(VALUES), int(draw.random() < 0.15)):
        values = VALUES[name]
        settings[name] = draw.choice(values if draw.random() < 0.2 else values[:2])
    if "histogram" in protocol and draw.random() < 0.9:
        settings.setdefault("flip", "0.5")
    noise = None if "histogram" in protocol or draw.random() < 0.1 else draw.choice(["2", "0.7", "5"])
    return family, settings, noise, draw.choice(UNITS)


def taken(name, protocol):
    """Does `netdp loss --protocol NAME --help` have it?"""
    if protocol not in taken.pages:
        taken.pages[protocol] = subprocess.run([COMMAND, "loss", "--protocol", protocol, "--help"], check=True, text=True,
                                               stdout=subprocess.PIPE).stdout
    return re.search(rf"^ +--{name.replace('_', '-')}\b", taken.pages[protocol], re.M) is not None


taken.pages = {}


def is_no_file(message):
    """A word that a setting does not know, which is no file's name either."""
    return "nor is it a file" in message or "No such file" in message


def refuses(done):
    return done.returncode in (1, 2) or (done.returncode == 3 and is_no_file(done.stderr))


def by_command(family, settings, noise, unit):
    words = [COMMAND, "loss", "--family", family, "--as", unit, "--json"]
    for name, text in settings.items():
        option = f"--{name.replace('_', '-')}"
        words += [option] if (name, text) == ("accelerate", "true") else [option, text]
    done = subprocess.run(words + (["--noise", noise] if noise else []), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode == 0:
        return json.loads(done.stdout), None
    assert refuses(done), (shlex.join(words), done)
    return None, done.stderr.strip().splitlines()[-1].partition(": ")[2]


def by_python(family, settings, noise, unit):
    given = dict(settings)
    for name in ("dither", "flip", "cap", "tokens", "every", "noise"):  # numbers are as good as texts
        if re.fullmatch(r"[\d.e-]+", given.get(name, "")):
            given[name] = float(given[name]) if "." in given[name] or "e" in given[name] else int(given[name])
    if given.get("accelerate") == "true":
        given["accelerate"] = True
    try:
        if "from" in given:
            given["from_"] = given.pop("from")
        return netdp.losses(family, as_=unit, noise=None if noise is None else float(noise), **given), None
    except (netdp.Invalid, netdp.NoAnswer, netdp.Unavailable) as wrong:
        assert not isinstance(wrong, netdp.Unavailable) or is_no_file(str(wrong)), wrong
        return None, str(wrong)


SCHEMA = json.loads(pathlib.Path(os.environ["NETDP_SOURCE"], "docs", "reference", "study.schema.json").read_text(encoding="utf-8"))["properties"]
#: Where a study has each setting that it says as a question does.
KEYS = {**{leaf: section for section in ("protocol", "privacy") for leaf in SCHEMA[section]["properties"] if leaf in VALUES}, "batches": "data"}
#: Settings that a study has in another way (data.rows, protocol.law, protocol.visits), finds itself, or has not.
NO_KEYS = {"cycle", "contraction", "gamma", "levels", "flip", "shuffle", "rows", "certify", "nosuch"}


def as_study(family, settings, noise, unit):
    """The same question as a study; None where a study does not say it as a question does."""
    if noise is None or "sum" in settings["protocol"] or "histogram" in settings["protocol"] or NO_KEYS & set(settings):
        return None
    study = {"graph": {"family": family}, "task": {"kind": "account"}, "protocol": {"kind": settings["protocol"], "rounds": settings["rounds"]},
             "privacy": {"noise": noise, "as": unit}}
    for name, text in settings.items():
        if name not in ("protocol", "rounds"):
            study.setdefault(KEYS[name], {})[name] = text
    return study


def by_study(study, folder):
    path = folder / "study.yaml"
    path.write_text(json.dumps(study))  # JSON is YAML
    done = subprocess.run([COMMAND, "loss", str(path), "--json"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode == 0:
        return json.loads(done.stdout)["variants"][0], None
    assert refuses(done), (study, done)
    return None, done.stderr.strip().splitlines()[-1].partition(": ")[2]


def of_key(message):
    """What a study's refusal says, without the place: "FILE:1: privacy.dither: ..." as "--dither: ..."."""
    message = re.sub(r"^\S+study\.yaml(:\d+)?: ", "", message)
    message = re.sub(r"\b(protocol|privacy|data)\.(\w+)", r"--\2", message)
    message = re.sub(r"(goes with|excludes) (\w+): ", r"\1 --\2 ", message.removeprefix("--privacy: ").removeprefix("privacy: "))
    return plain(message)


def named(message, settings):
    """The setting that a refusal begins with."""
    first = re.match(r"-*([\w-]+)", of_key(message))
    return next((name for name in (*settings, "as", "noise") if first and plain(name) == first.group(1)), None)


def alike(refused, denied, settings):
    """Is it one refusal? Where several things are wrong each may name another, the first that it reads."""
    mine, theirs = named(refused, settings), named(denied, settings)
    return plain(refused) == of_key(denied) or (mine != theirs and None not in (mine, theirs))


def usual(refused, settings):
    """Is what the question refuses the default of what its protocol does not take? In a study that says nothing."""
    name = named(refused, settings)
    return "does not apply" in refused and name in KEYS and str(SCHEMA[KEYS[name]]["properties"][name].get("default")) == settings[name]


def plain(message):
    """What a refusal says, however its caller spells settings: "--protects row" and "protects='row'"."""
    message = re.sub(r" \(--protocol \S+ --help: what does\)", "", message)
    message = re.sub(r" to 10+, or auto", "", message)  # a study takes fewer rounds
    message = re.sub(r"^from_: ", "--from: ", message)
    message = re.sub(r"^(\w+): unknown option.*|^--(\w+): unknown option.*|^(\w+): no such setting.*", "unknown", message)
    return re.sub(r"[-_]+", "", re.sub(r"='([^']*)'", r" \1", message))


def number(value):
    return math.inf if value == "inf" else value


@pytest.mark.parametrize("seed", [int(each) for each in os.environ["NETDP_SEEDS"].split()] if "NETDP_SEEDS" in os.environ else range(COUNT))
def test_one_question(seed, tmp_path):
    question = made_up(random.Random(seed))
    told, refused = by_command(*question)
    got, wrong = by_python(*question)
    study = as_study(*question)
    found, denied = by_study(study, tmp_path) if study else (None, None)
    if study and refused and not denied and usual(refused, question[1]):
        study = None
    assert study is None or (refused is None) == (denied is None), (question, refused, denied)
    assert (refused is None) == (wrong is None), (question, refused, wrong)
    if refused is not None:
        assert plain(refused) == plain(wrong), (question, refused, wrong)
        assert study is None or alike(refused, denied, question[1]), (question, refused, denied)
        return
    summary = told["summary"]
    assert (got.mean, got.worst, got.local) == tuple(number(summary[name]) for name in ("mean", "max", "local")), question
    assert (got.sound, got.certified, got.bound) == (told["sound"], told["certified"], told["bound"]), question
    assert got.rounds == told["protocol"]["rounds"] or got.protocol.startswith("ring"), question
    if study:
        guarantee = found["guarantee"]
        assert (guarantee["mean"], guarantee["worst"]["epsilon"]) == (summary["mean"], summary["max"]), question
        assert (guarantee["sound"], guarantee["certified"], guarantee["bound"]) == (told["sound"], told["certified"], told["bound"]), question
        assert found["rounds"] == told["protocol"]["rounds"], question


def ask_c(settings=(), calibrates=False, **more):
    """What C says of a request as somebody may fill it: None, or the error of netdp_question_new or _losses."""
    ffi, lib, graph = netdp.ffi, netdp.lib, netdp.graph("ring 8")
    kept = [[None if text is None else ffi.new("char[]", text.encode()) for text in pair]
            for pair in (("protocol", "walk" if "start" in more else "averaging"), ("rounds", "4"), *settings)]
    rows = ffi.new("netdp_given_setting[]", [{"name": name or ffi.NULL, "text": text or ffi.NULL} for name, text in kept])
    lists = {key: ffi.new("int32_t[]", value) if isinstance(value, list) else value for key, value in more.items()}
    request = ffi.new("netdp_question_request *", {"graph": graph._pointer, "setting": rows, "count": len(kept),
                                                   "calibrates": calibrates, **lists})
    made, losses, text, error = ffi.new("netdp_question **"), ffi.new("netdp_losses **"), ffi.new("char **"), ffi.new("netdp_error *")
    if lib.netdp_question_new(request, made, error) == lib.NETDP_OK:
        question = ffi.gc(made[0], lib.netdp_question_free)
        unit = ffi.new("netdp_unit *")
        assert lib.netdp_unit_parse(b"dp:1e-6", unit, error) == lib.NETDP_OK
        if (lib.netdp_question_losses(question, 2.0, unit[0], 0, ffi.NULL, losses, error) == lib.NETDP_OK
                and lib.netdp_question_words(question, 2.0, 0, text, error) == lib.NETDP_OK):
            lib.free(text[0])
            lib.netdp_losses_free(losses[0])
            return None
    return ffi.string(error.text).decode()


def test_requests_that_are_none_are_refused():
    assert ask_c() is None and ask_c(start=[7]) is None and ask_c(to=[1, 2], to_count=2) is None
    other = netdp.mixing("ring 9")
    for wrong, word in ((dict(settings=[("dither", None)]), "NULL"), (dict(settings=[(None, "1")]), "NULL"), (dict(settings=[("seed", None)]), "NULL"),
                        (dict(to_count=2), "NULL"), (dict(to=[1], to_count=-1), "below 0"), (dict(mixing=other._pointer), "9 nodes"),
                        (dict(start=[-1]), "node -1"), (dict(start=[8]), "node 8"), (dict(to=[8], to_count=1), "node 8"),
                        (dict(calibrates=True), "calibrates")):
        assert word in (ask_c(**wrong) or ""), wrong
