#!/usr/bin/python3
"""What a peer keeps on disk of what left: nothing but a file of its own is written to, readable for nobody else whatever the
umask; a disk that is full ends the peer and says why, and with room it goes on and says the same bytes again. Any bit that
was changed in what it keeps (what left, the ledger, the pair key) ends it before it says anything, in one line with the file."""
import os
import pathlib
import resource
import signal
import stat
import subprocess
import time

from peers import NETDP, Peers

STUDY = f"""title: A disk that is full
seed: 1
graph: {{family: ring 4}}
mixing: {{weights: metropolis}}
data: {{source: meters, per_node: even, columns: [{", ".join("{name: h%d}" % hour for hour in range(24))}]}}
task: {{kind: mean, bounds: [0, 5]}}
protocol: {{kind: averaging, rounds: 3000}}
privacy: {{epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: 4}}
"""
MOST = 400_001  # bytes of a file: 3,000 frames of 220 do not fit, and the first that does not is cut in two


def little_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as on a full disk: a part is written, then nothing
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, resource.RLIM_INFINITY))


def refuses_each(net, path, bits):
    """Each of these bits of the file flipped, alone; and the file as it was is taken."""
    whole = path.read_bytes()
    for bit in bits:
        held = bytearray(whole)
        held[bit // 8] ^= 1 << bit % 8
        path.write_bytes(held)
        before = net.log(0)
        assert net.start(0).wait(60) == 2, (path.name, bit)
        said = net.log(0)[len(before):].splitlines()
        assert path.name in said[-1] and len(said[-1]) < 400, (bit, said)
        assert not any(word in line for line in said for word in ("event=started", "event=resumed", "event=contributed")), (bit, said)
    path.write_bytes(whole)
    begun = net.log(0).count("event=started")
    net.start(0)
    while net.log(0).count("event=started") == begun:
        assert net.running[0].poll() is None, net.log(0)
        time.sleep(0.02)
    net.running[0].kill()
    net.running[0].wait()


def bit_of(path, word):
    """Where a word lies in a file of the ledger."""
    at = path.read_bytes().index(word)
    return 8 * at + 3


os.umask(0)
with Peers(STUDY, noise=1) as net:
    frames = net.of(0) / "frames"
    for plant in (os.mkfifo, lambda path: path.symlink_to("/dev/null")):
        plant(frames)
        assert net.start(0).wait() in (2, 3), net.log(0)
        assert "event=started" not in net.log(0), "a planted file was taken"
        frames.unlink()
    (pair_key,) = net.of(0).glob("pair-key-*")
    refuses_each(net, pair_key, [5, 130, 249, 256, 500, 600, 1023])  # the secret, its public key, the signature
    frames.write_bytes(b"planted" * 10_000)
    frames.chmod(0o666)
    for one in range(1, net.count):
        net.start(one)
    with open(net.of(0) / "log", "ab") as log:
        full = subprocess.Popen([NETDP, "peer", net.of(0)], stdin=subprocess.DEVNULL, stderr=log, preexec_fn=little_room, restore_signals=False)
    assert full.wait() == 3, net.log(0)
    last = net.log(0).splitlines()[-1]
    assert "frames: cannot write" in last and "Success" not in last, last
    kept = frames.read_bytes()
    assert len(kept) == MOST, len(kept)
    net.start(0)
    net.wait()
    assert frames.read_bytes()[:MOST] == kept, "sent with other bytes"
    for one in range(net.count):
        for path in [path for path in net.of(one).iterdir() if path.name.startswith(("frames", "key", "ledger", "pair-key"))]:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    # The frames' heads, places and numbers, and checksums: of the first, of the middle, of the last.
    record = frames.stat().st_size // 3000
    refuses_each(net, frames, [8 * record * turn + bit for turn in (0, 1511, 2999) for bit in (0, 100, 300, 1700, 8 * record - 1)])
    # What a power cut may take of `frames`: the contribution is in the ledger and comes back, of other rounds nothing does.
    whole = frames.read_bytes()
    for turn, code in ((0, 0), (1, 2)):
        frames.write_bytes(whole[:turn * record] + bytes(record) + whole[(turn + 1) * record:])
        for one in range(1, net.count) if code == 0 else ():
            net.start(one)
        before = net.log(0).count("event=started")
        assert net.start(0).wait(60) == code and net.log(0).count("event=started") == before + (code == 0), net.log(0)[-300:]
        assert (frames.read_bytes() == whole) == (code == 0), turn
    frames.write_bytes(whole)
    first = frames.read_bytes()[:record - 32]
    refuses_each(net, net.of(0) / "ledger.db", [bit_of(net.of(0) / "ledger.db", first[100:164])])  # its stored contribution
print(f"{len(kept)} bytes on a full disk, and the rest with room; planted files are not taken")
