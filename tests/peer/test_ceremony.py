#!/usr/bin/python3
"""docs/keys.md to the letter: every command of its console blocks, in order; and what it says of them: the two places where a key is
read out print the same, the package's name is one, it changes with a key, and budgets stop the second study of an old key."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time

from peers import NETDP, free_ports

PAGE = pathlib.Path(os.environ["NETDP_SOURCE"], "docs/keys.md").read_text(encoding="utf-8")
WAIT = 600


def blocks():
    """Files that the page shows, and its commands, in order."""
    for words, text in re.findall(r"^```([^\n]*)\n(.*?)^```$", PAGE, re.S | re.M):
        kind, _, name = words.partition(" ")
        if name:
            yield name, text
        elif kind == "console":
            yield None, text


def command(line, folder, code=0):
    done = subprocess.run([NETDP, *shlex.split(line)[1:]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, (line, done.returncode, done.stdout, done.stderr)
    return done.stdout


def wait_for_results(net):
    end = time.monotonic() + WAIT
    while not all((net / name / "result.json").exists() for name in ("north", "south", "west")):
        assert time.monotonic() < end, [(net / name / "peer.log").read_text() for name in ("north", "south", "west")]
        time.sleep(0.1)


def key_of(text):
    return re.search(r"\bkey:? ([0-9a-f]{64})", text)[1]


def follow(folder):
    first, guard = free_ports()
    packages, made, commands = [], None, 0
    for name, text in blocks():
        if name:
            (folder / name).write_text(text, encoding="utf-8")
            continue
        for line in text.splitlines():
            commands += 1
            line = re.sub(r"127\.0\.0\.1:740(\d)", lambda at: f"127.0.0.1:{first + int(at[1])}", line)
            said = command(line, folder)
            if "Your key" in said:
                made = key_of(said)
            if "--accept" in line:
                assert key_of(said) == made, "the two that are read out differ"
            if "net join net" in line and "invitation" not in line:
                packages.append(re.search(r"Package ([0-9a-f]{64})", said)[1])
            if "net up" in line:
                wait_for_results(folder / "net")
    assert commands > 35 and len(packages) == 7, (commands, packages)
    assert len(set(packages[:3])) == len(set(packages[3:6])) == 1 and len({packages[0], packages[3], packages[6]}) == 3, packages
    guard.close()


with tempfile.TemporaryDirectory(prefix="netdp-keys-") as room:
    folder = pathlib.Path(room)
    for number, name in enumerate(("north", "south", "west")):
        (folder / f"values-{name}.csv").write_text(f"hours\n{3 + number}\n", encoding="utf-8")
    try:
        follow(folder)
        # The old package still names the key that was taken out: north joins the newest, and its budget has no room for it.
        join = "netdp net join net-2 --data ../../values-north.csv -o net/north"
        command(join, folder)
        refused = subprocess.run([NETDP, "peer", folder / "net/north"], capture_output=True, text=True, check=False)
        assert refused.returncode == 1 and "this study would make it epsilon" in refused.stderr + refused.stdout, refused
    finally:
        subprocess.run([NETDP, "net", "down", "net"], cwd=folder, capture_output=True, check=False)
print("every command of docs/keys.md, and what it says")
