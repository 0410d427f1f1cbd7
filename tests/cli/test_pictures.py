#!/usr/bin/python3
"""Pictures as a journal would print them: as wide as asked, letters that can be read, none over another or cut.

All quick studies: NETDP_PICTURES=all. What is read is the PDF itself: where each text stands, and how wide its font says it is.
"""
import json
import os
import pathlib
import re
import tempfile
import zlib

from harness import SOURCE, Case, main, run

QUICK = ("A-fig7", "B-fig1", "B-fig3", "C-fig4", "D-fig1", "E-fig1b", "gopa")  # every kind that takes no data and no time


def objects(data):
    return {int(number): body for number, body in re.findall(rb"(\d+) 0 obj\s(.*?)endobj", data, re.S)}


def inflated(body):
    packed = re.search(rb"stream\r?\n(.*?)\r?\nendstream", body, re.S)
    try:
        # What is packed may end in a byte that reads as the end of a line: the rest is whole without it.
        return zlib.decompressobj().decompress(packed.group(1)) if packed else b""
    except zlib.error:
        return b""


def widths(known, font):
    """Of a code of the font, in thousandths of its size; and bytes a code."""
    body = known[font]
    if b"/Type0" in body:
        below = known[int(re.search(rb"/DescendantFonts \[ (\d+)", body).group(1))]
        listed = [int(one) for one in re.search(rb"/W \[\s*0 \[([\d ]+)", below).group(1).split()]
        return (lambda code: listed[code]), 2
    listed = [int(one) for one in re.search(rb"/Widths \[([\d ]+)", body).group(1).split()]
    first = int(re.search(rb"/FirstChar (\d+)", body).group(1))
    return (lambda code: listed[code - first]), 1


def codes(text, size):
    if text.startswith(b"<"):
        plain = bytes.fromhex(text[1:-1].decode())
    else:
        plain = re.sub(rb"\\(\d{3}|.)", lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else m[1], text[1:-1])
    return [int.from_bytes(plain[i:i + size], "big") for i in range(0, len(plain), size)]


def texts(data):
    """(size, left, right, bottom, top) of every text, in points from the page's upper left, and the page's size."""
    known, found = objects(data), []
    page = [float(one) for one in re.search(rb"/MediaBox \[ ([\d. ]+) \]", data).group(1).split()][2:]
    fonts = {}
    for body in known.values():
        for name, number in re.findall(rb"/(f-\d+-\d+) (\d+) 0 R", body):
            fonts[name] = widths(known, int(number))
    for body in known.values():
        for block in re.findall(rb"\bBT\n(.*?)\nET\b", inflated(body), re.S):
            a = b = c = d = x = y = ahead = 0
            font = None
            token = rb"([-\d. ]+) Tm|([-\d. ]+) Td|/(f-\d+-\d+) [\d.]+ Tf|(\((?:\\.|[^\\)])*\)|<[0-9a-f]*>)Tj|\[(.*?)\]TJ"
            for matrix, moved, named, one, several in re.findall(token, block, re.S):
                if matrix:
                    (a, b, c, d, x, y), ahead = (float(value) for value in matrix.split()), 0
                elif moved:
                    right, up = (float(value) for value in moved.split())
                    x, y, ahead = x + right * a + up * c, y + right * b + up * d, 0
                elif named:
                    font = fonts[named]
                else:
                    parts = [one] if one else re.findall(rb"\((?:\\.|[^\\)])*\)|<[0-9a-f]*>", several)
                    wide = sum(font[0](code) for part in parts for code in codes(part, font[1])) / 1000
                    ends = [(x + at * a + j * c, y + at * b + j * d) for at in (ahead, ahead + wide) for j in (0, 0.65)]
                    ahead += wide
                    if wide:
                        found.append(((a * a + b * b) ** 0.5, min(e[0] for e in ends), max(e[0] for e in ends),
                                      min(e[1] for e in ends), max(e[1] for e in ends), b == 0))
    return found, page


def check(name, data, width, least):
    found, (wide, high) = texts(data)
    assert len(found) > 5, (name, len(found), "texts")
    assert width - 1.5 < wide <= width + 0.01, (name, wide, width)
    assert min(one[0] for one in found) >= least, (name, min(one[0] for one in found), "points")
    for size, left, right, top, bottom, _ in found:
        assert -0.5 <= left and right <= wide + 0.5 and -0.5 <= top and bottom <= high + 0.5, (name, "cut", left, right, top, bottom, wide, high)
    for i, one in enumerate(found):
        for other in found[:i]:
            across = min(one[2], other[2]) - max(one[1], other[1])
            up = min(one[4], other[4]) - max(one[3], other[3])
            slanted = not one[5] and not other[5]  # their boxes are larger than they are
            assert slanted or across < 0.3 or up < 0.3, (name, "one text over another", one, other)


def labels_are_whole(folder):
    """No "..." at y: each word of the label stands in the picture."""
    figure = json.loads(pathlib.Path(folder, "figure.json").read_text(encoding="utf-8"))
    shown = re.sub(r"\s", "", re.sub(r"<[^>]*>", "", pathlib.Path(folder, "figure.svg").read_text(encoding="utf-8")))
    if figure["kind"] in ("trace", "sweep", "distance", "scatter", "dots") and all(not c.get("unit") for c in figure["curves"]):
        for word in figure["y_label"].split():
            assert word in shown or figure["paper"].startswith("B"), (folder, word)


def pictures():
    names = QUICK
    if os.environ.get("NETDP_PICTURES") == "all":
        files = sorted(pathlib.Path(SOURCE, "experiments").glob("*.yaml"))
        names = [file.stem for file in files if "\nfigure:" in file.read_text(encoding="utf-8")]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            words = ["reproduce", os.path.join(SOURCE, "experiments", name + ".yaml"), "--quick", "--pdf", "-o", name]
            code, out, err = run([*words, "--style", "journal"], folder)
            if code != 0 and "not in $NETDP_DATA" in err:
                continue
            assert code == 0 and out == f"{name}/figure.pdf\n", err
            check(name, pathlib.Path(folder, name, "figure.pdf").read_bytes(), 85 / 25.4 * 72, 6)
            labels_are_whole(os.path.join(folder, name))
            if name not in QUICK:
                continue
            assert run([*words, "--style", "slide"], folder)[0] == 0  # what is there is drawn again
            check(name, pathlib.Path(folder, name, "figure.pdf").read_bytes(), 720, 14)
            assert run([*words, "--width", "120", "--text", "9", "--font", "DejaVu Serif"], folder)[0] == 0
            pdf = pathlib.Path(folder, name, "figure.pdf").read_bytes()
            check(name, pdf, 120 / 25.4 * 72, 7.1)
            assert b"DejaVuSerif" in pdf and "font-family=\"DejaVu Serif\"" in pathlib.Path(folder, name, "figure.svg").read_text(encoding="utf-8")


STUDY = """title: %s
seed: 1
graph: {family: ring 8}
task: {kind: account}
protocol: {kind: averaging, rounds: 6}
privacy: {noise: 1, as: rdp:2, %s, dither: 0.1}
figure: {kind: %s, y: loss}
%s"""


def drawn(folder, name, *text):
    """figure.json and the texts of figure.svg, 85 mm wide."""
    pathlib.Path(folder, name + ".yaml").write_text(STUDY % (name, *text[:3]), encoding="utf-8")
    code, out, err = run(["reproduce", name + ".yaml", "-o", name, "--style", "journal", *text[3:]], folder)
    assert code == 0, (out, err)
    svg = pathlib.Path(folder, name, "figure.svg").read_text(encoding="utf-8")
    return json.loads(pathlib.Path(folder, name, "figure.json").read_text(encoding="utf-8")), svg


def closed_points():
    """What every message tells, for want of a proof, is no point of the curve that a proof makes."""
    with tempfile.TemporaryDirectory() as folder:
        figure, svg = drawn(folder, "closed", "to: 0", "sweep",
                            "sweep: {key: privacy.dither, values: 0 | 0.1 | 0.2}\nvariants:\n  - {name: ring}\n")
    found = {curve["name"]: (curve["bound"], curve["x"]) for curve in figure["curves"]}
    assert found == {"ring": ("exact", [0.1, 0.2]), "ring (closed: all counts as seen)": ("everything", [0])}, found
    assert "ring (closed: all counts as seen)" in svg


def long_names():
    """Titles of drawings and matrices take more lines where they are too long for their panels; they are not cut."""
    names = [f"what is learned in the {nth} of five" for nth in ("first", "second", "third", "fourth", "fifth")]
    variants = "variants:\n" + "".join(f"  - {{name: {name}, privacy: {{noise: {k + 1}}}}}\n" for k, name in enumerate(names))
    with tempfile.TemporaryDirectory() as folder:
        for kind, parties in (("drawing", "to: 0"), ("matrix", "to: all")):
            svg = drawn(folder, kind, parties, kind, variants)[1]
            texts = " ".join(re.findall(r">([^<>]+)</t", svg))
            assert "..." not in texts, (kind, texts)
            for name in names:
                assert all(word in texts for word in name.split()), (kind, name, texts)


def dots_in_a_column():
    """Rows of dots, as A-table1 has them, and bins: names beside their rows and ticks below, none over another or cut."""
    rows = "".join(f"  - {{name: exponential {k} / gossip (published), privacy: {{noise: {k}}}, figure: {{printed: 0.{k}}}}}\n"
                   f"  - {{name: exponential {k} / walk, privacy: {{noise: {k + 0.5}}}}}\n" for k in range(1, 14))
    bins = "  - {name: gossip}\n  - {name: every message seen, privacy: {bound: everything}}\n"
    with tempfile.TemporaryDirectory() as folder:
        for kind, variants in (("dots", rows), ("histogram", bins)):
            svg = drawn(folder, kind, "to: 0", kind, "variants:\n" + variants, "--pdf")[1]
            check(kind, pathlib.Path(folder, kind, "figure.pdf").read_bytes(), 85 / 25.4 * 72, 6)
            assert "..." not in svg and ">exponential 13<" in svg or kind == "histogram", svg[:2000]


CASES = [
    Case("reproduce x.yaml --style book", 2, err="--style 'book': give screen, journal or slide"),
    Case("reproduce x.yaml --width 3", 2, err="width 3: give millimetres"),
    Case("reproduce x.yaml --text 100", 2, err="text 100: give points"),
    Case(["reproduce", "x.yaml", "--font", "a'; system \"touch ran\""], 2, err="font '.*: give the name of a family"),
]

main(CASES, [pictures, closed_points, long_names, dots_in_a_column])
