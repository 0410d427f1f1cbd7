"""Learnt models applied to new rows."""
from __future__ import annotations

import os
import pathlib
from typing import Any, Mapping, Optional, Sequence, Union

from netdp._call import Invalid, bytes_of, call, ffi, lib, text_of

Path = Union[str, "os.PathLike[str]"]

_MISSING = {"refuse": lib.NETDP_MISSING_REFUSE, "drop": lib.NETDP_MISSING_DROP, "mean": lib.NETDP_MISSING_MEAN}


def predict(result: Path, rows: Any, *, variant: Optional[str] = None, keep: Union[str, Sequence[str], None] = None,
            missing: Optional[str] = None) -> Any:
    """A learnt model's predictions of rows, as a pandas frame with the index of `rows`. (As `netdp predict`.)

    `result`: a participant's folder or its result.json, or the folder of a run; `variant` names one of a run's several.
    `rows`: a pandas frame, a mapping of columns, or a CSV file. Columns are found by their names, the label's may be there;
    a column that the model does not know is refused, unless `keep` (names, or "all") copies it into the answer. `missing`:
    "refuse", "drop" (no prediction) or "mean", of rows with an empty cell; by default as in the study.

    The answer has `prediction`, a number in the label's unit or the likeliest class as the study writes it, and of
    classes `p:CLASS`, each one's probability by the model. `attrs["privacy"]` says what predictions tell about the rows
    that the model was learnt from.
    """
    import tempfile
    import pandas

    if missing is not None and missing not in _MISSING:
        raise Invalid(f"missing: {missing!r}: give refuse, drop or mean")
    names = keep if keep is None or isinstance(keep, str) else ", ".join(keep)
    held = ffi.new("char[]", bytes_of(names)) if names is not None else ffi.NULL
    how = ffi.new("netdp_predicting *", {"keep": held, "missing": _MISSING[missing or "refuse"], "as_study": missing is None})
    made = ffi.new("netdp_model **")
    call(lib.netdp_model_read, bytes_of(result), bytes_of(variant) if variant is not None else ffi.NULL, made)
    model = ffi.gc(made[0], lib.netdp_model_free)
    with tempfile.TemporaryDirectory(prefix="netdp-") as room:
        place, into = pathlib.Path(room, "rows.csv"), pathlib.Path(room, "predictions.csv")
        index = None
        if isinstance(rows, (str, os.PathLike)):
            place = pathlib.Path(rows)
        else:
            frame = pandas.DataFrame(rows) if isinstance(rows, Mapping) else rows
            if not isinstance(frame, pandas.DataFrame):
                raise Invalid("rows: give a pandas frame, a mapping of columns, or a CSV file")
            frame.to_csv(place, index=False)
            index = frame.index
        call(lib.netdp_model_predict, model, bytes_of(place), how, bytes_of(into), ffi.NULL)
        answer = pandas.read_csv(into, float_precision="round_trip", keep_default_na=False, dtype=str)
    # Classes stay as the study writes them; probabilities and predicted numbers are numbers.
    classes = any(name.startswith("p:") for name in answer.columns)
    at = list(answer.columns).index("prediction")
    for name in answer.columns[at + 1 if classes else at:]:
        answer[name] = [float(text) if text else float("nan") for text in answer[name]]  # to their last bit
    for name in answer.columns[:at]:
        answer[name] = answer[name].replace("", None)
    if classes:
        answer["prediction"] = answer["prediction"].replace("", None)
    if index is not None:
        answer.index = index
    answer.attrs["privacy"] = text_of(lib.netdp_model_privacy(model)) or ""
    return answer
