"""Writes files as C: the bundled graphs as a table, or the page of netdp report as one text.

    embed.py OUTPUT NAME.edges NAME.nodes ...
    embed.py OUTPUT page.html
"""
import pathlib
import sys

# The demonstration's 32 households sit on the edges of the Davis graph, whose own nodes are women and events.
SAME_EDGES = {"households": "davis"}
HEAD = "/* Made from {} by tools/embed.py; do not edit. */\n"


def literal(path):
    """As C strings, a line each; ? too is escaped, since two of them may begin a trigraph."""
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\t": "\\t", "\r": "\\r", "?": "\\?"})
    lines = path.read_text(encoding="utf-8").split("\n")
    ends = ["\\n"] * (len(lines) - 1) + [""]
    return "".join(f'\n        "{line.translate(escapes)}{end}"' for line, end in zip(lines, ends)
                   if line or end)


def graphs(inputs):
    edges = {path.stem: path for path in inputs if path.suffix == ".edges"}
    nodes = {path.stem: path for path in inputs if path.suffix == ".nodes"}
    edges.update((name, edges[of]) for name, of in SAME_EDGES.items())
    assert edges.keys() == nodes.keys(), "every graph needs both files"
    rows = "".join(
        f'    {{"{name}",{literal(edges[name])},{literal(nodes[name])}}},\n' for name in sorted(edges)
    )
    return (HEAD.format("data/") + '#include <stddef.h>\n\n#include "graph/families.h"\n\n'
            f"const netdp_i_bundled netdp_i_bundled_graphs[] = {{\n{rows}    {{NULL, NULL, NULL}},\n}};\n")


def page(path):
    return (HEAD.format("src/report/page.html") + '#include "report/page.h"\n\n'
            f"const char netdp_i_page_template[] ={literal(path)};\n")


def main():
    output, *inputs = map(pathlib.Path, sys.argv[1:])
    text = page(inputs[0]) if inputs[0].suffix == ".html" else graphs(inputs)
    output.write_text(text, encoding="utf-8")


main()
