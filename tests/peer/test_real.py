#!/usr/bin/python3
"""Real noise: 32 peers, 24 numbers each. The mean's error has the variance that is predicted, n times less than one's own
noise: pairs cancel. Nothing private is in any log, metric or result; a budget that does not suffice ends it before it
starts, and so do data of one's own in test mode. No parser of graphs is ever in a peer's memory: no XML, no igraph."""
import json
import math
import random
import re
import time

from peers import Peers

COLUMNS = ", ".join("{name: h%d}" % hour for hour in range(24))
STUDY = f"""title: A day of 32 households
seed: 1
graph: {{family: davis}}
mixing: {{weights: metropolis}}
data: {{source: meters, per_node: one, columns: [{COLUMNS}]}}
task: {{kind: mean, bounds: [0, 5], unit: kWh}}
protocol: {{kind: averaging, rounds: 60}}
privacy: {{epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: 20}}
"""
NOISE = 0.5


def check_spent(net, one, metrics):
    """What was spent towards whom is what the result says that the study cost, beside the budget; and no label says a round."""
    spent = {who: float(value) for who, value in re.findall(r'^netdp_peer_spent_epsilon{observer="([^"]*)"} (\S+)$', metrics, re.M)}
    limit = {who: float(value) for who, value in re.findall(r'^netdp_peer_budget_epsilon{observer="([^"]*)"} (\S+)$', metrics, re.M)}
    account = net.result(one)["account"]
    cost = {" and ".join(entry["observers"]): entry["epsilon"] for entry in account["towards"]}
    cost |= {"all others together": account["everyone_else"], "an eavesdropper on every link": account["eavesdropper"]}
    assert spent.keys() == cost.keys() == limit.keys(), (sorted(spent), sorted(cost))
    for who, epsilon in cost.items():
        assert epsilon * (1 - 1e-12) <= spent[who] <= epsilon * (1 + 1e-6), (who, spent[who], epsilon)
        assert limit[who] == 1000 or who == "all others together", (who, limit)
    assert cost["all others together"] <= limit["all others together"] <= cost["all others together"] * (1 + 1e-6)
    assert "netdp_peer_budget_delta 9.9999999999999995e-07\n" in metrics
    for label in re.findall(r"{(.*)}", metrics):
        for name, value in re.findall(r'(\w+)="([^"]*)"', label):
            assert name in ("observer", "for", "member", "reason") and not (name == "for" and re.search(r"\d", value)), label
    assert metrics.count("netdp_peer_waiting{") == 6 and "round=" not in metrics

with Peers(STUDY, noise=NOISE) as net:
    planted = random.Random(3)
    values = [[planted.uniform(0.1, 4.9) for _ in range(24)] for _ in range(net.count)]
    for one in range(net.count):
        path = net.of(one) / "values.csv"
        path.write_text(path.read_text().splitlines()[0] + "\n" + ",".join(map(repr, values[one])) + "\n")
    # Too little budget, and test mode with a file: refused in one line, nothing reserved, nothing sent.
    plenty = (net.of(0) / "budget.yaml").read_text()
    (net.of(0) / "budget.yaml").write_text("delta: 1e-6\npeer: 0.01\n")
    assert net.start(0).wait() == 1 and "budget" in net.log(0), net.log(0)
    (net.of(0) / "budget.yaml").write_text(plenty)
    settings = (net.of(1) / "peer.json").read_text()
    net.settle(1, test={"seed": 1})
    assert net.start(1).wait() == 2 and "real data are never read" in net.log(1), net.log(1)
    (net.of(1) / "peer.json").write_text(settings)

    for one in range(net.count):
        net.settle(one, metrics="metrics")
        last = net.start(one)
    mapped = set()
    while last.poll() is None:
        with open(f"/proc/{last.pid}/maps", encoding="utf-8") as maps:
            mapped |= set(re.findall(r"/(lib\w+|netdp\S*)[^/]*$", maps.read(), re.M))
        time.sleep(0.01)
    net.wait()
    assert {"libssl", "libsqlite3"} <= mapped and not any(re.search("igraph|xml|icu|glpk", name) for name in mapped), mapped
    net.prove(0)
    estimates = [net.result(one)["estimate"] for one in range(net.count)]
    assert all("sampled exactly and rounded" in net.result(one)["noise"] for one in range(net.count))
    # One's own noise is sigma Delta, Delta = 5 kWh sqrt(24); of the mean 1/sqrt(n) of it, and the dithers'.
    deviation = NOISE * 5 * math.sqrt(24) * math.sqrt((1 + 59 * 0.02**2) / net.count)
    scores = []
    for hour in range(24):
        truth = sum(row[hour] for row in values) / net.count
        scores.append((sum(row[hour] for row in estimates) / net.count - truth) / deviation)
    square = sum(score**2 for score in scores)
    assert max(map(abs, scores)) < 5, scores  # once in 70,000 runs
    assert 3.87 < square < 72.3, square  # chi squared, 24: 1e-6 below, 1e-6 above
    # All have the same: what is left of the pairs' noise is smaller than the mean's own.
    spread = max(max(abs(row[hour] - estimates[0][hour]) for hour in range(24)) for row in estimates)
    assert spread < 4 * deviation, spread

    for one in range(net.count):
        metrics = (net.of(one) / "metrics").read_text()
        assert "netdp_peer_finished 1" in metrics and 'reason="unknown-key"} 0' in metrics
        check_spent(net, one, metrics)
        said = net.log(one) + metrics + json.dumps(net.result(one))
        for value in values[one]:
            for form in (value, value / 5):
                assert repr(form)[:10] not in said, f"peer {one}: a value is in what others may read"
print(f"24 means: chi squared {square:.1f} of 24, farthest {max(map(abs, scores)):.2f} deviations")
