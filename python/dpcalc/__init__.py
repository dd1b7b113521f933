"""dpcalc from Python: plans, ledgers and noise. The wheel brings the program, and every number is the program's.

A flag of the program is an argument, with `_` for `-`: target_beta=0.1 is --target-beta=0.1. True gives a switch, False
and None leave a flag out, and a list is a list of the command line: queries=[10, 100] is --queries=10,100. Whatever the
program has to say of an answer that it gives becomes a Python warning.
"""
from __future__ import annotations

import csv
import functools
import importlib
import importlib.metadata
import io
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import threading
import warnings
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

__all__ = ["DpcalcError", "Holdout", "Noise", "Row", "compose", "maxinfo", "program", "pvalue_correct", "rows",
           "samplesize", "scorer", "transfer"]

#: A row of an answer, by the names of the program's JSON.
Row = Dict[str, Any]
#: A folder or file.
Path = Union[str, "os.PathLike[str]"]
#: A file, predictions by the ids of the rows (a dict, or a pandas Series with the ids as its index), or a DataFrame with
#: the columns id and prediction.
Predictions = Any


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


#: The flags that are given once for each element of a list. A list for another flag has commas.
REPEATED = frozenset(["all", "ask", "features", "host", "labels", "name", "only", "show", "step"])


def _words(name: str, value: Any) -> List[str]:
    """A flag as words of the command line."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
        return [f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]
    texts = [str(one) for one in value]
    if name.replace("_", "-") in REPEATED:
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


def _framed(found: List[Row]) -> Any:
    """Rows as a pandas DataFrame if pandas is there, else as they are."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return found
    frame = pandas.DataFrame(found)
    for name in frame:
        values = [row[name] for row in found]
        if None in values and {type(value) for value in values} == {int, type(None)}:
            frame[name] = pandas.array(values, dtype="Int64")  # a number of rows is no float where another row has none
    return frame


def samplesize(**flags: Any) -> Any:
    """How many rows, how many queries, what accuracy: a DataFrame if pandas is there, else a list of dicts.

    samplesize(queries=[10, 100], tau=0.1, beta=0.05) has the plans of each goal, the best one first; `best` marks it. So
    the first row by the number that was left out is a plan. With full=True there is a row for each method, whether it is a
    reference or has no answer.
    """
    return _framed(rows("samplesize", **flags))


def pvalue_correct(*arguments: Path, stdin: str = "", **flags: Any) -> Any:
    """What p-values are worth after the data chose the test: pvalue_correct(p=0.003, alpha=0.05, by="description",
    outcomes=40), or the p-values of a file, or of stdin with "-"."""
    return _framed(rows("pvalue-correct", *arguments, stdin=stdin, **flags))


def maxinfo(**flags: Any) -> Any:
    """How much the steps of an analysis reveal about the sample."""
    return _framed(rows("maxinfo", **flags))


def compose(**flags: Any) -> Any:
    """The privacy of several mechanisms together."""
    return _framed(rows("compose", **flags))


def transfer(**flags: Any) -> Any:
    """What a transfer theorem says of private answers."""
    return _framed(rows("transfer", **flags))


class Holdout:
    """A ledger: `dpcalc holdout` on a folder. Every look is written down before it is shown."""

    def __init__(self, folder: Path) -> None:
        self.folder = os.fspath(folder)

    def __repr__(self) -> str:
        return f"Holdout({self.folder!r})"

    @classmethod
    def init(cls, folder: Path, labels: Path, **flags: Any) -> Holdout:
        """Makes a ledger in a new folder. The labels are a file that stays where it is."""
        rows("holdout", "init", folder, labels=labels, **flags)
        return cls(folder)

    def price(self, predictions: Predictions = None, **question: Any) -> Any:
        """What each response to a look at an open ledger would cost. Nothing is taken."""
        files, stdin = _table(predictions, question.get("metric"))
        return _framed(rows("holdout", "price", self.folder, *files, stdin=stdin, **question))

    def score(self, predictions: Predictions = None, **question: Any) -> Row:
        """Takes a look, and returns its row: `verdict` has what a gate says, `response` the number of a score. A look
        that the plan does not cover is refused by a DpcalcError with the code 3.

        A look at a column needs a name: score(values, metric="column:judge", name="prompt 17"). With again=True and no
        values the same name and question give its answer once more."""
        for name, value in question.items():
            if isinstance(value, (list, tuple)) and name in ("show", "name"):
                raise ValueError(f"{name}: got a list, want one look: dpcalc.rows takes several")
        files, stdin = _table(predictions, question.get("metric"))
        [row] = rows("holdout", "score", self.folder, *files, stdin=stdin, **question)
        return row

    def extend(self, labels: Optional[Path] = None, **flags: Any) -> Row:
        """Adds rows to an open ledger, replaces them or drops some, and returns its status."""
        [row] = rows("holdout", "extend", self.folder, labels=labels, **flags)
        return row

    def status(self, **flags: Any) -> Row:
        """How far the ledger has come. It needs no labels."""
        [row] = rows("holdout", "status", self.folder, **flags)
        return row


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
