#!/usr/bin/python3
"""The page of netdp report in headless Chromium: by keyboard, light and dark, on paper, offline.

Screenshots go to $NETDP_SCREENSHOTS, where that is set. Skipped (77) where chromium, its driver or
selenium is missing.
"""
import base64
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
import zlib

from harness import SOURCE, run

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    print("python3-selenium is missing")
    sys.exit(77)
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    print("chromium or chromium-driver is missing")
    sys.exit(77)

PICTURES = os.environ.get("NETDP_SCREENSHOTS")
HOSTILE = "</script><img/src=x/onerror=document.title=1>"


def open_browser(profile):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for word in ("headless=new", "disable-gpu", "disable-dev-shm-usage", "no-first-run", "disable-extensions",
                 "window-size=1200,900", f"user-data-dir={profile}", *(["no-sandbox"] if os.geteuid() == 0 else [])):
        options.add_argument("--" + word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.chrome.service.Service(DRIVER))
    browser.set_page_load_timeout(1800)
    return browser


def media(browser, **features):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]})


def width(browser, pixels, height=900):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": pixels, "height": height, "deviceScaleFactor": 1, "mobile": False})


def picture(browser, name):
    """The whole page as it looks; kept where somebody wants to look at it."""
    size = browser.execute_script("return [innerWidth, document.documentElement.scrollHeight]")
    width(browser, size[0], size[1])
    time.sleep(0.3)
    png = base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
    width(browser, size[0])
    if PICTURES:
        pathlib.Path(PICTURES).mkdir(parents=True, exist_ok=True)
        pathlib.Path(PICTURES, name + ".png").write_bytes(png)
    assert len(png) > 20000, f"{name}: the screenshot is nearly empty"


def no_complaints(browser, what):
    log = browser.get_log("browser")
    assert not log, f"{what}: the console says {log}"


def requests(browser):
    """What the page asked for."""
    return [url for entry in browser.get_log("performance")
            for url in re.findall(r'"method":"Network.requestWillBeSent".*?"url":"([^"]*)"', entry["message"])]


def shown(browser, node):
    """What the graph shows of a node: its value and the colour that it is painted in."""
    return browser.execute_script("return netdpReport.node(arguments[0])", node)


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def canvas_is_painted(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('#graph canvas')].some((canvas) => {"
        " const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        " return data.some((byte, i) => i % 4 === 3 && byte > 0); })")


def focus_by_tab(browser, wanted):
    """Tab until the element with the id has the focus."""
    for _ in range(60):
        if browser.execute_script("return document.activeElement.id") == wanted:
            return
        browser.switch_to.active_element.send_keys(Keys.TAB)
    assert False, f"Tab does not come to #{wanted}"


def an_observer_by_keyboard(browser, page, results):
    browser.get(page.as_uri())
    no_complaints(browser, "loading")
    loads = [url for url in requests(browser) if url.startswith(("http", "ws", "file"))]
    assert loads == [page.as_uri()], f"the page loads {loads}"
    assert "Evening consumption" in browser.title
    answer = browser.find_element(By.ID, "answer").text
    for words in ("Worst pair", "7.94", "1 : 1", "δ = 1e-6", "Evelyn Jefferson (0)", "whoever has the seed can remove its noise",
                  "A test with 5 % false alarms"):
        assert words in answer, f"{words!r} is not in the answer"
    assert "Best test" not in answer and "100 %" not in answer
    table = {(int(row["from"]), int(row["to"])): float(row["epsilon"]) for row in rows(results / "loss.csv")}
    select = Select(browser.find_element(By.ID, "observer"))
    first = int(select.first_selected_option.get_attribute("value"))
    before = {node: shown(browser, node) for node in range(32)}
    assert all(before[u]["value"] == table[u, first] for u in range(32) if u != first), "values of the first observer"
    browser.find_element(By.TAG_NAME, "body").click()
    focus_by_tab(browser, "observer")
    browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    second = int(select.first_selected_option.get_attribute("value"))
    assert second == first + 1, (first, second)
    after = {node: shown(browser, node) for node in range(32)}
    assert all(after[u]["value"] == table[u, second] for u in range(32) if u != second), "a value is not that of loss.csv"
    changed = [u for u in range(32) if u not in (first, second) and before[u]["painted"] != after[u]["painted"]]
    assert changed, "no node took another colour"
    for u in changed:
        assert before[u]["value"] != after[u]["value"], f"node {u} has another colour and the same value"
    assert canvas_is_painted(browser)
    focus_by_tab(browser, "graph")
    browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert int(select.first_selected_option.get_attribute("value")) == second + 1, "an arrow key on the graph"
    said = browser.find_element(By.ID, "said").text
    name = select.first_selected_option.text
    assert said.startswith(name), said
    Select(browser.find_element(By.ID, "direction")).select_by_value("about")
    assert shown(browser, 3)["value"] == table[second + 1, 3], "what others could learn about the node"
    no_complaints(browser, "choosing an observer")


def cut(browser):
    """What a phone would cut off: what is wider than the page, and tables that are wider than their place."""
    return browser.execute_script(
        "const wide = [...document.querySelectorAll('body *')].filter((e) => !e.closest('.scroll, .chart, .graph, pre')"
        " && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + '#' + e.id);"
        "const tables = [...document.querySelectorAll('table.data')].filter((t) => t.scrollWidth > t.parentElement.clientWidth + 1);"
        "return [...wide, ...tables.map((t) => t.parentElement.getAttribute('aria-label') || t.className)]")


def nodes_that_work_together(browser, results):
    """Beside the worst pair: what the account's closed bound leaves, never shown smaller than it is, and the limit for one node."""
    guarantee = json.loads((results / "summary.json").read_text())["variants"][3]["guarantee"]
    together = browser.find_element(By.ID, "together").text
    most, alone = map(float, re.search(r"at most epsilon = ([0-9.]+), what a node’s own noise alone leaves. Odds 1 : 1 may pass a billion : 1. The limit of ([0-9.]+) is for one node by itself", together).groups())
    assert guarantee["local"] <= most <= guarantee["local"] * 1.01 and guarantee["worst"]["epsilon"] <= alone, (together, guarantee["local"])
    baselines = browser.find_element(By.ID, "baselines").text
    assert f"someone who reads every message and knows all pairwise noise is limited by epsilon = {most} only" in baselines, baselines
    assert "Another study, in which each node adds noise for itself (row local), would give 4.0" in baselines, baselines
    assumed = browser.find_element(By.ID, "assumptions").text
    assert together in assumed
    assert f"Who listens to all messages\nSomeone who reads every message and knows all pairwise noise is limited by epsilon = {most} only." in assumed, assumed
    assert ("Dither\nFresh noise in each later message: 0.02 times the noise of a contribution. "
            f"The limit of {alone:.3f} rests on it: without a dither every message would count as seen.") in assumed, assumed


def checked(browser, path, wanted):
    """What the page says of a proof file."""
    browser.execute_script("document.getElementById('checked').replaceChildren();")  # what was said of another one
    browser.find_element(By.ID, "proof").send_keys(str(path))
    for _ in range(600):
        text = browser.find_element(By.ID, "checked").text
        if wanted in text:
            break
        time.sleep(0.1)
    assert wanted in text, text
    return text


def proofs_of_the_page(browser, results):
    """The page names the file that proves its number, and tells its own proofs from others that hold."""
    named = re.search(r"\(epsilon 4.0+, Tanaka \(26\) about Jansen \(16\)\) has a proof: (\S+\.proof) in the result folder; 17 pairs of this variant have one",
                      browser.find_element(By.ID, "proof-of").text).group(1)
    text = checked(browser, results / named, "This proves the page’s number of Tanaka about Jansen.")
    assert re.search(r"Proven: observer 26 \(Tanaka\) learns about source 16 \(Jansen\) at most epsilon = 4.0+ at delta = 1e-6", text), text
    assert "claim loss" in text and "claim#" not in text, text
    other = sorted(results.glob("loss-1.*.proof"))[0]
    assert ", in the variant “gossip”." in checked(browser, other, "This proves the page’s number")
    original = (results / named).read_text()
    # What is still true, of other noise, and of another claim than the page's: it holds, and is not the page's number.
    for k, (pattern, line) in enumerate(((r"^claim dp (\S+) (\S+) .*$", r"claim dp \1 \2 0.3"), (r"^claim dp \S+ (.*)$", r"claim dp 5 \1"), (r"^claim dp .*\n", ""))):
        changed = results.parent / f"changed-{k}.proof"  # a browser does not read the same file again
        changed.write_text(re.sub(pattern, line, original, flags=re.M))
        assert "This proves" not in checked(browser, changed, "This holds, but is not about this page")


def dithers_are_compared(browser, folder):
    """The page says how its dither decays; a proof under another one, or one that decays otherwise, is not of the page."""
    results, study = folder / "decays", folder / "decays.yaml"
    study.write_text("graph: {family: florentine}\ntask: {kind: account}\nprotocol: {kind: averaging, rounds: 8}\nproof: worst\n"
                     "privacy: {noise: 3, as: dp:1e-6, dither: 0.5, dither_decay: 1}\n", encoding="utf-8")
    for words in (["run", str(study), "-o", str(results)], ["report", str(results)]):
        code, _, err = run(words, folder)
        assert code == 0, err
    browser.get((results / "report.html").as_uri())
    assert "0.5 times the noise of a contribution, divided by t in round t" in browser.find_element(By.ID, "assumptions").text
    proof = next(results.glob("*.proof"))
    checked(browser, proof, "This proves the page’s number")
    for t, says in ((1, "its dither is another"), (2, "its dither decays otherwise")):
        changed = folder / f"dither-{t}.proof"
        changed.write_text(re.sub(rf"^(noise {t}) .*$", r"\1 0x1p+0", proof.read_text(), flags=re.M))
        checked(browser, changed, f"This holds, but is not about this page: {says}")


def sentences(browser):
    """Noise as the command prints it, one number of digits, and words that a privacy officer knows."""
    text = browser.find_element(By.ID, "page").text
    for words in ("A node is one participant with data of its own", "; 52 rounds.", "A node 4 steps away could learn at most ε = 3.82", "Epsilon against distance",
                  "a single pair may be higher, at most 4.000", "0.6572", "1.194", "as a part of the range", "Sent by all nodes together", "docs/acceptable-epsilon.md",
                  "recognises the second of two contents in at most", "with ever more pairwise noise the loss of a contribution falls to 0.03226 or less"):
        assert words in text, f"{words!r} is not on the page"
    for words in ("rounds or steps", "0.6571", "3.83 ", "finds it", "ask for", "tends to", "model’s own noise", "certified rounding"):
        assert words not in text, f"{words!r} is on the page"


def what_was_compared(browser, folder):
    """The page begins with what was compared, and shows the variant that keeps its target, not the first one, which breaks it."""
    results = folder / "compared"
    code, _, err = run(["run", os.path.join(SOURCE, "experiments", "meters-on-davis.yaml"), "-o", str(results), "--set", "output.repeat=3"], folder)
    assert code == 0, err
    for private in ([], ["--private"]):
        code, _, err = run(["report", str(results), *private], folder)
        assert code == 0, err
        browser.get((results / ("report-private.html" if private else "report.html")).as_uri())
        assert browser.find_element(By.CSS_SELECTOR, "main > section").get_attribute("id") == "compared"
        section = browser.find_element(By.ID, "compared")
        rows_of = {row.find_element(By.TAG_NAME, "th").text.split("\n")[0]: row for row in section.find_elements(By.CSS_SELECTOR, "tbody tr")}
        assert list(rows_of) == ["central", "local", "gossip", "gossip with pairs"], list(rows_of)
        assert all(len(row.find_elements(By.CLASS_NAME, "bar")) == 2 for row in rows_of.values()), "an error and an epsilon each"
        assert "7.94" in rows_of["gossip"].text and "above the target" in rows_of["gossip"].text
        assert [name for name, row in rows_of.items() if "above the target" in row.text] == ["gossip"]
        assert ("kWh" in section.text) == bool(private), "errors of the data are for the experimenter alone"
        assert "Shown below: gossip with pairs. It keeps the target for every pair" in section.text, section.text
        assert Select(browser.find_element(By.ID, "variant")).first_selected_option.text == "gossip with pairs"
        assert "Towards one node by itself, nobody is above the target" in browser.find_element(By.ID, "above").text
        nodes_that_work_together(browser, results)
        proofs_of_the_page(browser, results)
        if not private:
            sentences(browser)
        for pixels in (360, 1200):
            width(browser, pixels)
            assert not cut(browser), f"{pixels} pixels: {cut(browser)}"
        picture(browser, "compared")
        no_complaints(browser, "what was compared")


def who_is_above(browser, results):
    """How many are above the target, by how much, and who: counted again from loss.csv."""
    worst = {}
    pairs = 0
    for row in rows(results / "loss.csv"):
        if float(row["epsilon"]) > 4 * (1 + 1e-9):
            pairs += 1
            worst[row["from"]] = max(worst.get(row["from"], 0), float(row["epsilon"]))
    text = browser.find_element(By.ID, "above").text
    assert f"{len(worst)} of 32 people are above the target" in text and f"{pairs} pairs of 992" in text, text
    assert f"by up to {math.ceil((max(worst.values()) - 4) * 1000) / 1000:.3f}" in text, text
    assert len(browser.find_elements(By.CSS_SELECTOR, "#above tbody tr")) == min(10, len(worst))
    terms = browser.find_element(By.ID, "glossary").text
    assert all(word in terms for word in ("Sensitivity", "Dither", "Estimate", "Certified", "central")), terms
    repeat = browser.find_element(By.ID, "repeat").text
    assert "The experimenter has them" in repeat and "seed:" not in repeat and hashlib.sha256((results / "summary.json").read_bytes()).hexdigest() in repeat, repeat


def saved(browser, folder, name):
    """What a button saves, made by the page itself."""
    downloads = folder / "downloads"
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    button = browser.find_element(By.CSS_SELECTOR, f"button[data-file='{name}']")
    button.send_keys(Keys.ENTER)
    for _ in range(600):
        if (downloads / name).exists() and (downloads / name).stat().st_size > 0:
            break
        time.sleep(0.1)
    found = rows(downloads / name)
    (downloads / name).unlink()
    return found


def tables_are_saved(browser, folder, results):
    listed = saved(browser, folder, "pairs.csv")
    table = {(row["from"], row["to"]): row for row in rows(results / "loss.csv")}
    assert len(listed) == len(table) == 992
    for row in listed:
        known = table[row["about"], row["observer"]]
        assert float(row["epsilon"]) == float(known["epsilon"]) and row["distance"] == known["distance"], row
    above = saved(browser, folder, "above-target.csv")
    assert above and all(float(row["ε"]) > 4 for row in above), above[:2]
    assert [row["distance"] for row in saved(browser, folder, "by-distance.csv")] == ["1", "2", "3", "4"]
    assert [row["variant"] for row in saved(browser, folder, "variants.csv")] == ["central", "local", "gossip"]
    loads = [url for url in requests(browser) if url.startswith(("http", "ws"))]
    assert not loads, f"saving loads {loads}"
    no_complaints(browser, "saving tables")


def the_experimenters_page(browser, results, folder):
    code, _, err = run(["report", str(results), "--private"], folder)
    assert code == 0, err
    browser.get((results / "report-private.html").as_uri())
    assert "For the experimenter alone" in browser.find_element(By.CSS_SELECTOR, "#answer .alarm").text
    assert "seed: 1" in browser.find_element(By.ID, "repeat").text
    assert "Error of h19, kWh" in browser.find_element(By.ID, "utility").text
    picture(browser, "private")
    no_complaints(browser, "the experimenter's page")


def baselines_and_flips(browser, folder):
    """No Laplace token beats "central", which takes the better mechanism; a flip probability is no multiple of the sensitivity."""
    (folder / "histogram.yaml").write_text(
        "title: histogram\ngraph: {family: complete 4}\ndata: {csv: four.csv, per_node: one}\n"
        "task: {kind: histogram, bounds: [0, 5], levels: 2}\nprotocol: {kind: complete-histogram, rounds: 4}\n"
        "privacy: {epsilon: 8, delta: 1e-3, over: worst, bound: local}\noutput: {repeat: 2}\n", encoding="utf-8")
    (folder / "four.csv").write_text("x\n1\n2\n3\n4\n", encoding="utf-8")
    ring = os.path.join(SOURCE, "experiments", "meters-ring.yaml")
    for name, path in (("meters-ring", ring), ("histogram", str(folder / "histogram.yaml"))):
        results = folder / name
        code, out, err = run(["run", path, "-o", str(results), "--set", "output.repeat=20"], folder)
        assert code == 0, err
        assert f"noise is {'in units of the sensitivity' if name == 'meters-ring' else 'the probability of a random answer'}" in out, out
        code, _, err = run(["report", str(results), "--private"], folder)
        assert code == 0, err
        browser.get((results / "report-private.html").as_uri())
        text = browser.find_element(By.ID, "utility").text
        if name == "meters-ring":
            assert not browser.find_elements(By.ID, "outdone"), "a token beats an aggregator that takes the better mechanism"
            assert "scale of Laplace noise" in text, text
        else:
            assert "noise of central: scale of Laplace noise in units of the sensitivity; noise of local, token: probability of a random answer" in text, text
        no_complaints(browser, name)


def given_noise(browser, folder):
    """Without targets of their own variants are told none; epsilons at several deltas say which."""
    (folder / "given.yaml").write_text(
        "title: given\ngraph: {family: ring 5}\ndata: {csv: four.csv, per_node: even}\n"
        "task: {kind: mean, bounds: [0, 5]}\nprotocol: {kind: averaging, rounds: 3}\n"
        "privacy: {epsilon: 1, delta: 1e-6, over: mean}\noutput: {repeat: 2}\n"
        "variants: [{name: a}, {name: b, privacy: {noise: 2, delta: 0.1}}]\n", encoding="utf-8")
    (folder / "four.csv").write_text("x\n1\n2\n3\n4\n5\n", encoding="utf-8")
    code, _, err = run(["run", "given.yaml", "-o", "given"], folder)
    assert code == 0, err
    code, _, err = run(["report", "given"], folder)
    assert code == 0, err
    browser.get((folder / "given" / "report.html").as_uri())
    above = []
    for i in (0, 1):
        Select(browser.find_element(By.ID, "variant")).select_by_index(i)
        above.append(len(browser.find_elements(By.ID, "above")))
    assert above == [1, 0], above
    text = browser.find_element(By.ID, "utility").text
    assert "each ε at its own δ" in text and "at δ = 0.1" in text, text
    assert "(at δ = 1e-6)" in browser.find_element(By.ID, "answer").text, browser.find_element(By.ID, "answer").text
    no_complaints(browser, "given noise")


def a_large_network(browser, folder):
    """744 nodes, 30,000 edges: drawn, and each observer can be chosen."""
    results = folder / "large"
    (folder / "large.yaml").write_text(
        "title: large\ngraph: {family: erdos-renyi 744 0.11}\ntask: {kind: account}\n"
        "protocol: {kind: averaging, rounds: 1}\nprivacy: {noise: 1, as: rdp:2}\n", encoding="utf-8")
    code, _, err = run(["run", str(folder / "large.yaml"), "-o", str(results)], folder)
    assert code == 0, err
    code, _, err = run(["report", str(results)], folder)
    assert code == 0, err
    browser.get((results / "report.html").as_uri())
    select = Select(browser.find_element(By.ID, "observer"))
    assert len(select.options) == 744 and browser.find_element(By.ID, "graph").is_displayed()
    select.select_by_value("743")
    assert shown(browser, 743)["label"] == "743" and shown(browser, 0)["painted"]
    assert canvas_is_painted(browser)
    no_complaints(browser, "a large network")


def an_audit(browser, folder):
    results = folder / "audited"
    code, _, err = run(["audit", os.path.join(SOURCE, "experiments", "audit-star.yaml"), "--runs", "400", "-o", str(results)], folder)
    assert code == 0, err
    code, _, err = run(["report", str(results)], folder)
    assert code == 0, err
    browser.get((results / "report.html").as_uri())
    text = browser.find_element(By.ID, "page").text
    for words in ("Claimed at most", "Found at least", "runs of each", "whoever has the seed"):
        assert words in text, f"{words!r} is not on the page of an audit"
    assert saved(browser, folder, "audits.csv")[0]["verdict"] in text
    terms = browser.find_element(By.ID, "glossary").text
    assert all(word in terms for word in ("Found at least", "Sampling error", "Confidence", "Verdict")), terms
    # Each point has its share and, beside it, the most that chance leaves.
    points = browser.find_elements(By.CSS_SELECTOR, "[aria-label='Sampling error'] tbody tr")
    assert points
    for row in points:
        seen, most, missed, most_missed = [float(cell.text.split()[0]) for cell in row.find_elements(By.TAG_NAME, "td")]
        assert seen <= most <= 100 and missed <= most_missed <= 100, row.text
    for section in browser.find_elements(By.CSS_SELECTOR, "main > section"):
        assert len(section.text.splitlines()) > 3, f"a section is empty: {section.text!r}"
    width(browser, 360)
    assert not cut(browser), cut(browser)
    width(browser, 1200)
    picture(browser, "audit")
    no_complaints(browser, "an audit")


def a_proof_is_checked(browser, folder):
    """A proof file of the reader's disk: what holds is said in words, what is forged with its line, and nothing is asked of a network."""
    code, _, err = run(["loss", "--family", "davis", "--rounds", "20", "--noise", "2", "--as", "dp:1e-6", "--from", "30", "--to", "18",
                        "--proof", str(folder / "proofs")], folder)
    assert code == 0, err
    proof = folder / "proofs" / "30-18.proof"
    forged = folder / "forged.proof"
    forged.write_text(re.sub(r"^claim loss .*$", "claim loss 0.09", proof.read_text(), flags=re.M))
    requests(browser)
    for path, wanted in ((proof, "holds: loss <= 0.098"), (forged, "fails: claim loss 0.09 is not proven")):
        browser.find_element(By.ID, "proof").send_keys(str(path))
        for _ in range(600):
            if wanted in browser.find_element(By.ID, "checked").text:
                break
            time.sleep(0.1)
        assert wanted in browser.find_element(By.ID, "checked").text, browser.find_element(By.ID, "checked").text
    assert not [url for url in requests(browser) if not url.startswith(("file:", "data:"))]
    took = browser.execute_script("const begin = performance.now(); const said = netdpVerify(arguments[0]); "
                                  "return [said.holds, performance.now() - begin]", proof.read_text())
    assert took[0]
    print(f"the page checks davis in {took[1]:.0f} ms")
    no_complaints(browser, "a proof")


def the_table_sorts(browser):
    def column(i):
        return [row.find_elements(By.TAG_NAME, "td")[i].text for row in browser.find_elements(By.CSS_SELECTOR, "#pairs tbody tr")]

    values = [float(text) for text in column(3)]
    assert len(values) == 25 and values == sorted(values, reverse=True), "worst first"
    button = browser.find_elements(By.CSS_SELECTOR, "#pairs thead button")[3]
    button.send_keys(Keys.ENTER)
    values = [float(text) for text in column(3)]
    assert values == sorted(values) and values[0] < 1, "least first"
    heads = browser.find_elements(By.CSS_SELECTOR, "#pairs thead th")
    assert heads[3].get_attribute("aria-sort") == "ascending" and heads[0].get_attribute("aria-sort") is None
    browser.find_element(By.ID, "from").send_keys("31")
    browser.find_element(By.ID, "to").send_keys("evelyn")
    place = browser.find_element(By.CSS_SELECTOR, "#pairs .place").text
    assert place.startswith("Rows 1 to 1 of 1"), place
    no_complaints(browser, "sorting")


def light_dark_and_paper(browser, page):
    colours = {}
    for scheme in ("light", "dark"):
        media(browser, prefers_color_scheme=scheme)
        browser.get(page.as_uri())
        colours[scheme] = browser.execute_script("return getComputedStyle(document.body).backgroundColor"), shown(browser, 0)["painted"]
        picture(browser, scheme)
    assert colours["light"][0] != colours["dark"][0] and colours["light"][1] != colours["dark"][1], colours
    width(browser, 400)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth"), "the narrow page is too wide"
    picture(browser, "narrow")
    width(browser, 1200)
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    if PICTURES:
        pathlib.Path(PICTURES, "printed.pdf").write_bytes(printed)
    streams = []
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", printed, re.S):
        try:
            streams.append(len(zlib.decompressobj().decompress(stream)))
        except zlib.error:
            pass
    # The graph on paper is a picture of its own: some 100 kB of pixels at least.
    assert max(streams) > 1e5, "no graph on paper"
    media(browser, prefers_color_scheme="light")
    no_complaints(browser, "light, dark and paper")


def a_hostile_folder(browser, folder):
    names = [HOSTILE, "b", "c", "d"]
    (folder / "ring.edges").write_text("".join(f'"{a}" "{b}"\n' for a, b in zip(names, names[1:] + names[:1])), encoding="utf-8")
    (folder / "hostile.yaml").write_text(
        f'title: "{HOSTILE}"\nseed: 1\ngraph: {{file: ring.edges}}\ntask: {{kind: account}}\n'
        "protocol: {kind: averaging, rounds: 3}\nprivacy: {noise: 1, as: rdp:2, bound: published}\n", encoding="utf-8")
    results = folder / "hostile"
    code, _, err = run(["run", str(folder / "hostile.yaml"), "-o", str(results)], folder)
    assert code == 0, err
    code, _, err = run(["report", str(results)], folder)
    assert code == 0, err
    browser.get((results / "report.html").as_uri())
    no_complaints(browser, "a hostile folder")
    assert browser.title.startswith(HOSTILE), browser.title
    assert browser.find_element(By.TAG_NAME, "h1").text == HOSTILE
    assert not browser.find_elements(By.TAG_NAME, "img"), "a name became an element"
    assert HOSTILE in browser.find_element(By.ID, "answer").text
    alarm = browser.find_element(By.CSS_SELECTOR, "#answer .alarm")
    assert alarm.is_displayed() and "Not a guarantee" in alarm.text, "the published bound is not labelled"


def variants(browser, folder):
    results = folder / "dithers"
    code, _, err = run(["run", os.path.join(SOURCE, "experiments", "meters-dithers.yaml"), "-o", str(results), "--set", "output.repeat=1"], folder)
    assert code == 0, err
    code, _, err = run(["report", str(results)], folder)
    assert code == 0, err
    browser.get((results / "report.html").as_uri())
    chooser = Select(browser.find_element(By.ID, "variant"))
    assert len(chooser.options) == 6
    for i in (3, 5):
        chooser.select_by_index(i)
        table = {(int(row["from"]), int(row["to"])): float(row["epsilon"]) for row in rows(results / f"loss-{i + 1}.csv")}
        observer = int(Select(browser.find_element(By.ID, "observer")).first_selected_option.get_attribute("value"))
        assert all(shown(browser, u)["value"] == table[u, observer] for u in range(32) if u != observer), f"variant {i}"
    no_complaints(browser, "variants")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = folder / "davis"
        code, _, err = run(["run", os.path.join(SOURCE, "tests", "cli", "davis.yaml"), "-o", str(results), "--set", "output.repeat=5"], folder)
        assert code == 0, err
        code, _, err = run(["report", str(results)], folder)
        assert code == 0, err
        page = results / "report.html"
        browser = open_browser(folder / "profile")
        try:
            an_observer_by_keyboard(browser, page, results)
            who_is_above(browser, results)
            tables_are_saved(browser, folder, results)
            a_proof_is_checked(browser, folder)
            the_table_sorts(browser)
            light_dark_and_paper(browser, page)
            a_hostile_folder(browser, folder)
            variants(browser, folder)
            what_was_compared(browser, folder)
            dithers_are_compared(browser, folder)
            the_experimenters_page(browser, results, folder)
            baselines_and_flips(browser, folder)
            given_noise(browser, folder)
            a_large_network(browser, folder)
            an_audit(browser, folder)
        finally:
            browser.quit()
    print("the page works")


main()
