"""Ctrl-C at any instant stops the work, raises KeyboardInterrupt, and leaves the interpreter sound."""
import os
import random
import signal
import threading
import time

import netdp
import numpy as np
import pytest

TIMES = int(os.environ.get("NETDP_INTERRUPTS", "40"))


def pressing(after):
    """Ctrl-C from another thread, as the terminal sends it: to the process."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_long_work_stops():
    timer = pressing(0.5)
    with pytest.raises(KeyboardInterrupt):
        netdp.losses("hypercube 10", rounds=500, dither=0.5, certify="yes")
    timer.join()


def test_any_instant():
    want = netdp.losses("davis", rounds=7, noise=1, as_="dp:1e-6").matrix.copy()
    draw, stopped = random.Random(1), 0
    for _ in range(TIMES):
        timer = threading.Timer(draw.random() * 0.03, os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            for _ in range(20):
                netdp.losses("davis", rounds=7, noise=1, as_="dp:1e-6")
                netdp.losses("ring 40", rounds=60)
            time.sleep(5)
        except KeyboardInterrupt:
            stopped += 1
        timer.join()
    assert stopped == TIMES
    assert (netdp.losses("davis", rounds=7, noise=1, as_="dp:1e-6").matrix == want).all()


def test_handler_of_one_s_own():
    """Who replaced Python's handler hears of the signal; work that it stopped is said to be stopped."""
    heard = []
    old = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        timer = pressing(0.3)
        with pytest.raises(netdp.Interrupted):
            netdp.losses("hypercube 10", rounds=500, dither=0.5, certify="yes")
        timer.join()
        assert heard == [1]
    finally:
        signal.signal(signal.SIGINT, old)
    assert np.isfinite(netdp.losses("davis", rounds=3).mean)


def test_ignored_signal_is_ignored():
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        timer = pressing(0.01)
        for _ in range(10):
            netdp.losses("davis", rounds=7)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, old)
