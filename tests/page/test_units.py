#!/usr/bin/python3
"""Each page speaks of the unit that its study protects, and of no other: a node, a row replaced, a row added or removed.

What a reader sees of the pages of `report` and of `audit` is taken from Chromium, of every variant, and searched for
the other units' words; so are the tables on standard output. Skipped (77) where Chromium, its driver or selenium is missing; before that,
the source: one table holds the sentences.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

from harness import SOURCE, run

# What only a page of that unit may say; "[’']" as the page and as the table have it.
WORDS = {
    "node": [r"contents? of a node[’']s data", r"whole data", r"two contents", r"another node[’']s data\b(?! replaced)"],
    "replace": [r"one row of (one|another) node[’']s data(?! added)", r"values? of (one|the) row", r"replacing one row", r"one row .{0,40}replaced"],
    "add-remove": [r"added or removed", r"with and without one", r"without it\b", r"one row is among", r"there or not", r"with one of them there"],
}
# Said of each unit on the page of a report, and of an audit.
SAID = {
    "node": ["two possible contents of a node’s data", "A node’s whole data"],
    "replace": ["two possible values of one row", "replaced (a row: one meter’s evening)".replace("’", "'")],
    "add-remove": ["with one of them there, and without it", "added or removed (a row: one meter's evening)"],
}
AUDITED = {"node": "two possible contents of a node’s data", "replace": "two possible values of one row", "add-remove": "with one row there, and of as many without it"}

STUDY = """title: One of three units
graph: {{family: ring 6}}
data: {{csv: d.csv, per_node: even, columns: [{{name: a, bounds: [0, 9]}}]{row}}}
task: {{kind: mean}}
protocol: {{kind: averaging, rounds: 12}}
privacy: {{epsilon: 2, delta: 1e-6, over: worst{unit}, {measure}}}
variants:
  - {{name: own noise}}
  - {{name: pairs, privacy: {{pair_graph: complete, pair_noise: 3}}}}
output: {{repeat: 2}}
"""
ROW = ", rows: 60, row: one meter's evening"
UNITS = {"node": ("", ""), "replace": (ROW, ", protects: row"), "add-remove": (ROW, ", protects: row, change: add-remove")}


def foreign(unit, text, where):
    """The other units' words in a text."""
    text = re.sub(r"\s+", " ", text)
    found = [(other, pattern, text[max(0, match.start() - 60):match.end() + 60]) for other, patterns in WORDS.items()
             if other != unit for pattern in patterns if not (other == "node" and pattern.startswith("another"))
             for match in [re.search(pattern, text)] if match]
    assert not found, f"{unit}, {where}: {found}"


def one_table():
    """No other source of the page names what is protected."""
    for path in sorted(pathlib.Path(SOURCE, "web/src").glob("*.js")):
        text = path.read_text(encoding="utf-8")
        said = re.findall(r"[^\n]*(?:contents of|node’s data|one row|added or removed|whole data)[^\n]*", text)
        assert path.name == "unit.js" or not said, f"{path.name}: {said}"


def study_of(unit, folder):
    row, words = UNITS[unit]
    pathlib.Path(folder, "d.csv").write_text("a\n" + "".join(f"{i % 10}\n" for i in range(60)), encoding="utf-8")
    pathlib.Path(folder, "study.yaml").write_text(STUDY.format(row=row, unit=words, measure="dither: 0.1"), encoding="utf-8")


def texts_of(browser, page, by):
    """What is seen of the page, of each variant in turn, the glossary too."""
    browser.get(page.as_uri())
    chooser = browser.find_elements(by.ID, "variant")
    for k in range(len(chooser[0].find_elements(by.TAG_NAME, "option")) if chooser else 1):
        if chooser:
            browser.execute_script("const s = arguments[0]; s.selectedIndex = arguments[1]; s.dispatchEvent(new Event('change'));", chooser[0], k)
        yield browser.execute_script("return document.body.innerText") + browser.title


def pages(browser, by, unit):
    with tempfile.TemporaryDirectory() as folder:
        study_of(unit, folder)
        for words in (["run", "study.yaml", "-o", "results"], ["report", "results"],
                      ["audit", "study.yaml", "--runs", "300", "-o", "attacked", "--from", "1", "--to", "0"], ["report", "attacked"]):
            code, out, err = run(words, folder)
            assert code == 0, (words, err)
            foreign(unit, out, " ".join(words))
            foreign(unit, err, " ".join(words) + ", notes")
        seen = list(texts_of(browser, pathlib.Path(folder, "results/report.html"), by))
        assert len(seen) >= 2, len(seen)
        for text in seen:
            foreign(unit, text, "the page of report")
            for words in SAID[unit]:
                assert words in text, f"{unit}: the page does not say {words!r}"
        assert any("Beside the noise that the nodes’ own noise leaves there" in text and "model" not in text for text in seen), "what is left of the pairwise noise is not on the page"
        (text,) = texts_of(browser, pathlib.Path(folder, "attacked/report.html"), by)
        foreign(unit, text, "the page of audit")
        assert AUDITED[unit] in text, f"{unit}: the page of audit does not say {AUDITED[unit]!r}"
        print(f"{unit}: {sum(map(len, seen)) + len(text)} characters")


def main():
    one_table()
    try:
        from selenium import webdriver
        from selenium.webdriver.common.by import By
    except ImportError:
        print("python3-selenium is missing")
        return 77
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        print("chromium or chromium-driver is missing")
        return 77
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for word in ("headless=new", "disable-gpu", "disable-dev-shm-usage", "no-first-run", f"user-data-dir={profile}",
                     *(["no-sandbox"] if os.geteuid() == 0 else [])):
            options.add_argument("--" + word)
        browser = webdriver.Chrome(options=options, service=webdriver.chrome.service.Service(driver))
        try:
            for unit in UNITS:
                pages(browser, By, unit)
        finally:
            browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
