"""Calling the C library: statuses become exceptions, Ctrl-C stops it, and progress is told."""
from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any, Callable, Optional, Type, Union


def _prepare() -> None:
    """What OpenBLAS and OpenMP read once, when they are loaded, as the command sets it for itself."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    if "OPENBLAS_CORETYPE" in os.environ or not sys.platform.startswith("linux"):
        return
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            said = file.read()
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            if "openblas" in file.read():  # loaded already, and settled
                return
    except OSError:
        return
    flags = set(said.partition("\nflags")[2].partition("\n")[0].split())
    # Debian's OpenBLAS takes Intel's processors of the last years for ones without AVX.
    if "GenuineIntel" in said and {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        os.environ["OPENBLAS_CORETYPE"] = "SkylakeX"


_prepare()

from netdp._native import ffi as ffi, lib as lib  # noqa: E402  (after what it reads)

Progress = Callable[[str, float, float], Any]


class Error(Exception):
    """What netdp says went wrong: one line of what, where, and what to do."""

    status: int = lib.NETDP_INVALID


class NoAnswer(Error):
    """The question has no answer: a target that cannot be reached."""

    status = lib.NETDP_NO_ANSWER


class Invalid(Error, ValueError):
    """Bad usage or bad content."""

    status = lib.NETDP_INVALID


class Unavailable(Error, OSError):
    """A system or I/O error: of a file, a disk or a device."""

    status = lib.NETDP_ENVIRONMENT


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""

    status = lib.NETDP_NO_MEMORY


class Interrupted(Error):
    """The progress callback asked to stop, or a signal did whose handler raised nothing."""

    status = lib.NETDP_INTERRUPTED


_KINDS = {kind.status: kind for kind in (NoAnswer, Invalid, Unavailable, OutOfMemory, Interrupted)}


def text_of(pointer: Any) -> Optional[str]:
    """A text that the library owns; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def take_text(pointer: Any) -> str:
    """A text that is the caller's to free."""
    try:
        return text_of(pointer[0]) or ""
    finally:
        lib.free(pointer[0])


def bytes_of(text: Union[str, "os.PathLike[str]"]) -> bytes:
    if not isinstance(text, (str, os.PathLike)):
        raise Invalid(f"{text!r}: is not a text")
    try:
        coded = os.fsencode(text)
    except UnicodeEncodeError:
        raise Invalid(f"{text!r}: is not UTF-8") from None
    if b"\0" in coded:
        raise Invalid(f"{text!r}: holds a NUL; leave it out")
    return coded


def call(function: Callable[..., int], *arguments: Any) -> None:
    """A fallible function of the library; `error`, its last argument, is ours."""
    error = ffi.new("netdp_error *")
    status = function(*arguments, error)
    if status != lib.NETDP_OK:
        raise _KINDS.get(status, Error)(text_of(error.text))


class Watch:
    """One long call: `with Watch(progress) as watch: call(lib.f, ..., watch.pointer, ...)`."""

    def __init__(self, progress: Union[Progress, bool, None] = None) -> None:
        self.bar: Any = None
        self.raised: Optional[BaseException] = None
        if progress is True:
            progress = self._show
        self.progress = progress or None
        self.state = ffi.new("netdp_watch *", {"told": self.progress is not None})
        self.pointer = ffi.new("netdp_progress *", {"report": ffi.addressof(lib, "netdp_watch_report"),
                                                    "context": self.state})

    def _show(self, what: str, done: float, total: float) -> None:
        if self.bar is None:
            from tqdm.auto import tqdm

            self.bar = tqdm(total=total, desc=what, unit="", leave=False)
        if self.bar.desc.rstrip(": ") != what or self.bar.total != total:
            self.bar.reset(total=total)
            self.bar.set_description(what)
        self.bar.update(done - self.bar.n)

    def __enter__(self) -> "Watch":
        if self.progress is not None:
            _watched[int(ffi.cast("intptr_t", self.state))] = self
        lib.netdp_watch_begin(self.state)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self.progress is not None:
            _watched.pop(int(ffi.cast("intptr_t", self.state)), None)
        if self.bar is not None:
            self.bar.close()
        if self.raised is not None and isinstance(value, Interrupted):
            raise self.raised from None


_watched: "dict[int, Watch]" = {}


@ffi.def_extern(error=False)  # type: ignore[misc]
def netdp_told(state: Any, what: Any, done: float, total: float) -> bool:
    watch = _watched[int(ffi.cast("intptr_t", state))]
    assert watch.progress is not None
    try:
        return watch.progress(text_of(what) or "", done, total) is not False
    except BaseException as raised:  # noqa: B902  (Ctrl-C too: it goes on where the call ends)
        watch.raised = raised
        return False
