#!/usr/bin/python3
"""The frame of the command: help, versions, unknown words, options, standard streams, signals."""
import fcntl
import os
import pty
import re
import signal
import subprocess
import termios
import time

from harness import COMMAND, PATIENCE, Case, main, run, work_for

COMMANDS = ["graph", "claim", "convert", "data", "version", "loss", "calibrate", "run"]
LONG = ["loss", "--family", "hypercube 11", "--rounds", "60", "--noise", "1", "--json"]

CASES = [
    Case("", out="Usage: netdp COMMAND"),
    Case("--help", out="netdp loss --family davis --rounds 20"),
    Case("-h", out="Run a study"),
    Case("help", out="Between real machines"),
    Case("help all", out="Exit codes"),
    Case("help loss all", out="The protocols"),
    Case("help graph", out="Usage: netdp graph "),
    Case("help nothing", 2, err="unknown command"),
    Case("--version", out=r"^netdp +\d+\.\d+\.\d+$"),
    Case("--version x", 2, err="too many"),
    Case("version", out=r"^igraph +\d"),
    Case("version --json", keys=["netdp", "igraph", "openblas", "kernels", "flint", "jansson",
                                 "libcyaml", "libsodium", "popt"]),
    Case("version x", 2, err="'x': one argument too many"),
    Case("grahp", 2, err="did you mean 'netdp graph'"),
    Case("zzzzzz", 2, err="see netdp --help"),
    Case("--nothing", 2, err="unknown option"),
    Case(["gr\naph"], 2),
    Case([""], 2),
    Case("graph", 2, err="missing make"),
    Case("graph mke", 2, err="make or info"),
    Case("graph info --famly x", 2, err="did you mean --family"),
    Case("graph info --zzzzzz", 2, err="--zzzzzz: unknown option; see netdp graph info --help"),
    Case("graph info --family", 2, err="--family: a value must follow"),
    Case("graph info --json=1 --family 'ring 3'", 2, err="takes no value"),
    Case("graph info --family 'ring 3' --family 'ring 4'", 2, err="--family: given twice"),
    Case("graph info --family 'ring 3' stray", 2, err="'stray'"),
    Case("graph info --family 'ring 3' --help", out="Usage: netdp graph info"),
    *[Case(f"version --threads {bad}", 2, err="--threads")
      for bad in ("0", "-1", "1.5", "two", "''", "1025", "99999999999999999999", "0x2", "' 2'")],
    Case("version --threads 2"),
    *[Case(f"graph make ring 3 --seed {bad}", 2, err="--seed")
      for bad in ("-1", "1.0", "18446744073709551616", "x", "''", "+1")],
    Case("graph make ring 3 --seed 18446744073709551615"),
    *[Case(f"{words} --help all", out="Every command:") for words in
      COMMANDS + ["graph make", "graph info"]],
    *[Case(words, 3, err="standard output", stdout="/dev/full") for words in
      ("", "--help", "version", "version --json", "graph make ring 9", "data", "data --json",
       "graph info --family 'ring 9'", "graph info --family 'ring 9' --json", "convert --help",
       "convert gdp:1 --to gdp", "convert gdp:1 --to gdp --json")],
]


def closed_standard_output():
    """A closed descriptor 1 is an error, and no file takes its number."""
    done = subprocess.run(["/bin/sh", "-c", '"$0" version >&-', COMMAND], stderr=subprocess.PIPE)
    assert done.returncode == 3, done.returncode
    assert done.stderr.count(b"\n") == 1, done.stderr


def closed_pipe():
    """A reader that has seen enough is no error worth a word."""
    done = subprocess.run(["/bin/sh", "-c", '"$0" graph make complete 900 | head -n 1', COMMAND],
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    assert done.stderr == b"", done.stderr


def every_option_says_its_default():
    """On each help page an option with a value names its default, or that it must be given."""
    for words in COMMANDS + ["graph make", "graph info"]:
        code, out, _ = run([*words.split(), "--help", "all"], "/")
        assert code == 0, words
        page = out.split("\nUsage:")[1].split("\nExamples:")[0]
        entries = re.split(r"\n(?=  -., |      --)", page)[1:]
        assert len(entries) >= 2, entries  # --threads and --help at least
        for entry in entries:
            text = " ".join(entry.split("\n\n")[0].split())
            if re.match(r"(-., )?--[a-z-]+=", text):
                assert re.search(r"\((default: .+|required.*|this or .+)\)$", text), text


def help_pages():
    """The words of every help page: commands as `netdp help` lists them, theirs, and each protocol of those that have some."""
    _, out, _ = run(["--help", "all"], "/")
    pages = [[]]
    for name in re.findall(r"^  ([a-z]+)  ", out, re.M):
        if name == "help":
            continue
        _, page, _ = run([name, "--help", "all"], "/")
        below = re.search(rf"^Usage: netdp {name} ([a-z]+(?:\|[a-z]+)+)", page, re.M)
        pages += [[name], *([name, one] for one in (below.group(1).split("|") if below else []))]
        protocols = re.search(r"^The protocols.*?\n(.*?)\n\n", page, re.M | re.S)
        named = re.findall(r"^  ([a-z]+(?:-[a-z]+)*)  ", protocols.group(1), re.M) if protocols else []
        pages += [[name, "--protocol", one] for one in named]
    return pages


def no_heading_stands_alone():
    """Below each heading of each help page is something: an indented line, or a sentence."""
    pages, headings = help_pages(), 0
    assert len(pages) > 50, pages
    for words in [[*words, *end] for words in pages for end in (["--help"], ["--help", "all"])]:
        code, out, _ = run(words, "/")
        assert code == 0, words
        lines = out.split("\n") + [""]
        for above, heading, below in zip(["", *lines], lines, lines[1:]):
            if re.fullmatch(r"[A-Z][^.]*:", heading) and above == "":
                headings += 1
                assert below.strip(), f"netdp {' '.join(words)}: nothing below '{heading}'"
    assert headings > 150, headings


def first_pages_are_one_screen():
    """--help of each command fits a terminal of 24 lines of 80 characters with its prompt, and leads to the rest."""
    for words in help_pages():
        if "--protocol" in words:
            continue
        code, page, _ = run([*words, "--help"], "/")
        _, whole, _ = run([*words, "--help", "all"], "/")
        lines = sum(max(len(line) - 1, 0) // 80 + 1 for line in page.splitlines())
        assert code == 0 and lines < 24, (words, lines)
        assert page == whole or "--help all" in page, words
        assert set(re.findall(r"^  (?:-., )?(--[a-z-]+)", page, re.M)) <= {f"{option}" for option in re.findall(r"--[a-z-]+", whole)} or page == whole, words
        for must in re.findall(r"^      --([a-z-]+)=(?:(?!\n      --|\n\n)[\s\S])*\((?:required\)|this or)", whole, re.M):
            assert f"--{must}=" in page or must == "flip", (words, must)


def signals_stop_long_work():
    for number in (signal.SIGINT, signal.SIGTERM):
        work = subprocess.Popen([COMMAND, *LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        work_for(work, 0.5)
        work.send_signal(number)
        out, err = work.communicate(timeout=PATIENCE)
        assert work.returncode == 130, (work.returncode, err)
        assert out == b"" and err.count(b"\n") == 1, err


def bar_on_a_terminal_only():
    leader, follower = pty.openpty()
    work = subprocess.Popen([COMMAND, *LONG], stdout=subprocess.DEVNULL, stderr=follower)
    os.close(follower)
    seen, end = b"", time.monotonic() + PATIENCE
    while b" left" not in seen and time.monotonic() < end:
        seen += os.read(leader, 4096)
    work.send_signal(signal.SIGINT)
    try:
        while part := os.read(leader, 4096):
            seen += part
    except OSError:  # the other end is closed
        pass
    assert work.wait(60) == 130, work.returncode
    assert b" left" in seen and b"/s" in seen and b"%" in seen, seen


def asks_before_hours():
    """At a terminal; anything but a yes, also the end of input or ^C, begins nothing."""
    for words in (["loss", "--family", "regular 60000 6", "--rounds", "12"],
                  ["calibrate", "--family", "regular 60000 6", "--rounds", "12", "--target", "1", "--as", "dp:1e-6"]):
        for typed, begins in ((b"n\n", False), (b"\n", False), (b"\x04", False), (b"\x03", False), (b"yes\n", True)):
            leader, follower = pty.openpty()
            work = subprocess.Popen([COMMAND, *words, "--dither", "0.01"], stdin=follower, stdout=subprocess.DEVNULL,
                                    stderr=follower, start_new_session=True,
                                    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            os.close(follower)
            seen, end, answered = b"", time.monotonic() + PATIENCE, False
            try:
                while time.monotonic() < end and not (answered and b" left" in seen):
                    seen += os.read(leader, 4096)
                    if not answered and b"Begin? [y/N] " in seen:
                        os.write(leader, typed)
                        answered = True
                work.send_signal(signal.SIGINT)
                while part := os.read(leader, 4096):
                    seen += part
            except OSError:  # the other end is closed
                pass
            os.close(leader)
            assert work.wait(PATIENCE) == 130 and answered, (words, typed, seen)
            assert (b" left" in seen) == begins and (b"not begun" in seen) == (not begins and typed != b"\x03"), (words, typed, seen)
    # Where nobody can answer nobody is asked.
    work = subprocess.Popen([COMMAND, "loss", "--family", "regular 60000 6", "--rounds", "12", "--dither", "0.01"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    work_for(work, 0.5)
    work.send_signal(signal.SIGINT)
    assert b"Begin?" not in work.communicate(timeout=PATIENCE)[1] and work.returncode == 130


main(CASES, [closed_standard_output, closed_pipe, every_option_says_its_default, no_heading_stands_alone, first_pages_are_one_screen,
             signals_stop_long_work, bar_on_a_terminal_only, asks_before_hours])
