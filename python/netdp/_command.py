"""The commands netdp and netdp-verify of a wheel, which has them inside."""
import os
import sys
from typing import NoReturn


def _run(name: str) -> NoReturn:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    if not os.access(program, os.X_OK):
        sys.exit(f"{name}: this build of the package has no command; install the wheel or Debian's package, or build it with make")
    os.execv(program, [name, *sys.argv[1:]])


def netdp() -> NoReturn:
    _run("netdp")


def verify() -> NoReturn:
    _run("netdp-verify")
