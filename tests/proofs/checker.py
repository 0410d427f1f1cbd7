"""Runs netdp-verify inside this process: a verdict of a text takes milliseconds."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import tempfile

root = pathlib.Path(__file__).parents[2]
loader = importlib.machinery.SourceFileLoader("netdp_verify", str(root / "tools/verify/netdp-verify"))
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("netdp_verify", loader))
loader.exec_module(module)


def verdict(text):
    """(exit code, what it says) of a proof file with this text (str or bytes)."""
    handle, path = tempfile.mkstemp(suffix=".proof")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode("utf-8"))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = module.main([path])
        return code, out.getvalue().replace(path, "FILE")
    finally:
        os.unlink(path)


def proven(said):
    """The losses that are proven, of all questions."""
    return [float(x) for x in re.findall(r"\(proven: ([^)]*)\)", said)]
