#!/usr/bin/python3
"""web/ makes src/report/page.html to the byte. Skipped where node or web/node_modules is missing."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

web = pathlib.Path(os.environ["NETDP_SOURCE"]) / "web"
node = shutil.which("node")
if node is None or not (web / "node_modules").is_dir():
    print("node or web/node_modules is missing: run npm ci in web/")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    made = pathlib.Path(folder) / "page.html"
    subprocess.run([node, web / "build.mjs", made], check=True)
    kept = web.parent / "src/report/page.html"
    if made.read_bytes() != kept.read_bytes():
        sys.exit("src/report/page.html is not what web/ makes: run npm ci and npm run build in web/")
print("web/ makes the page to the byte")
