"""The reference of netdp for Python, from its docstrings: `ninja -C build python-api`."""
import netdp

project = "netdp"
author = copyright = "The netdp authors"
version = release = netdp.__version__
extensions = ["sphinx.ext.autodoc"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
html_theme = "alabaster"
html_show_sourcelink = False
