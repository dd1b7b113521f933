"""dpcalc from Python: plans, ledgers and noise. The wheel brings the program, and every number is the program's.

A flag of the program is an argument, with `_` for `-`: target_beta=0.1 is --target-beta=0.1, and from_="inspect" is
--from=inspect. True gives a switch, False and None leave a flag out, and a list is a list of the command line:
queries=[10, 100] is --queries=10,100. Whatever the program has to say of an answer that it gives becomes a Python
warning.
"""
from __future__ import annotations

import csv
import functools
import html
import importlib
import importlib.metadata
import io
import json
import math
import os
import pathlib
import pickle
import random
import re
import shutil
import subprocess
import tempfile
import threading
import warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

from ._signatures import (REPEATED, Actions, Path, Predictions, Row, advise, compose, maxinfo, power, pvalue_correct,
                          samplesize, transfer)

__all__ = ["DpcalcError", "Holdout", "Noise", "Row", "advise", "compose", "maxinfo", "power", "program", "pvalue_correct",
           "rows", "samplesize", "scorer", "transfer"]

try:
    __version__ = importlib.metadata.version("dpcalc")
except importlib.metadata.PackageNotFoundError:  # the module of a clone
    __version__ = "devel"


class DpcalcError(Exception):
    """What the program said, its exit code (1 input or output failed, 2 wrong usage, 3 no row has an answer, or a look
    was refused) and its rows."""

    def __init__(self, line: str, code: int, rows: Iterable[Row] = ()) -> None:
        super().__init__(line)
        self.code = code
        self.rows = list(rows)

    def __reduce__(self) -> Any:  # from the processes of a parallel search
        return DpcalcError, (str(self), self.code, self.rows)


_NAME = "dpcalc.exe" if os.name == "nt" else "dpcalc"


@functools.lru_cache(maxsize=None)
def _installed() -> Optional[str]:
    """The program of the wheel: beside the interpreter, or in the folder that pip was given by --target."""
    try:
        files = importlib.metadata.files("dpcalc") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    places = [os.path.abspath(str(file.locate())) for file in files if file.name == _NAME]
    places.append(str(pathlib.Path(__file__).resolve().parents[1] / "bin" / _NAME))
    return next((place for place in places if os.access(place, os.X_OK)), None)


def program() -> str:
    """The program's path: what the environment variable DPCALC names, the wheel's program, or the first on the PATH."""
    found = os.environ.get("DPCALC") or _installed() or shutil.which("dpcalc")
    if found is None:
        raise DpcalcError("no program dpcalc in this environment or on the PATH: name it in the variable DPCALC", 1)
    return found


def _words(name: str, value: Any) -> List[str]:
    """A flag as words of the command line."""
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", name):  # "output=FILE" would write a file
        raise ValueError(f"got the argument {name!r}, want a flag's name with _ for -")
    name = name.rstrip("_").replace("_", "-")
    flag = "--" + name
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
        return [f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]
    texts = [str(one) for one in value]
    if name in REPEATED:
        return [f"{flag}={text}" for text in texts]
    for text in texts:
        if "," in text:
            raise ValueError(f"{name}: got {text!r} in a list, want no comma: a comma separates the elements")
    return [f"{flag}={','.join(texts)}"]


def rows(command: str, *arguments: Path, stdin: str = "", **flags: Any) -> List[Row]:
    """The rows of `dpcalc COMMAND ARGUMENTS FLAGS`, a dict each. With output=FILE they are in the file.

    A failed check, such as a gate that is not passed, is an answer. Where the program has none, a DpcalcError says why.
    An argument is never a flag: a file may have the name --output=x.json.
    """
    if flags.get("output") is None:
        flags["format"] = "json"
    if not re.fullmatch("[a-z][a-z-]*", command):
        raise ValueError(f"got the command {command!r}, want a command's name")
    texts = [os.fspath(one) for one in arguments]
    line = [program(), command, *(f"./{text}" if text.startswith("-") and text != "-" else text for text in texts)]
    for name, value in flags.items():
        line += _words(name, value)
    run = subprocess.run(line, input=stdin, capture_output=True, encoding="utf-8")
    said, answer = run.stderr.strip(), run.stdout.startswith("{")
    found: List[Row] = json.loads(run.stdout)["rows"] if answer else []
    if run.returncode != 0 and not (run.returncode == 4 and answer):
        reasons = "; ".join(": ".join(filter(None, [row.get("method"), row["reason"]])) for row in found if row.get("reason"))
        raise DpcalcError(said or reasons, run.returncode, found)
    for notice in said.splitlines():
        warnings.warn(notice, stacklevel=2)
    return found


#: What the results of a command show of themselves, as far as it has a value. They hold more.
_MAIN = {
    "samplesize": "method samples queries tau beta best status", "power": "samples queries beta bar effect power status",
    "pvalue-correct": "method p alpha p_adjusted threshold reject best status", "advise": "way command",
    "maxinfo": "method bits slack best status", "compose": "method epsilon delta status",
    "transfer": "method alpha_out beta_out status", "price": "show verdict response price lower upper spent",
    "log": "look name verdict response bar lower upper time", "verify": "verdict state looks torn",
    "score": "look name verdict response lower upper price remaining_looks remaining_passes repeated",
    "status": "state looks remaining_looks remaining_passes spent margin tau", "retire": "state looks",
    "extend": "state samples looks", "close": "alpha tests level spent",
}


def _main(command: str, found: List[Row]) -> List[str]:
    """The columns of rows that are shown."""
    return [name for name in _MAIN[command].split() if any(row.get(name) is not None for row in found)]


class _One(Dict[str, Any]):
    """The row of an action, which shows its main entries."""

    def __init__(self, action: str, row: Row) -> None:
        super().__init__(row)
        self._action = action

    def __repr__(self) -> str:
        shown = (f"{name}={self[name]!r}" for name in _main(self._action, [self]))
        return f"{self._action}({', '.join(shown)})"

    def __reduce__(self) -> Any:
        return _One, (self._action, dict(self))


class _Rows(List[Row]):
    """The rows of a command, which show their main entries."""

    def __init__(self, command: str, found: List[Row]) -> None:
        super().__init__(found)
        self._command = command

    def __repr__(self) -> str:
        return "[" + ",\n ".join(repr(_One(self._command, row)) for row in self) + "]"

    def __reduce__(self) -> Any:
        return _Rows, (self._command, list(self))


@functools.lru_cache(maxsize=None)
def _frames(command: str) -> Any:
    """The DataFrames of a command, which show their main columns. What is made of one shows all of its own."""
    pandas = importlib.import_module("pandas")

    def main(frame: Any) -> Any:
        plain = pandas.DataFrame(frame)
        return plain[_main(command, plain.astype(object).where(plain.notna(), None).to_dict("records"))]

    return type("DataFrame", (pandas.DataFrame,), {
        "_constructor": property(lambda frame: pandas.DataFrame),
        "__repr__": lambda frame: f"{main(frame)!r}\n{len(frame.columns)} columns in all: .columns lists them",
        "_repr_html_": lambda frame: main(frame)._repr_html_(),
        "__reduce_ex__": lambda frame, protocol: (pickle.loads, (pickle.dumps(pandas.DataFrame(frame), protocol),)),
    })


def _framed(command: str, found: List[Row]) -> Any:
    """Rows as a pandas DataFrame if pandas is there, else as a list."""
    try:
        frame = _frames(command)(found)
    except ImportError:
        return _Rows(command, found)
    pandas = importlib.import_module("pandas")
    for name in frame:
        values = [row[name] for row in found]
        if None in values and {type(value) for value in values} == {int, type(None)}:
            frame[name] = pandas.array(values, dtype="Int64")  # a number of rows is no float where another row has none
    return frame


def _command(command: str, *arguments: Any, stdin: str = "", **flags: Any) -> Any:
    """Runs a command, and returns its rows as a DataFrame."""
    if len(arguments) != 1 or isinstance(arguments[0], (str, os.PathLike)):
        return _framed(command, rows(command, *arguments, stdin=stdin, **flags))
    table = _tabular(arguments[0])
    found = rows(command, "-", stdin=_csv(table), **flags)
    if not hasattr(table, "columns"):
        for row, p in zip(found, table):  # the program passes cells on as texts
            row["p"] = None if p is None or p != p else p
        return _framed(command, found)
    frame = _framed(command, found)
    if len(frame) != len(table) or flags.get("output") is not None:
        return frame
    # The caller's columns stay what they are, and the index too.
    return table.join(frame[[name for name in frame if name not in table.columns]].set_axis(table.index))


def _tabular(table: Any) -> Any:
    """P-values as a DataFrame, or as a list where they came as a list."""
    if hasattr(table, "to_frame"):
        return table.to_frame("p")
    if hasattr(table, "columns"):
        return table
    return list(table)


def _csv(table: Any) -> str:
    """P-values as a CSV file. A missing value is NA."""
    if hasattr(table, "columns"):
        return str(table.to_csv(index=False, na_rep="NA"))
    return "p\n" + "".join("NA\n" if p is None or p != p else f"{p}\n" for p in table)


class Holdout(Actions):
    """A ledger: `dpcalc holdout` on a folder. Every look is written down before it is shown.

    Used as a context manager, it verifies the log at the end of the block. It stays open for looks: `close` is for good.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = os.fspath(folder)

    def __repr__(self) -> str:
        return f"Holdout({self.folder!r})"

    def _repr_html_(self) -> str:
        """The status as a table, for notebooks."""
        try:
            status = self.status()
        except DpcalcError as error:
            return f"<code>{html.escape(repr(self))}</code>: {html.escape(str(error))}"
        cells = "".join(f"<tr><th>{html.escape(name.replace('_', ' '))}</th><td>{html.escape(str(value))}</td></tr>"
                        for name, value in status.items() if value is not None and name not in ("labels", "chain"))
        return f"<table><caption>{html.escape(repr(self))}</caption>{cells}</table>"

    def __enter__(self) -> Holdout:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.verify()

    def plot(self, axes: Any = None) -> Any:
        """Draws each look's interval, or the number that it showed, with matplotlib. Returns the axes."""
        if axes is None:
            axes = importlib.import_module("matplotlib.pyplot").gca()
        looks = [look for look in rows("holdout", "log", self.folder) if look["event"] == "look"]
        for look in looks:
            if look.get("lower") is not None:
                axes.plot([look["look"]] * 2, [look["lower"], look["upper"]], color="tab:blue")
        numbers = [look for look in looks if look["response"] is not None]
        axes.plot([look["look"] for look in numbers], [look["response"] for look in numbers], "o", color="tab:blue")
        axes.set_xlabel("look")
        axes.set_ylabel("true value, by the ledger")
        return axes


def _init(command: str, cls: Any, folder: Path, labels: Path, **flags: Any) -> Any:
    """Makes a ledger in a new folder. The labels are a file that stays where it is."""
    rows("holdout", command, folder, labels=labels, **flags)
    return cls(folder)


def _action(action: str, ledger: Holdout, given: Any = None, **flags: Any) -> Any:
    """Runs an action on a ledger: its rows as a DataFrame if it may have several, and else its row."""
    if action == "score":
        for name, value in flags.items():
            if isinstance(value, (list, tuple)) and name in ("show", "name"):
                raise ValueError(f"{name}: got a list, want one look: dpcalc.rows takes several")
    if action == "extend":
        flags["labels"], given = flags.get("labels", given), None
    predictions = flags.pop("predictions", given)
    files, stdin = _table(predictions, flags.get("metric"))
    found = rows("holdout", action, ledger.folder, *files, stdin=stdin, **flags)
    if action in ("price", "log"):
        return _framed(action, found)
    return _One(action, found[0] if found else {})  # none where they are in a file


def _table(predictions: Predictions, metric: Any) -> Tuple[List[Path], str]:
    """Predictions as an argument, and as a text for standard input."""
    if predictions is None:
        return [], ""
    if isinstance(predictions, (str, os.PathLike)):
        return [predictions], ""
    if hasattr(predictions, "columns"):
        return ["-"], predictions.to_csv(index=False)
    if not hasattr(predictions, "items"):
        raise TypeError(f"got {type(predictions).__name__}, want a file, a dict by id, a pandas Series or a DataFrame")
    column = metric[len("column:"):] if str(metric).startswith("column:") else "prediction"
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(["id", column])
    for one in predictions.items():
        write(one)
    return ["-"], text.getvalue()


def scorer(holdout: Holdout, inputs: Any, ids: Iterable[Any], **question: Any) -> Callable[..., float]:
    """A scorer for scikit-learn's GridSearchCV that takes a look for each candidate, whatever split it is called for.

    The candidate predicts the holdout's rows, whose features are `inputs` and whose ids are `ids` in the same order;
    the labels are in no array of the search. A score is the response shown; a gate gives 1 for a pass and 0 for a fail.
    Search with one split and error_score="raise":

        GridSearchCV(model, grid, scoring=scorer(...), cv=[(list(range(n)), [0])], error_score="raise")

    With several splits each split is a look.
    """
    return _Scorer(holdout, inputs, list(ids), question)


_SHOWN = {"pass": 1.0, "fail": 0.0, "rejected": 1.0, "not_rejected": 0.0}


class _Scorer:
    """A value and not a closure, so that a search may run in several processes."""

    def __init__(self, holdout: Holdout, inputs: Any, ids: List[Any], question: Mapping[str, Any]) -> None:
        self.holdout, self.inputs, self.ids, self.question = holdout, inputs, ids, question

    def __call__(self, estimator: Any, inputs: Any = None, labels: Any = None) -> float:
        predicted = list(estimator.predict(self.inputs))
        if len(predicted) != len(self.ids):
            raise ValueError(f"got {len(predicted)} predictions for {len(self.ids)} ids, want one for each")
        by_id = dict(zip(self.ids, predicted))
        if len(by_id) != len(self.ids):
            raise ValueError("got an id twice, want every id of the labels once")
        row = self.holdout.score(by_id, **self.question)
        if row["response"] is not None:
            return float(row["response"])
        if row["verdict"] not in _SHOWN:
            raise ValueError(f"got the verdict {row['verdict']} without a number, want a look that shows one")
        return _SHOWN[row["verdict"]]


_SOURCE = random.SystemRandom()  # noise that can be predicted can be subtracted


class Noise:
    """The noise of the plan of gaussian-schedule for a goal: answer = Noise(samples=20000, queries=3, beta=0.05,
    query="binary"), and then answer(mean) for one mean after another. answer.plan is the row of the plan.

    The count of the answers is kept in the process: a service that may be restarted must write it down before an answer
    leaves, as a ledger does."""

    def __init__(self, **goal: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "noise.json")
            [self.plan] = rows("samplesize", method="gaussian-schedule", schedule=file, **goal)
            if not os.path.exists(file):
                raise DpcalcError(self.plan["reason"] or "the plan is not certified", 4, [self.plan])
            with open(file, encoding="utf-8") as noise:
                self._left = [(row["noise_scale"], row.get("cut")) for row in json.load(noise)["rows"]]
        self._low = {"bounded": 0.0, "binary": 0.0, "difference": -1.0}.get(self.plan["query"], -math.inf)
        self._high = 1.0 if self._low > -math.inf else math.inf
        self._turn = threading.Lock()  # which nothing can copy, nor therefore the count

    @property
    def left(self) -> int:
        """How many answers are left."""
        return len(self._left)

    def __call__(self, value: float) -> float:
        """The value with the noise of the next answer. After the last of the plan's answers a DpcalcError with code 3
        is raised, whatever is asked."""
        with self._turn:
            if not self._left:
                raise DpcalcError("the plan is used up: nothing more may be shown", 3)
            value = float(value)
            if not math.isfinite(value):
                raise ValueError(f"got {value}, want a finite number")  # costs no answer
            if not self._low <= value <= self._high:  # for 57 per cent the noise would be 100 times too small
                raise ValueError(f"got {value}, want a number from {self._low:g} to {self._high:g}")
            sd, cut = self._left.pop(0)
        number = _SOURCE.normalvariate(0, 1)
        while cut and abs(number) > cut:  # drawn again, whatever the value is; to clip it is not what was planned
            number = _SOURCE.normalvariate(0, 1)
        # The last digits of a sum of floats tell of the value, so they are rounded away.
        return float(round(value + sd * number, 9))
