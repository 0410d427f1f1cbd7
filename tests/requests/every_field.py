#!/usr/bin/env python3
"""Every function of the public headers, with every field of every request and every argument set in turn to zero, a
negative, a huge, an infinite and no number, every enum to each of its values and to some that it has not, every pointer
to NULL, and arrays, strings and whole structs likewise: no call crashes or hangs, and what can fail answers with a
status. The functions, types and fields are those that the headers declare today; baseline.py says what a call that is
right looks like, and a function or struct that it does not know is a failure.

    every_field.py INCLUDE LIBRARY [FUNCTION...]
"""
import collections
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

import cffi

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import baseline  # noqa: E402
import bind  # noqa: E402
from baseline import Struct  # noqa: E402

CPU = 20  # seconds that a call may take; work that can be stopped is asked to stop after PATIENCE
PATIENCE = 0.05
MEMORY = 6 << 30
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")

INTEGERS = {"int32_t": (0, -1, 1, 2**31 - 1, -2**31), "int64_t": (0, -1, 1, 2**31 - 1, 2**32, 2**63 - 1, -2**63),
            "uint64_t": (0, 2**64 - 1), "uint32_t": (0, 2**32 - 1), "size_t": (0,), "int": (0, 1, -1, 2**31 - 1),
            "unsigned int": (0, 2**32 - 1), "_Bool": (False, True)}
DOUBLES = (0.0, -1.0, 0.5, 1.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf"))
TEXTS = (b"", b" ", b"1", b"-1", b"nan", b"1e999", b"x:y", b"\xff\xfe", b"%s%n", b"9" * 70000)


class World:
    """The library, and what is made of it once in every process that calls it."""

    def __init__(self, include, library):
        source = bind.headers(pathlib.Path(include))
        self.plain = subprocess.run(["cc", "-E", "-P", "-x", "c", *bind.SILENT, "-"], input=source, check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
        self.ffi = cffi.FFI()
        self.ffi.cdef(self.plain + "void free(void *);")
        self.lib = self.ffi.dlopen(library)
        self.functions = dict(functions(self.plain))
        self.keep = []
        self.since = 0.0
        self.calls = False

    def made(self):
        """What opaque arguments are: graphs, studies, losses."""
        self.folder = tempfile.mkdtemp()
        baseline.make(self)

    def told(self):
        """Is a call to be stopped?"""
        return time.process_time() - self.since < PATIENCE


def functions(plain):
    """Name, and (type as the header has it, name) of each argument."""
    bare = plain
    while re.search(r"\{[^{}]*\}", bare):
        bare = re.sub(r"\{[^{}]*\}", "", bare)
    for line in re.sub(r"\s+", " ", bare).split(";"):
        found = re.match(r"^(?! ?typedef) ?(.*?)\b(netdp_\w+) ?\((.*)\)$", line)
        if found:
            arguments = [] if found[3].strip() == "void" else [
                re.match(r"^ ?(.*?)(\w+)((?:\[\w*\])*)$", one).groups() for one in found[3].split(",")]
            yield found[2], (found[1].strip(), [(kind.strip() + (" *" if array else ""), name) for kind, name, array in arguments])


# A path into the arguments of a call: (index of the argument, field, field, ...), and what is put there.
Change = collections.namedtuple("Change", "path value")


def values_of(kind):
    """What is tried for a type."""
    if kind.kind == "enum":
        known = sorted(kind.elements)
        return [*known, known[-1] + 1, 2**31 - 1] + ([-1] if known[0] < 0 else [])
    if kind.kind == "primitive":
        return list(DOUBLES if kind.cname in ("double", "float") else INTEGERS[kind.cname])
    return []


def changes(world, kind, value, path, lengths, name):
    """Everything that is tried below a path whose baseline is `value`; `name` is what lengths call it."""
    if kind.kind in ("primitive", "enum"):
        for tried in values_of(kind):
            if name not in lengths or tried <= (value or 0):
                yield Change(path, tried)
    elif kind.kind == "struct":
        fields = dict(kind.fields or ())
        assert not set(value or ()) - set(fields), f"{kind.cname} has no {sorted(set(value) - set(fields))}"
        yield Change(path, Struct(kind.cname))
        for inner, field in fields.items():
            yield from changes(world, field.type, (value or {}).get(inner), path + (inner,), lengths, f"{kind.cname}.{inner}")
    elif kind.kind in ("pointer", "function"):
        if value is not None:
            yield Change(path, None)
        if isinstance(value, bytes):
            for tried in TEXTS:
                yield Change(path, tried)
        elif isinstance(value, Struct):
            yield from changes(world, kind.item, value, path + ("*",), lengths, name)
        elif isinstance(value, list) and value:
            for tried in (values_of(kind.item) if kind.item.kind == "primitive" else
                          [] if kind.item.kind == "struct" else [None, *TEXTS[:4]]):
                yield Change(path + (0,), tried)
            if kind.item.kind == "struct":
                yield from changes(world, kind.item, value[0], path + (0,), lengths, name)


def put(value, path, new):
    """The baseline with something else at a path."""
    if not path:
        return new
    step = path[0]
    if step == "*":
        return put(value, path[1:], new)
    if isinstance(step, int):
        return [put(value[0], path[1:], new), *value[1:]]
    changed = Struct(value.name, **value) if value is not None else Struct(None)
    changed[step] = put(changed.get(step), path[1:], new)
    return changed


def build(world, kind, value):
    """A C value of a baseline; what it refers to is kept."""
    ffi = world.ffi
    if kind.kind in ("pointer", "function"):
        if value is None:
            return ffi.NULL
        if isinstance(value, bytes):
            made = ffi.new("char[]", value)
        elif isinstance(value, Struct):
            made = ffi.new(ffi.getctype(kind.item, "*").replace("const ", ""))
            fill(world, kind.item, made, value)
        elif isinstance(value, list):
            made = ffi.new(ffi.getctype(kind.item, "[]"), max(len(value), 1))
            for i, one in enumerate(value):
                if kind.item.kind == "struct":
                    fill(world, kind.item, made + i, one)
                else:
                    made[i] = build(world, kind.item, one)
        else:
            return value
        world.keep.append(made)
        return made
    if kind.kind == "struct":
        made = ffi.new(ffi.getctype(kind, "*"))
        fill(world, kind, made, value or {})
        world.keep.append(made)
        return made[0]
    if kind.kind == "array":
        return value
    return value if value is not None else 0


def fill(world, kind, made, value):
    for name, field in kind.fields:
        if field.type.kind == "struct":
            inner = value.get(name)
            if inner:
                fill(world, field.type, world.ffi.addressof(made[0], name), inner)
            continue
        if value.get(name) is None:
            continue
        if field.type.kind == "array":
            for i, one in enumerate(value[name]):
                getattr(made, name)[i] = one if field.type.item.kind == "primitive" else build(world, field.type.item, one)
            continue
        if field.type.kind == "enum":
            # cffi takes only integers that an enum's type holds.
            at = world.ffi.cast("uint32_t *", world.ffi.addressof(made[0], name))
            at[0] = value[name] & 0xFFFFFFFF
            continue
        setattr(made, name, build(world, field.type, value[name]))


def call(world, name, arguments):
    """One call, from a baseline or a changed one: the status, or None of what has none."""
    function = getattr(world.lib, name)
    kinds = world.ffi.typeof(function).args
    built = []
    for kind, value in zip(kinds, arguments):
        if kind.kind == "enum":
            value = value & 0xFFFFFFFF if value >= 0 or min(kind.elements) >= 0 else value
        built.append(build(world, kind, value))
    world.since = time.process_time()
    return function(*built), built


def child(world, name, variant, todo, pipe):
    """Calls one after the other, telling each before and after; ends where one ends the process."""
    world.calls = True
    world.made()
    cases = list(variants(world, name))
    base = cases[variant][0]
    returns_status = world.functions[name][0].endswith("netdp_status")
    for i, change in todo:
        os.write(pipe, struct.pack("<ii", i, -1))
        arguments = base if change is None else list(base)
        if change is not None:
            arguments[change.path[0]] = put(base[change.path[0]], change.path[1:], change.value)
        world.keep.clear()
        # Afresh for every call: the call before it may have changed what it was given.
        if name in baseline.CHANGES:
            world.made()
            base_again = list(variants(world, name))[variant][0]
            arguments = list(base_again)
            if change is not None:
                arguments[change.path[0]] = put(base_again[change.path[0]], change.path[1:], change.value)
        signal.setitimer(signal.ITIMER_PROF, CPU)
        answer, built = call(world, name, arguments)
        signal.setitimer(signal.ITIMER_PROF, 0)
        code = int(answer) if returns_status else 0
        bad = name not in baseline.MAY_DIVERGE and returns_status and code == 0 and any(value != value for value in outputs(world, name, built))
        os.write(pipe, struct.pack("<ii", i, 1000 if bad else code))


def outputs(world, name, built):
    """The first number of every array of doubles that a call wrote to."""
    for (text, argument), kind, value in zip(world.functions[name][1], world.ffi.typeof(getattr(world.lib, name)).args, built):
        if kind.kind == "pointer" and kind.item.cname == "double" and "const" not in text and value != world.ffi.NULL:
            yield value[0]


def variants(world, name):
    """(arguments of a call that is right, what is not changed) for each of a function's baselines."""
    kinds = world.ffi.typeof(getattr(world.lib, name)).args
    return baseline.calls(world, name, world.functions[name][1], kinds)


# Has a function answered a baseline?
answered = collections.defaultdict(bool)


def run(world, name, variant, base, lengths):
    """All changes of one baseline, in as many processes as it takes."""
    kinds = world.ffi.typeof(getattr(world.lib, name)).args
    returns_status = world.functions[name][0].endswith("netdp_status")
    every = [None]
    for i, (kind, value) in enumerate(zip(kinds, base)):
        for change in changes(world, kind, value, (i,), lengths, f"{name}.{world.functions[name][1][i][1]}"):
            # What returns no status cannot refuse a pointer or an index: its header says what it asks for.
            if not returns_status and len(change.path) == 1 and kind.kind != "enum" and kind.cname != "double":
                continue
            every.append(change)
    faults, told, at, again = [], collections.Counter(), 0, set()
    while at < len(every):
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reader)
            try:
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                if not SANITIZED:
                    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                quiet = os.open("/dev/null", os.O_WRONLY)
                if not SANITIZED:
                    os.dup2(quiet, 2)
                os.dup2(quiet, 1)
                os.chdir(world.folder)  # what is written under a made-up name
                child(world, name, variant, list(enumerate(every))[at:], writer)
            except BaseException as failure:  # noqa: BLE001
                os.write(writer, struct.pack("<ii", -1, 0))
                sys.stderr.write(f"{name}: {failure!r}\n")
                os._exit(99)
            os._exit(0)
        os.close(writer)
        text = b""
        while part := os.read(reader, 65536):
            text += part
        os.close(reader)
        ended = os.waitpid(process, 0)[1]
        last = None
        for i, code in struct.iter_unpack("<ii", text):
            if code >= 0 and i >= 0:
                told[code] += 1
                at = i + 1
                answered[name] |= every[i] is None and code == 0
                if returns_status and code not in range(6):
                    faults.append((name, variant, every[i], "NaN" if code == 1000 else f"status {code}"))
            else:
                last = i
        if ended == 0:
            break
        how = signal.Signals(os.WTERMSIG(ended)).name if os.WIFSIGNALED(ended) else f"exit {os.WEXITSTATUS(ended)}"
        if how == "SIGPROF" and at not in again:
            again.add(at)  # a machine that stood still may count that as the call's: what hangs does so twice
            continue
        faults.append((name, variant, every[at], how))
        at += 1
        if last is None or last == -1:
            break
    return len(every), faults, told


def main(include, library, *wanted):
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    world = World(include, library)
    world.made()
    called, faults, refused = 0, [], collections.Counter()
    names = [name for name in world.functions if not wanted or name in wanted]
    for name in names:
        if name in baseline.LEFT_OUT:
            continue
        for variant, (base, lengths) in enumerate(variants(world, name)):
            count, found, told = run(world, name, variant, base, lengths)
            called += count
            faults += found
            refused.update(told)
    for name in names:
        if name not in baseline.LEFT_OUT and not answered[name] and name not in baseline.UNANSWERED:
            faults.append((name, 0, "every baseline", "is refused: what is changed about it tests nothing"))
    for name, variant, change, how in faults:
        print(f"{name}[{variant}]: {change if isinstance(change, str) else '.'.join(str(s) for s in change.path) if change else 'baseline'}"
              f"{'' if isinstance(change, str) or change is None else ' = ' + repr(change.value)[:60]}: {how}")
    print(f"{len(names)} functions, {called} calls, {len(faults)} faults; answers: "
          + ", ".join(f"{code}: {count}" for code, count in sorted(refused.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
