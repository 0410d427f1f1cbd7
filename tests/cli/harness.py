"""Tables of command lines and what must come of them.

    from harness import Case, main
    main([Case("graph make ring 3", out="0 1"), Case("graph make rign 3", 2, err="ring")])

Checked of every case without asking: the exit code; on failure nothing on standard output and one
line on standard error that begins with "netdp"; on success at most notes and warnings there.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

COMMAND = os.environ["NETDP_COMMAND"]
SOURCE = os.environ["NETDP_SOURCE"]
LIGHT = "ASAN_OPTIONS" in os.environ  # under sanitizers, which take many times as long: fewer settings of a kind
PATIENCE = 1800  # seconds after which a command hangs: a busy machine is slow, and no test is red for that


@dataclasses.dataclass
class Case:
    argv: object  # a string for shlex.split, or a list
    code: int = 0
    out: str = None  # regular expression that standard output must match somewhere
    err: str = None  # the same for standard error
    keys: list = None  # standard output is one JSON object with exactly these keys, in this order
    check: object = None  # called with the JSON object (or the text): raises AssertionError
    files: dict = dataclasses.field(default_factory=dict)  # name -> bytes, in the working folder
    env: dict = dataclasses.field(default_factory=dict)
    stdout: str = None  # a device to write to instead: "/dev/full"
    prints: bool = False  # standard output is used although the command fails


def refuse(text):
    raise AssertionError(f"JSON holds {text}")


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"duplicate key among {keys}"
    return dict(pairs)


def read_json(text):
    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def close(got, want, absolute=0.0, relative=0.0):
    assert abs(got - want) <= absolute + relative * abs(want), f"got {got!r}, want {want!r}"


def arguments(case):
    return shlex.split(case.argv) if isinstance(case.argv, str) else list(case.argv)


class Forks:
    """The command, loaded once: each run is a fork of it (forker.c), for loading takes longer than most of them."""

    def __init__(self, environment):
        self.environment, self.folder = environment, tempfile.TemporaryDirectory()
        self.ask, self.out, self.err = (os.path.join(self.folder.name, name) for name in ("ask", "out", "err"))
        asan = os.environ.get("ASAN_OPTIONS")  # leaks take longest to look for: the tests in C do
        self.process = subprocess.Popen(
            [COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**environment, "LD_PRELOAD": os.environ["NETDP_FORKER"],
                 **({"ASAN_OPTIONS": asan + ":verify_asan_link_order=0:detect_leaks=0"} if asan else {})})

    def run(self, argv, folder, stdout):
        words = [os.path.abspath(folder), stdout or self.out, self.err, COMMAND, *argv]
        pathlib.Path(self.ask).write_bytes(b"".join(os.fsencode(word) + b"\0" for word in words))
        self.process.stdin.write(self.ask + "\n")
        code = os.waitstatus_to_exitcode(int(self.process.stdout.readline()))
        said = b"" if stdout else pathlib.Path(self.out).read_bytes()
        return code, said.decode(), pathlib.Path(self.err).read_bytes().decode()


forks = None


def run(argv, folder, env=None, stdout=None):
    """Runs the command in `folder`; standard input is empty."""
    global forks
    environment = {**os.environ, "OMP_NUM_THREADS": "1" if LIGHT else "2", **(env or {})}  # sanitizers look at threads in C's tests
    if not env and "NETDP_FORKER" in os.environ:
        if forks is None or forks.environment != environment:
            forks = Forks(environment)
        return forks.run(argv, folder, stdout)
    target = open(stdout, "wb") if stdout else subprocess.PIPE
    try:
        done = subprocess.run([COMMAND, *argv], cwd=folder, stdin=subprocess.DEVNULL, stdout=target,
                              stderr=subprocess.PIPE, timeout=PATIENCE, env=environment)
    finally:
        if stdout:
            target.close()
    return done.returncode, (done.stdout or b"").decode(), done.stderr.decode()


def joined(summary, private):
    """What `private` says beside `summary`, in the same places."""
    for key, value in private.items():
        if isinstance(value, dict):
            joined(summary.setdefault(key, {}), value)
        elif key == "variants":
            for own, more in zip(summary[key], value):
                joined(own, more)
        elif key != "private":
            summary[key] = value
    return summary


def results(*folder):
    """Everything that a finished run says: summary.json, and private.json beside it."""
    told = {name: pathlib.Path(*folder, name) for name in ("summary.json", "private.json")}
    summary = read_json(told["summary.json"].read_text("utf-8"))
    if not told["private.json"].exists():
        return summary
    return joined(summary, read_json(told["private.json"].read_text("utf-8")))


def reseal(folder):
    """A manifest for what is in the folder now, as if the run had left it so."""
    path = pathlib.Path(folder, "manifest.json")
    manifest = read_json(path.read_text("utf-8"))
    manifest["files"] = {
        name: {**told, "sha256": hashlib.sha256(path.with_name(name).read_bytes()).hexdigest()}
        for name, told in manifest["files"].items() if path.with_name(name).exists()}
    text = json.dumps({**manifest, "sha256": "0" * 64})
    path.write_text(text.replace("0" * 64, hashlib.sha256(text.encode()).hexdigest()), "utf-8")


def work_for(process, seconds):
    """Waits until the process has had that much of the processor: what it has done by then depends on no other."""
    ticks = os.sysconf("SC_CLK_TCK")
    while True:
        assert process.poll() is None, "done before it could be interrupted"
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rpartition(")")[2].split()
        if (int(fields[11]) + int(fields[12])) / ticks >= seconds:
            return
        time.sleep(0.01)


def interrupt(argv):
    """Control-C after half a second of work: 130 and one line."""
    process = subprocess.Popen([COMMAND, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "OMP_NUM_THREADS": "2"})
    work_for(process, 0.5)
    process.send_signal(2)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        assert False, "does not stop after an interrupt"
    assert process.returncode == 130, process.returncode
    assert out == b"" and len(err.splitlines()) == 1, (out, err)


def judge(case, code, out, err):
    assert code == case.code, f"exit code {code}, want {case.code}"
    lines = err.splitlines()
    told = [line for line in lines if not re.match(r"netdp: (note|warning): ", line)]
    if code == 0:
        assert not told, "standard error holds more than notes"
    else:
        assert len(told) == 1 and told[0].startswith("netdp"), "the error is not one line"
        assert out == "" or case.prints, "standard output is used in a failure"
    if case.out is not None:
        assert re.search(case.out, out, re.M), f"standard output does not match {case.out!r}"
    if case.err is not None:
        assert re.search(case.err, err, re.M), f"standard error does not match {case.err!r}"
    read = read_json(out) if case.keys is not None else out
    if case.keys is not None:
        assert list(read)[0] == "schema" and read.pop("schema") == 1, f"no schema before {list(read)}"
        assert list(read) == case.keys, f"keys {list(read)}, want {case.keys}"
    if case.check is not None:
        case.check(read)


def fails(case):
    """The complaint about a case, or None."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in case.files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        code, out, err = None, "", ""
        try:
            code, out, err = run(arguments(case), folder, case.env, case.stdout)
            judge(case, code, out, err)
        except (AssertionError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as why:
            command = " ".join(shlex.quote(word) for word in arguments(case))
            return f"netdp {command}\n  {why}\n  stdout: {out[:400]!r}\n  stderr: {err[:1000]!r}"
    return None


def main(cases, more=()):
    """Runs the cases, and functions that raise AssertionError; ends the program."""
    cases = cases[::4] if LIGHT else cases
    complaints = [text for text in map(fails, cases) if text]
    for function in more:
        try:
            function()
        except AssertionError as why:
            complaints.append(f"{function.__name__}: {why}")
    print("\n".join(complaints))
    print(f"{len(cases) + len(more)} cases, {len(complaints)} failed")
    sys.exit(1 if complaints else 0)
