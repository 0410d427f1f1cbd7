"""The manual as pages of HTML: `ninja -C build site`, then build/docs/site/README.html."""
from pygments.lexers.special import TextLexer

project = "netdp"
author = copyright = "The netdp authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
root_doc = "README"
html_theme = "alabaster"
html_show_sourcelink = False
html_copy_source = False
# Links to what is beside the manual in the source stay words.
suppress_warnings = ["myst.xref_missing", "ref.myst"]


def add_contents(app, page, text):
    """Every page stands in the margin; the first one has a table of them already."""
    if page == root_doc:
        text[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\nproofs/*\nadvisories/*\nreference/*\n```\n"


def setup(app):
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", add_contents)
