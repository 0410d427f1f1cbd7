"""The notebooks run from their first cell to their last, and show what they promise."""
import os
import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("networkx")
pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

FOLDER = pathlib.Path(os.environ["NETDP_SOURCE"], "examples", "notebooks")


@pytest.mark.parametrize("name", ["start", "own-graph", "hospital", "figure", "auditing", "flower", "torch"])
def test_notebook(name, tmp_path):
    if name == "torch":
        pytest.importorskip("torch")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    nbclient.NotebookClient(notebook, timeout=3600, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output["data"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
             if "data" in output]
    assert any("text/html" in data for data in shown)
    if name == "own-graph":
        assert any("<svg" in data.get("text/html", "") for data in shown)
