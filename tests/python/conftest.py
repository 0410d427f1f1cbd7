"""netdp for Python against the command: the same numbers, to the last bit."""
import json
import os
import shlex
import subprocess

import pytest

COMMAND = os.environ["NETDP_COMMAND"]


@pytest.fixture
def command(tmp_path):
    """command("loss --family davis ...") is what it prints with --json."""

    def run(line, *more, json_too=True, cwd=tmp_path):
        done = subprocess.run([COMMAND, *shlex.split(line), *more, *(["--json"] if json_too else [])], cwd=cwd, check=True,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        return json.loads(done.stdout) if json_too else done.stdout

    return run


@pytest.fixture
def refuses(tmp_path):
    """The line that a command fails with, without who says it."""

    def run(line):
        done = subprocess.run([COMMAND, *shlex.split(line)], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        assert done.returncode != 0
        return done.stderr.strip().partition(": ")[2]

    return run
