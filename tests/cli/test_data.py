#!/usr/bin/python3
"""netdp data: the list, and the check of a folder."""
import os

from harness import SOURCE, Case, main

with open(os.path.join(SOURCE, "data/meters.csv"), "rb") as meters_file:
    METERS = meters_file.read()


def lists_houses(got):
    rows = {row["name"]: row for row in got["data"]}
    assert "823" in rows["houses"]["from"] and len(rows["houses"]["sha256"]) == 64
    assert rows["meters"]["bundled"] is True and rows["meters"]["found"], rows["meters"]
    for row in got["data"]:
        is_table = row["name"] in ("houses", "meters")  # of which rows and columns are declared
        assert list(row) == ["name", "file", "sha256", "from", "bundled", "found"] + ["rows", "columns"] * is_table, row
    assert rows["houses"]["rows"] == 20640 and rows["houses"]["columns"][-1] == {"name": "label", "values": ["N", "P"]}
    assert rows["meters"]["rows"] == 32 and all(one["bounds"] == [0, 5] for one in rows["meters"]["columns"])
    # What is declared is the file's header.
    assert [one["name"] for one in rows["meters"]["columns"]] == METERS.decode().splitlines()[0].split(",")


def verdict(name, want):
    def check(got):
        rows = {row["name"]: row["verdict"] for row in got["data"]}
        assert rows[name] == want, rows
        assert set(rows.values()) <= {"matches", "differs", "missing"}, rows
    return check


main([
    Case("data", out=r"^  sha256  [0-9a-f]{64}$"),
    Case("data --json", keys=["data"], check=lists_houses),
    Case("data --data . --json", keys=["data"], files={"meters.csv": METERS},
         check=lambda got: [row["found"] for row in got["data"]].index("./meters.csv")),
    Case("data check .", files={"meters.csv": METERS}, out=r"^matches +meters.csv$"),
    Case("data check . --json", files={"meters.csv": METERS}, keys=["folder", "data"],
         check=verdict("meters", "matches")),
    Case("data check .", 2, files={"meters.csv": METERS + b"\n"}, prints=True, err="1 of 1",
         out=r"^differs +meters.csv$"),
    Case("data check . --json", 2, files={"meters.csv": METERS[1:]}, prints=True,
         keys=["folder", "data"], check=verdict("meters", "differs")),
    Case("data check .", 3, err="none of the data sets", prints=True),
    Case("data check nowhere", 3, err="nowhere: No such file"),
    Case("data check g", 3, err="not a folder", files={"g": b""}),
    Case("data check", 2, err="missing DIR"),
    Case("data check . .", 2, err="too many"),
    Case("data check . --data .", 2, err="--data"),
    Case("data chekc .", 2, err="check DIR"),
])
