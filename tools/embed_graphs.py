"""Writes the bundled graphs as a C table: embed_graphs.py OUTPUT NAME.edges NAME.nodes ..."""
import pathlib
import sys


def literal(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") for line in lines)
    return "".join(f'\n        "{line}\\n"' for line in escaped)


def main():
    output, *inputs = map(pathlib.Path, sys.argv[1:])
    edges = {path.stem: path for path in inputs if path.suffix == ".edges"}
    nodes = {path.stem: path for path in inputs if path.suffix == ".nodes"}
    assert edges.keys() == nodes.keys(), "every graph needs both files"
    rows = "".join(
        f'    {{"{name}",{literal(edges[name])},{literal(nodes[name])}}},\n' for name in sorted(edges)
    )
    output.write_text(
        "/* Made from data/ by tools/embed_graphs.py; do not edit. */\n"
        '#include <stddef.h>\n\n#include "graph/families.h"\n\n'
        f"const netdp_i_bundled netdp_i_bundled_graphs[] = {{\n{rows}    {{NULL, NULL, NULL}},\n}};\n",
        encoding="utf-8",
    )


main()
