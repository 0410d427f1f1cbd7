#!/usr/bin/python3
"""netdp report: what the page holds, that it holds nothing else, and what it refuses."""
import base64
import csv
import hashlib
import json
import math
import os
import re
import shutil
import struct
import tempfile

from harness import SOURCE, Case, main, reseal, run
from harness import results as everything

HOSTILE = "</script><img/src=x/onerror=alert(1)>&\"'"
FIELDS = {"f8": "d", "f4": "f", "i2": "h"}


def experiment(name):
    return os.path.join(SOURCE, "experiments", name)


def study(folder, text, name="results"):
    """Runs a study, given as text, and returns its result folder."""
    path, results = os.path.join(folder, name + ".yaml"), os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    code, _, err = run(["run", path, "-o", results], folder)
    assert code == 0, err
    return results


def davis(folder, *more):
    results = os.path.join(folder, "davis")
    code, _, err = run(["run", os.path.join(SOURCE, "tests", "cli", "davis.yaml"), "-o", results, "--set", "output.repeat=2", *more], folder)
    assert code == 0, err
    return results


def report(results, *more):
    """The page, and its data."""
    code, out, err = run(["report", results, *more], os.path.dirname(results))
    assert code == 0, err
    with open(out.rstrip("\n"), encoding="utf-8") as file:
        page = file.read()
    return page, data_of(page)


def data_of(page):
    blocks = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert len(blocks) == 1, f"{len(blocks)} blocks of data"
    assert not re.search("[<>&]", blocks[0]), "the data are not escaped"
    return json.loads(blocks[0])


def numbers(pairs, key):
    raw = base64.b64decode(pairs[key])
    kind = FIELDS["i2" if key == "distance" else pairs["type"]]
    return [value for value, in struct.iter_unpack("<" + kind, raw)]


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def the_page_holds_the_folder():
    with tempfile.TemporaryDirectory() as folder:
        results = davis(folder)
        page, data = report(results, "--private")
        assert os.stat(os.path.join(results, "report-private.html")).st_mode & 0o777 == 0o600, "others may read it"
        summary = everything(results)
        for key in ("title", "graph", "mixing", "task", "threat", "target", "repeat"):
            assert data["summary"][key] == summary[key], f"{key} differs"
        with open(os.path.join(results, "summary.json"), "rb") as file:
            assert data["summary_sha256"] == hashlib.sha256(file.read()).hexdigest() == report(results)[1]["summary_sha256"]
        for told, one in zip(data["summary"]["variants"], summary["variants"], strict=True):
            assert told["guarantee"].items() <= one["guarantee"].items() and told["noise"] == one["noise"], one["name"]
            assert told["error"]["objective"]["mean"] > 0, "the experimenter sees the error"
        with open(os.path.join(results, "study.yaml"), encoding="utf-8") as file:
            assert data["study"] == file.read(), "the study differs"
        pairs, table = data["variants"][0]["pairs"], rows(os.path.join(results, "loss.csv"))
        value, loss, distance = (numbers(pairs, key) for key in ("value", "loss", "distance"))
        n = data["summary"]["graph"]["nodes"]
        assert pairs["complete"] and pairs["file"] == "loss.csv" and len(table) == n * (n - 1)
        for row in table:
            at = pairs["observers"].index(int(row["to"])) * n + int(row["from"])
            assert value[at] == float(row["epsilon"]) and loss[at] == float(row["loss"]), row
            assert distance[at] == int(row["distance"]), row
        assert sum(map(math.isnan, value)) == n, "more than the diagonal is missing"
        worst = summary["variants"][-1]["guarantee"]["worst"]
        assert data["variants"][0]["proof"] == f"loss.{worst['from']}-{worst['to']}.proof", "the file that proves the worst pair's number"
        graph = data["graphs"][data["variants"][0]["graph"]]
        assert len(graph["edges"]) == 2 * 89 and graph["names"][0] == "Evelyn Jefferson"
        assert len(graph["x"]) == len(graph["y"]) == n and 0 <= min(graph["x"]) <= max(graph["x"]) <= 10000
        course = {one["variant"]: one for one in data["trace"]}["gossip"]
        last = [float(row["objective"]) for row in rows(os.path.join(results, "trace.csv"))
                if row["variant"] == "gossip" and int(row["step"]) == course["step"][-1]]
        assert len(last) == 2 and math.isclose(course["objective"]["mean"][-1], sum(last) / 2, rel_tol=1e-12)
        assert math.isclose(course["objective"]["error"][-1], abs(last[0] - last[1]) / 2, rel_tol=1e-9)
        again, _ = report(results, "--private", "-o", os.path.join(folder, "again.html"))
        assert again == page, "two pages differ"
        code, out, _ = run(["report", results, "--private", "-o", "-"], folder)
        assert code == 0 and out == page, "standard output differs"


def it_loads_nothing():
    with tempfile.TemporaryDirectory() as folder:
        page, _ = report(davis(folder))
    shell = re.sub(r"<script>.*?</script>|<pre class=\"?notices\"?>.*?</pre>", "", page, flags=re.S)
    assert "http" not in shell.replace("http-equiv", ""), "an address outside the script and the licences"
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert "default-src 'none'" in policy and "connect-src" not in policy
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='(;|$)", policy), policy
    assert "url(" not in shell and "@import" not in shell and "<link" not in shell
    for notice in ("The Cytoscape Consortium", "Leon Sorokin", "Permission is hereby granted"):
        assert notice in page, f"no licence of {notice}"


def hostile_names_stay_text():
    with tempfile.TemporaryDirectory() as folder:
        names = [HOSTILE, "b", "c", "<!--", "d&amp;"]
        with open(os.path.join(folder, "ring.edges"), "w", encoding="utf-8") as file:
            quoted = ['"' + name.replace('"', '""') + '"' for name in names]
            file.writelines(f"{a} {b}\n" for a, b in zip(quoted, quoted[1:] + quoted[:1]))
        with open(os.path.join(folder, "v.csv"), "w", encoding="utf-8") as file:
            file.write("x\n1\n2\n3\n4\n5\n")
        title = HOSTILE.replace('"', '\\"')
        results = study(folder, f'title: "{title} <!--<script>"\ngraph: {{file: ring.edges}}\ndata: {{csv: v.csv, per_node: one}}\n'
                        "task: {kind: mean, bounds: [0, 5]}\nprotocol: {kind: averaging, rounds: 3}\n"
                        "privacy: {epsilon: 2, delta: 1e-6, over: worst}\noutput: {repeat: 1}\n", "<b>&")
        page, data = report(results)
        assert data["graphs"][0]["names"] == names and data["summary"]["title"].startswith(HOSTILE)
        assert data["folder"] == "<b>&"
        assert page.count("<script") == 2 and page.count("</script>") == 2, "something ended the script"
        assert "onerror=alert(1)>" not in page


def variants_and_tokens():
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "dithers")
        code, _, err = run(["run", experiment("meters-dithers.yaml"), "-o", results, "--set", "output.repeat=1"], folder)
        assert code == 0, err
        _, data = report(results)
        assert [one["pairs"]["file"] for one in data["variants"]] == [f"loss-{i}.csv" for i in range(1, 7)]
        assert all(one["graph"] == 0 for one in data["variants"]) and len(data["graphs"]) == 1
        assert data["variants"][0]["pairs"]["gaussian"] is True
        results = study(folder, "title: walk\ngraph: {family: hypercube 4}\ntask: {kind: account}\n"
                        "protocol: {kind: walk, rounds: 60}\nprivacy: {noise: 6, as: rdp:2, to: \"3\"}\n")
        _, data = report(results)
        pairs = data["variants"][0]["pairs"]
        assert pairs["observers"] == data["summary"]["variants"][0]["threat"]["to"] == [3]
        assert pairs["gaussian"] is False and "loss" not in pairs


def large_tables_are_cut():
    """Of 1,300 nodes' pairs the page has the worst ones, and some observers' rounded up."""
    with tempfile.TemporaryDirectory() as folder:
        n = 1300
        results = study(folder, f"title: large\ngraph: {{family: barabasi-albert {n} 2}}\ntask: {{kind: account}}\n"
                        "protocol: {kind: averaging, rounds: 2}\nprivacy: {noise: 1, as: rdp:2}\n")
        page, data = report(results)
        pairs, worst = data["variants"][0]["pairs"], data["summary"]["variants"][0]["guarantee"]["worst"]
        assert pairs["file"] == "loss.npy" and not pairs["complete"] and pairs["of"] == n
        assert worst["to"] in pairs["observers"] and 100 < len(pairs["observers"]) < n and len(page) < 12e6
        assert math.isclose(pairs["worst"][0][3], worst["epsilon"], rel_tol=1e-9)
        listed = [row[3] for row in pairs["worst"]]
        assert listed == sorted(listed, reverse=True) and len(listed) == 200
        value, distance = numbers(pairs, "value"), numbers(pairs, "distance")
        assert all(row[2] == 1 for row in pairs["worst"]), "neighbours see a contribution itself"
        # At order 2 and noise 1 a loss is its own epsilon.
        with open(os.path.join(results, "loss.npy"), "rb") as file:
            losses = [value for value, in struct.iter_unpack("<d", file.read()[128:])]
        assert len(set(losses)) > n, "the test sees too few values"
        for k, to in list(enumerate(pairs["observers"]))[::5]:
            assert math.isnan(value[k * n + to]) and distance[k * n + to] == 0
            for source in range(n):
                loss = losses[to * n + source]  # Fortran order
                assert source == to or loss <= value[k * n + source] <= 1.000001 * loss + 1e-30, "not rounded up"


def large_networks_are_drawn():
    """744 nodes and 30,000 edges, as of a Facebook ego network: drawn, and every observer can be chosen."""
    with tempfile.TemporaryDirectory() as folder:
        results = study(folder, "title: large\ngraph: {family: erdos-renyi 744 0.11}\ntask: {kind: account}\n"
                        "protocol: {kind: averaging, rounds: 1}\nprivacy: {noise: 1, as: rdp:2}\n")
        _, data = report(results)
        pairs, graph = data["variants"][0]["pairs"], data["graphs"][0]
        edges = data["summary"]["variants"][0]["graph"]["edges"]
        assert edges > 25000 and len(graph["edges"]) == 2 * edges
        assert len(graph["x"]) == 744 and pairs["complete"] and pairs["observers"] == list(range(744))


# Protocols as a study and as a question: own and pairwise noise, several contributions, sums, noise of all hops spread, a cap.
TOGETHER = [
    ("{kind: averaging, rounds: 12}", "as: dp:1e-6, dither: 0.1, pair_graph: edges, pair_noise: 20", "averaging --rounds 12 --dither 0.1 --pair-graph edges --pair-noise 20"),
    ("{kind: averaging, rounds: 12}", "as: dp:1e-6, dither: 0.1, sees: sum", "averaging --rounds 12 --dither 0.1 --sees sum"),
    ("{kind: muffliato-sgd, rounds: 6, inner: 3}", "as: dp:1e-6, dither: 0.1, end_dither: 0.1, pair_graph: edges, pair_noise: 2",
     "muffliato-sgd --rounds 6 --inner 3 --dither 0.1 --end-dither 0.1 --pair-graph edges --pair-noise 2"),
    ("{kind: stream, rounds: 6, every: 3}", "as: dp:1e-6, bound: auto", "stream --rounds 6 --every 3"),
    ("{kind: ring-sum, rounds: 2, schedule: spread}", "delta: 1e-6, pair_graph: edges, pair_noise: 2", "ring-sum --rounds 2 --schedule spread --pair-graph edges --pair-noise 2"),
    ("{kind: walk, rounds: 60, cap: 4}", "as: dp:1e-6, bound: auto", "walk --rounds 60 --cap 4"),
]
ACCOUNT = "task: {kind: account}\n"
SUM = "data: {csv: six.csv, per_node: one}\ntask: {kind: sum, bounds: [0, 9]}\noutput: {repeat: 1}\n"


def nodes_that_work_together():
    """What the page says of nodes that work together is an upper bound for every coalition of six nodes, and no idle one."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "six.csv"), "w", encoding="utf-8") as file:
            file.write("x\n3\n1\n4\n1\n5\n9\n")
        for i, (protocol, privacy, words) in enumerate(TOGETHER):
            results = study(folder, f"title: t\ngraph: {{family: ring 6}}\n{SUM if 'ring-sum' in protocol else ACCOUNT}protocol: {protocol}\n"
                            f"privacy: {{noise: 3, {privacy}}}\n", f"together-{i}")
            guarantee = report(results)[1]["summary"]["variants"][-1]["guarantee"]
            most, found = max(guarantee["local"], guarantee["worst"]["epsilon"]), 0
            sets = [[v for v in range(1, 6) if mask >> v & 1] for mask in range(2, 64, 2)]
            asked = [f"--from 0 --to set:{','.join(map(str, one))}" for one in sets] + ["--to worst:2", "--to worst:5"]
            for question in asked:
                code, out, err = run(["loss", "--family", "ring 6", "--noise", "3", "--as", "dp:1e-6", "--json", "--protocol", *words.split(), *question.split()], folder)
                assert code == 0, (words, question, err)
                for pair in json.loads(out)["losses"]:
                    assert pair["value"] <= most, (words, question, pair, most)
                    found = max(found, pair["value"])
            assert found >= 0.5 * most, (words, found, most)


# What a page for others must not hold: values, and what comes of them without noise.
VALUES = ["3.1415926535", "2.7182818284", "1.4142135623", "0.5772156649", "4.6692016091"]
SEED = "918273645"


def planted(folder, kind, protocol, more=""):
    home = os.path.join(folder, "secret-home-7391")
    os.mkdir(home)
    with open(os.path.join(home, "v.csv"), "w", encoding="utf-8") as file:
        file.write("x\n" + "".join(value + "\n" for value in VALUES))
    with open(os.path.join(home, "ring.edges"), "w", encoding="utf-8") as file:
        file.write("a b\nb c\nc d\nd e\ne a\n")
    results = study(folder, f"title: planted\nseed: {SEED}\ngraph: {{file: {home}/ring.edges}}\n"
                    f"data: {{csv: {home}/v.csv, per_node: one}}\ntask: {{kind: {kind}, bounds: [0, 5]}}\n"
                    f"protocol: {{{protocol}}}\nprivacy: {{epsilon: 2, delta: 1e-6, over: worst}}\noutput: {{repeat: 2{more}}}\n")
    with open(os.path.join(home, "v.csv"), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return results, digest


def nothing_private_is_for_others():
    """Planted values, their mean and total, errors, released totals, seed, digests and paths: on no page for others."""
    total = sum(map(float, VALUES))
    for kind, protocol in (("mean", "kind: averaging, rounds: 3"), ("sum", "kind: ring-sum, rounds: 1, release: final")):
        with tempfile.TemporaryDirectory() as folder:
            results, digest = planted(folder, kind, protocol)
            page, data = report(results)
            own, known = report(results, "--private")
            # Every number of private.json: errors, means, released totals; what the noise alone causes stands in summary.json too.
            digits = {}
            for name in ("private.json", "summary.json"):
                with open(os.path.join(results, name), encoding="utf-8") as file:
                    digits[name] = {found[:9] for found in re.findall(r": (-?\d+\.\d{6,})", file.read())}
            secret = digits["private.json"] - digits["summary.json"]
            assert len(secret) > 3, "the test plants nothing"
            plain = re.sub(r'"(?:value|loss|distance|svg)":"[A-Za-z0-9+/=]*"', "", page)
            for word in [*VALUES, f"{total:.6f}", f"{total / 5:.6f}", digest, SEED, "secret-home-7391", folder, "v.csv",
                         *secret]:
                assert word not in plain, f"{kind}: {word!r} is on the page for others"
            assert data["study"] is None and data["seed"] is None and data["trace"] is None
            assert not any(key in variant for variant in data["summary"]["variants"] for key in ("error", "released"))
            assert SEED in own and known["private"] and "v.csv" in known["study"]
            for word in ("secret-home-7391", folder):
                assert word not in own, f"{kind}: {word!r} is on the experimenter's page"


def unknown_fields_stay_out():
    """The page is made from a list of what is allowed: what a record has besides is on no page."""
    with tempfile.TemporaryDirectory() as folder:
        results = davis(folder)
        path = os.path.join(results, "summary.json")
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
        summary["true_mean"] = summary["variants"][2]["guarantee"]["secret"] = summary["graph"]["folder"] = "planted-word"
        summary["variants"][2]["noise"] = {"planted-word": "planted-word"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(summary, file, indent=1)
        reseal(results)
        for more in ([], ["--private"]):
            page, _ = report(results, *more)
            assert "planted-word" not in page, more


def paths_lose_their_folders():
    with tempfile.TemporaryDirectory() as folder:
        results = study(folder, "title: \"see /home/me/a.txt, ../b/c.txt (./d.txt) and a / b, 1/2, https://x.org/y\"\n"
                        "graph: {family: ring 4}\ntask: {kind: account}\nprotocol: {kind: averaging, rounds: 2}\n"
                        "privacy: {noise: 1, as: rdp:2}\n")
        _, data = report(results)
        assert data["summary"]["title"] == "see a.txt, c.txt (d.txt) and a / b, 1/2, https://x.org/y", data["summary"]["title"]


def audits_have_a_page():
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "audited")
        code, _, err = run(["audit", experiment("audit-star.yaml"), "--runs", "400", "-o", results], folder)
        assert code == 0, err
        _, data = report(results)
        with open(os.path.join(results, "audit.json"), encoding="utf-8") as file:
            audit = json.load(file)
        assert [one["verdict"] for one in data["audit"]["audits"]] == [one["verdict"] for one in audit["audits"]]
        assert [one["claim"] for one in data["audit"]["audits"]] == [one["claim"] for one in audit["audits"]]
        assert "threshold" not in json.dumps(data), "a threshold goes by what the observer saw"


def it_does_without_the_graph():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.edges")
        with open(path, "w", encoding="utf-8") as file:
            file.write("a b\nb c\nc a\n")
        with open(os.path.join(folder, "v.csv"), "w", encoding="utf-8") as file:
            file.write("x\n1\n2\n3\n")
        results = study(folder, "title: three\ngraph: {file: mine.edges}\ndata: {csv: v.csv, per_node: one}\n"
                        "task: {kind: mean, bounds: [0, 5]}\nprotocol: {kind: averaging, rounds: 3}\n"
                        "privacy: {epsilon: 2, delta: 1e-6, over: worst}\noutput: {repeat: 1}\n")
        with open(path, "a", encoding="utf-8") as file:
            file.write("c d\n")
        _, data = report(results)
        assert data["variants"][0]["graph"] is None and "not the graph any more" in data["variants"][0]["why"]
        os.remove(path)
        _, data = report(results)
        assert data["variants"][0]["graph"] is None and data["variants"][0]["pairs"]["complete"]
        os.remove(os.path.join(results, "loss.csv"))
        reseal(results)
        _, data = report(results)
        assert data["variants"][0]["pairs"] is None


def it_shows_the_figure():
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>1</text></svg>'
    with tempfile.TemporaryDirectory() as folder:
        results = davis(folder)
        with open(os.path.join(results, "figure.svg"), "w", encoding="utf-8") as file:
            file.write(svg)
        with open(os.path.join(results, "figure.json"), "w", encoding="utf-8") as file:
            json.dump({"paper": "C, Figure 1", "says": "it falls"}, file)
        _, data = report(results, "--private")
        assert base64.b64decode(data["figure"]["svg"]).decode() == svg
        assert data["figure"]["about"]["says"] == "it falls"
        _, data = report(results)
        assert data["figure"] is None, "nobody knows what the figure was computed from"
        for measure, shown in (("loss", True), ("accuracy", False), ("objective", False)):
            with open(os.path.join(results, "figure.json"), "w", encoding="utf-8") as file:
                json.dump({"y_label": "y", "curves": [{"measure": "loss"}, {"measure": measure}]}, file)
            assert (report(results)[1]["figure"] is not None) == shown, measure


def broken_folders_are_refused():
    """One line, the right code, and no page."""
    with tempfile.TemporaryDirectory() as folder:
        good = davis(folder)

        def refuse(code, wanted, change):
            bad = os.path.join(folder, "bad")
            shutil.copytree(good, bad)
            change(bad)
            if os.path.exists(os.path.join(bad, "summary.json")):
                got, out, err = run(["report", bad, "--private"], folder)
                assert got == code and out == "" and "bad/" in err, (wanted, got, out, err)
                assert "was changed after the run wrote it" in err, (wanted, err)
                reseal(bad)
            else:
                os.remove(os.path.join(bad, "manifest.json"))
            got, out, err = run(["report", bad, "--private"], folder)
            assert got == code and out == "", (wanted, got, out, err)
            assert len(err.splitlines()) == 1 and re.search(wanted, err), (wanted, err)
            assert "report-private.html" not in os.listdir(bad), wanted
            shutil.rmtree(bad)

        def write(name, text):
            def change(bad):
                with open(os.path.join(bad, name), "w", encoding="utf-8") as file:
                    file.write(text)
            return change

        def edit(name, old, new):
            def change(bad):
                path = os.path.join(bad, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                assert re.search(old, text), old
                with open(path, "w", encoding="utf-8") as file:
                    file.write(re.sub(old, new, text, count=1))
            return change

        refuse(2, "not finished; go on with netdp run", lambda bad: os.remove(os.path.join(bad, "summary.json")))
        refuse(2, "summary.json:2: .*run the study again", write("summary.json", "{\n"))
        refuse(2, "not the summary of a study|does not fit", write("summary.json", "{}"))
        refuse(2, "not the summary of a study|does not fit", edit("summary.json", '"name": "gossip"', '"name": 3'))
        refuse(2, "strange name", edit("summary.json", '"name": "gossip"', '"name": "gossip", "losses": "../x"'))
        refuse(2, "loss.csv:2: .*fields", edit("loss.csv", "\n1,", "\n"))
        refuse(2, "loss.csv:2: .*no number", edit("loss.csv", "\n1,0,2,[^,]*,", "\n1,0,2,one,"))
        refuse(2, "loss.csv:2: .*out of range", edit("loss.csv", "\n1,", "\n32,"))
        refuse(2, "loss.csv:2: .*graph has not", edit("loss.csv", "\n1,0,", "\n1,99,"))
        refuse(2, "loss.csv:1: .*pairwise", edit("loss.csv", "from", "whom"))
        refuse(2, "trace.csv:1: .*trace", edit("trace.csv", "step", "time"))
        shutil.move(os.path.join(good, "summary.json"), os.path.join(folder, "kept"))
        refuse(2, "audit", write("audit.json", "{}"))


def an_npy_must_fit():
    with tempfile.TemporaryDirectory() as folder:
        n = 110
        with open(os.path.join(folder, "v.csv"), "w", encoding="utf-8") as file:
            file.write("x\n" + "1\n" * n)
        results = study(folder, f"title: ring\ngraph: {{family: ring {n}}}\ndata: {{csv: v.csv, per_node: one}}\n"
                        "task: {kind: mean, bounds: [0, 5]}\nprotocol: {kind: averaging, rounds: 2}\n"
                        "privacy: {epsilon: 4, delta: 1e-6, over: worst}\noutput: {repeat: 1}\n")
        path = os.path.join(results, "loss.npy")
        _, data = report(results)
        assert data["variants"][0]["pairs"]["complete"] and data["variants"][0]["pairs"]["type"] == "f4"
        with open(path, "rb") as file:
            whole = bytearray(file.read())
        for change, wanted in ((lambda b: b[:-8], "not a table"), (lambda b: b"x" + b[1:], "not a table"),
                               (lambda b: b[:128] + struct.pack("<d", 0.25) * (n * n), "worst pair")):
            with open(path, "wb") as file:
                file.write(change(whole))
            reseal(results)
            code, out, err = run(["report", results], folder)
            assert code == 2 and out == "" and wanted in err and len(err.splitlines()) == 1, (wanted, code, err)


main([
    Case("report --help", out="one HTML page"),
    Case("report", 2, err="DIR"),
    Case("report nowhere", 3, err="nowhere.*no such folder"),
    Case("report here", 2, err="here.*is not a folder", files={"here": b""}),
    Case("report .", 2, err="no summary.json"),
    Case("report a b", 2, err="too many"),
    Case(["report", "x" * 5000], 2, err="too long"),
], [the_page_holds_the_folder, it_loads_nothing, hostile_names_stay_text, variants_and_tokens, large_tables_are_cut,
    large_networks_are_drawn, nodes_that_work_together, nothing_private_is_for_others, unknown_fields_stay_out, paths_lose_their_folders, audits_have_a_page,
    it_does_without_the_graph, it_shows_the_figure, broken_folders_are_refused, an_npy_must_fit])
