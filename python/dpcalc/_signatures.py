"""The commands with their flags as arguments, written from the declarations of the program's flags.

An argument that is None is left to the program's default, which its line states.
"""
from __future__ import annotations

import functools
import importlib
import os
from typing import Any, Callable, Dict, Iterable, Literal, Optional, SupportsFloat, TypeVar, Union

Row = Dict[str, Any]
Path = Union[str, "os.PathLike[str]"]
Predictions = Any
Table = Any
Value = Union[str, SupportsFloat, Iterable[Any], None]
F = TypeVar("F", bound=Callable[..., Any])


def _calls(runner: str, command: str) -> Callable[[F], F]:
    """Returns a decorator that calls the program, and passes on what the signature lacks: the program names the remedy."""
    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*arguments: Any, **flags: Any) -> Any:
            return getattr(importlib.import_module("dpcalc"), runner)(command, *arguments, **flags)
        return call  # type: ignore[return-value]
    return decorate


#: The flags that are given once for each element of a list. A list for another flag has commas.
REPEATED = frozenset(["all", "ask", "features", "host", "labels", "name", "only", "show", "step"])


@_calls("_command", "samplesize")
def samplesize(*,
    samples: Value = None,
    queries: Value = None,
    tau: Value = None,
    beta: Value = None,
    confidence: Value = None,
    feedback: Union[Literal["answers", "gate", "best", "flags", "final"], Iterable[str], None] = None,
    passes: Value = None,
    threshold: Value = None,
    floor: Value = None,
    budget: Value = None,
    guess_error: Value = None,
    hold: Value = None,
    one_sided: bool = False,
    open: bool = False,
    query: Union[Literal["bounded", "binary", "sensitive", "minimization", "difference", "accuracy", "precision", "f1", "recall", "jaccard", "auc"], Iterable[str], None] = None,
    positives: Value = None,
    range: Value = None,
    sensitivity: Value = None,
    disagreement: Value = None,
    at_least: Value = None,
    variance: Value = None,
    second_moment: Value = None,
    enforce: bool = False,
    two_classes: bool = False,
    clusters: Value = None,
    weights: Union[Literal["clusters", "rows"], Iterable[str], None] = None,
    icc: Value = None,
    class_counts: Value = None,
    population: Value = None,
    arrive: Value = None,
    arrive_rows: Value = None,
    arrive_looks: Value = None,
    past_looks: Value = None,
    epsilon: Value = None,
    transcripts: Value = None,
    ln_transcripts: Value = None,
    method: Union[Literal["hoeffding", "hoeffding-kl", "binomial", "splitting", "splitting-exact", "rounding", "rounding-widths", "gaussian-schedule", "gaussian", "gaussian-cvar", "gaussian-jung20", "gaussian-marchant25", "gaussian-rogers20", "gaussian-bassily16", "laplace", "laplace-jung20", "gate", "gate-renggli19", "sparse-validate", "ladder", "ladder-blum15", "sealed", "transcripts", "subset", "open-gate", "open-board", "open-guess", "gaussian-open", "thresholdout", "thresholdout-dwork15", "thresholdout-dwork15-n0", "thresholdout-dwork15-n1", "dp", "dp-maxinfo", "dp-dwork15", "dp-approx-dwork15"], Iterable[str], None] = None,
    proofs: Union[Literal["all", "published", "published,coq", "coq"], Iterable[str], None] = None,
    schedule: Optional[Path] = None,
    check_schedule: Optional[Path] = None,
    certificate: Optional[Path] = None,
    full: bool = False,
    best: bool = False,
    zip: bool = False,
    max_rows: Value = None,
    report: bool = False,
    plot: bool = False,
    output: Optional[Path] = None,
    csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
    """Rows, looks, margin or failure probability of a test set.

    Arguments:
        samples: the test set has N rows
        queries: you will ask M adaptively chosen queries
        tau: margin T: how far an answer may be from its true value
        beta: failure probability B, for all queries together (default 0.05 where one of the other three is left out)
        confidence: confidence C, which is 1 - beta, in place of --beta
        feedback: each look shows WHAT: answers (default), gate (pass or fail), best (the best score), flags (corrections of guesses) or final (scores of finalists, once); a figure has a line for each of several
        passes: gate: retired at pass K (default: never); with --open, query M is pass, raise or correction K (default 1)
        threshold: gate: the bar C, if it is known and the same for all looks
        floor: best: the known score F of a baseline (default 0)
        budget: flags, and Thresholdout: K flagged queries are answered
        guess_error: flags: no guess within G of the true value is flagged (default tau/2)
        hold: flags: no guess within T of the test set's value is flagged, in place of --guess-error
        one_sided: no answer exceeds its true value by more than tau; an answer may fall short of it
        open: no number of queries is fixed: the plan is about query M, whatever comes after it
        query: a query is of this KIND: bounded (default), binary, sensitive, minimization or difference; or a metric: accuracy, precision, f1, recall, jaccard, auc (ratios as gates, auc with --class-counts)
        positives: f1, recall, jaccard: a model predicts the positive class on the share P of the rows
        range: the values of a query are in A,B (default 0,1), which are the units of tau and bars
        sensitivity: sensitive, minimization: one row moves a query or a loss by at most D/n (default 1)
        disagreement: difference: two models differ on a share of at most D of the population (default 1)
        at_least: binary: every true value is known to be at least R
        variance: the values of every query vary from row to row with variance at most V
        second_moment: difference: the square of every difference has a mean of at most V
        enforce: the mechanism enforces --disagreement, --at-least or --second-moment on the sample, and assumes none of the population
        two_classes: gate: two classes are declared, so that one of two models is right wherever they differ; with --enforce and --disagreement
        clusters: independent clusters in place of --samples: K1xS1,K2xS2,... is K1 clusters of S1 rows and K2 of S2; or a file with a column rows (a cluster's), weight, or cluster (a row's)
        weights: clusters: weigh WHAT alike, clusters (default; each cluster is a row then) or rows
        icc: clusters: print what the rows are worth if two rows of a cluster are correlated by R, which no plan assumes
        class_counts: auc: the rows of the positive and of the negative class are A,B, in place of --samples
        population: the rows are drawn from a benchmark of N items without replacement, and its mean is the true value
        arrive: rows come between the queries: N1:M1,N2:M2,... is N1 rows for queries up to M1 and N2 up to M2, in place of --samples and --queries
        arrive_rows: G rows come after every --arrive-looks queries; --samples is the rows at the first
        arrive_looks: K queries are asked before new rows come, with --arrive-rows
        past_looks: K looks at these rows have been taken at full precision
        epsilon: dp methods: the privacy E of the procedure (default: each method's own)
        transcripts: method transcripts: N queries could be asked in all; 2^80 is fine
        ln_transcripts: method transcripts: the natural logarithm X of how many queries could be asked in all
        method: use only the methods A,B,...; dpcalc methods lists them
        proofs: use the methods with WHICH proofs: all (default), published, coq (Coq has checked every theorem; numbers are in floating point), or published,coq
        schedule: write the table that the best method runs on to FILE, such as the noise of each query: .csv, .tsv, .json or .jsonl
        check_schedule: print what the noise schedule in FILE, .csv or .tsv, certifies with --samples and --tau; with --beta, check it
        certificate: write a proof of the best plan to FILE.v, which Coq checks with the folder proofs
        full: print a row for every method: the references and the methods without an answer too
        best: print one row for each goal: the row of its best method
        zip: pair the lists instead of crossing them
        max_rows: write up to R rows (default 1000000)
        report: write the best plan as a paragraph for a methods section, with -f markdown or latex in these
        plot: draw the grid in characters; -o with .svg, .png or .pdf draws it in a file
        output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
        csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
    """
    raise NotImplementedError


@_calls("_command", "power")
def power(*,
    samples: Value = None,
    effect: Value = None,
    power: Value = None,
    queries: Value = None,
    beta: Value = None,
    confidence: Value = None,
    passes: Value = None,
    threshold: Value = None,
    test: Union[Literal["sign", "mcnemar"], Iterable[str], None] = None,
    open: bool = False,
    one_sided: bool = False,
    query: Union[Literal["bounded", "binary", "sensitive", "minimization", "difference", "accuracy", "precision", "f1", "recall", "jaccard", "auc"], Iterable[str], None] = None,
    positives: Value = None,
    disagreement: Value = None,
    clusters: Value = None,
    icc: Value = None,
    class_counts: Value = None,
    zip: bool = False,
    max_rows: Value = None,
    output: Optional[Path] = None,
    csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
    """How probably a better model passes a gate: rows, lead or probability.

    Arguments:
        samples: the test set has N rows
        effect: the model's true value is E above the bar, or above the incumbent's
        power: the model passes with probability P
        queries: the gate takes M looks
        beta: failure probability B of the gate, for all looks together (default 0.05)
        confidence: confidence C, which is 1 - beta, in place of --beta
        passes: the gate is retired at pass K (default 1); with --open, look M is pass K if it passes
        threshold: the bar C, which a model passes if it is truly above it
        test: a one-sided TEST of wins and losses against an incumbent in place of a bar: sign or mcnemar
        open: add the gate of an open ledger, at its look M
        one_sided: the gate guarantees only that a model that passes is above the bar
        query: a query is of this KIND: bounded (default), binary, sensitive, minimization or difference; or a metric: accuracy, precision, f1, recall, jaccard, auc (ratios as gates, auc with --class-counts)
        positives: f1, recall, jaccard: a model predicts the positive class on the share P of the rows
        disagreement: exactly one of the two models is right on the share D of the rows, with --test or --query difference
        clusters: independent clusters in place of --samples, each of which counts as one row: K1xS1,K2xS2,... is K1 clusters of S1 rows and K2 of S2; or a file with a column rows (a cluster's) or cluster (a row's)
        icc: clusters: two rows of a cluster are correlated by R (default 1: a cluster varies as one row)
        class_counts: auc: the rows of the positive and of the negative class are A,B, in place of --samples
        zip: pair the lists instead of crossing them
        max_rows: write up to R rows (default 1000000)
        output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
        csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
    """
    raise NotImplementedError


@_calls("_command", "pvalue-correct")
def pvalue_correct(*arguments: Table, stdin: str = "",
    p: Value = None,
    alpha: Value = None,
    by: Union[Literal["pure-dp", "approx-dp", "gdp", "zcdp", "gaussian", "description", "gates", "mutual-info", "max-info", "steps", "series", "free"], Iterable[str], None] = None,
    wins: Value = None,
    losses: Value = None,
    family: Union[Literal["none", "bonferroni", "holm", "bh", "by"], Iterable[str], None] = None,
    family_on: Union[Literal["adjusted", "raw"], Iterable[str], None] = None,
    p_column: Value = None,
    e_column: Value = None,
    raw: bool = False,
    level: Value = None,
    target_threshold: Value = None,
    survives: Value = None,
    samples: Value = None,
    data: Union[Literal["product", "any"], Iterable[str], None] = None,
    neighbours: Union[Literal["replace", "add-remove"], Iterable[str], None] = None,
    epsilon: Value = None,
    delta: Value = None,
    mu: Value = None,
    rho: Value = None,
    queries: Value = None,
    noise_sd: Value = None,
    outcomes: Value = None,
    bits: Value = None,
    looks: Value = None,
    passes: Value = None,
    nats: Value = None,
    slack: Value = None,
    step: Value = None,
    tests: Value = None,
    spending: Union[Literal["equal", "inverse-square", "halving"], Iterable[str], None] = None,
    rejected: Value = None,
    method: Value = None,
    proofs: Union[Literal["all", "published", "published,coq", "coq"], Iterable[str], None] = None,
    certificate: Optional[Path] = None,
    report: bool = False,
    max_rows: Value = None,
    plot: bool = False,
    output: Optional[Path] = None,
    csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
    """Correct p-values of tests that the data chose.

    Arguments:
        p: the p-value P, in place of a FILE
        alpha: the probability A of a false rejection (default 0.05)
        by: the tests were selected by SOURCE: pure-dp, approx-dp, gdp, zcdp, gaussian, description, gates, mutual-info, max-info, steps, series or free
        wins: the new one is better in W pairs; with --losses, the p-value comes from the exact sign test
        losses: the new one is worse in L pairs; without --wins, how many wins it takes
        family: correct all p-values of the FILE by STEP: none, bonferroni, holm, bh or by (default none)
        family_on: take the STEP on WHICH p-values: adjusted or raw (default adjusted)
        p_column: the column of p-values has this NAME (default p, pval, p_value or the like)
        e_column: the column of e-values, of which 1/e is a p-value, has this NAME
        raw: leave cells of the FILE that a spreadsheet would run as formulas as they are
        level: find the alpha at which intervals of confidence L hold, in place of --alpha
        target_threshold: find the number of the SOURCE that is left out, for a threshold of G
        survives: find how much selection a p-value P survives: the number of the SOURCE that is left out
        samples: the data have N rows
        data: rows follow a LAW: product (default; rows are independent and need not be alike) or any
        neighbours: the privacy given is for WHICH of replace (default), a row replaced, or add-remove, added or removed
        epsilon: the privacy E of all that was seen, for pure-dp and approx-dp
        delta: the delta D of all that was seen
        mu: the Gaussian differential privacy M of all that was seen
        rho: the zero-concentrated differential privacy R of all that was seen
        queries: M linear queries with values in [0,1] were answered with Gaussian noise
        noise_sd: the standard deviation S of the noise
        outcomes: N answers were possible, or one of N tests was selected; 2^80 is fine
        bits: the description, mutual information or max-information has B bits
        looks: M tests stand behind a gate that shows only whether they reject
        passes: the gate, or the series, ends for good at rejection K (default: never)
        nats: the mutual information or max-information has I nats, in place of --bits
        slack: the slack B of the max-information (default 0)
        step: one STEP as KIND:key=value,...; repeat the flag for each step, in order of use
        tests: there are J tests one after the other, each chosen in view of the verdicts before
        spending: HOW they share alpha: equal, inverse-square or halving (default equal)
        rejected: the tests with the numbers I,J,... are rejected so far
        method: use only this METHOD
        proofs: use the methods with WHICH proofs: all (default), published, coq (Coq has checked every theorem; numbers are in floating point), or published,coq
        certificate: write a proof of the threshold to FILE.v, which Coq checks with the folder proofs; after --by description and gates
        report: write the correction as a paragraph for a methods section, with -f markdown or latex in these
        max_rows: answer up to R combinations of lists (default 1000000)
        plot: draw a list in characters; -o with .svg, .png or .pdf draws it in a file
        output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
        csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
    """
    raise NotImplementedError


@_calls("_command", "advise")
def advise(*,
    goal: Union[Literal["accuracy", "p-value"], Iterable[str], None] = None,
    samples: Value = None,
    independent: Union[Literal["yes", "no"], Iterable[str], None] = None,
    clusters: Value = None,
    adaptive: Union[Literal["yes", "no"], Iterable[str], None] = None,
    feedback: Union[Literal["answers", "gate", "best", "flags", "final", "unsure"], Iterable[str], None] = None,
    queries: Value = None,
    passes: Value = None,
    budget: Value = None,
    finalists: Value = None,
    query: Union[Literal["binary", "bounded", "sensitive", "minimization", "difference", "wins", "f1", "auc"], Iterable[str], None] = None,
    sensitivity: Value = None,
    disagreement: Value = None,
    training: Union[Literal["yes", "no"], Iterable[str], None] = None,
    noise: Union[Literal["yes", "no"], Iterable[str], None] = None,
    tau: Value = None,
    beta: Value = None,
    confidence: Value = None,
    selection: Union[Literal["fixed", "menu", "private", "gaussian", "gate", "free"], Iterable[str], None] = None,
    p: Value = None,
    alpha: Value = None,
    outcomes: Value = None,
    epsilon: Value = None,
    noise_sd: Value = None,
    looks: Value = None,
    output: Optional[Path] = None,
    csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
    """Find a plan by answering a few questions.

    Arguments:
        goal: Do you want to trust a score or a p-value? accuracy or p-value (default accuracy)
        samples: How many rows does the test set have? (default none)
        independent: Are the rows independent of each other? yes or no (default yes)
        clusters: From how many documents, users or other clusters do the rows come? (default none)
        adaptive: Does a result on these rows decide what you try next? yes or no (default yes)
        feedback: What do you want to see of a look? answers, gate, best, flags, final or unsure (default unsure)
        queries: How many looks will you take, at most? (default none)
        passes: After how many passes do you stop using the gate? (default 1)
        budget: After how many wrong guesses do you stop? (default 1)
        finalists: How many finalists do you score on sealed rows? (default 1)
        query: What does a look measure? binary, bounded, sensitive, minimization, difference, wins, f1 or auc (default bounded)
        sensitivity: By how much can one row move the statistic or a loss, times the number of rows? (default 1)
        disagreement: On which share of the population do the two models differ, at most? (default 1)
        training: Is it enough to learn where your own training set overfits? yes or no (default no)
        noise: May the answers carry noise? yes or no (default yes)
        tau: How far may a score be from its true value, at most? (default none)
        beta: With what probability may the guarantee fail? (default 0.05)
        confidence: confidence C, which is 1 - beta, in place of --beta
        selection: How did you choose the test? fixed, menu, private, gaussian, gate or free
        p: What is the p-value, before any correction? (default none)
        alpha: With what probability may the test reject a true null hypothesis? (default 0.05)
        outcomes: Among how many tests did you choose? (default none)
        epsilon: What is the epsilon of all answers together? (default none)
        noise_sd: What is the standard deviation of the noise? (default none)
        looks: How many tests are there in all, with this one? (default none)
        output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
        csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
    """
    raise NotImplementedError


@_calls("_command", "maxinfo")
def maxinfo(*,
    step: Value = None,
    samples: Value = None,
    data: Union[Literal["product", "any"], Iterable[str], None] = None,
    neighbours: Union[Literal["replace", "add-remove"], Iterable[str], None] = None,
    slack: Value = None,
    joint: Optional[Path] = None,
    output: Optional[Path] = None,
    csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
    """How much the steps of an analysis reveal about the sample.

    Arguments:
        step: one STEP as KIND:key=value,...; repeat the flag for each step, in order of use
        samples: the sample has N rows; private steps need this number
        data: rows follow a LAW: product (default; rows are independent and need not be alike) or any
        neighbours: the privacy given is for WHICH of replace (default), a row replaced, or add-remove, added or removed
        slack: probability B that the bound is exceeded (default 0)
        joint: the exact values of the joint law in FILE, in place of steps
        output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
        csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
    """
    raise NotImplementedError


@_calls("_command", "compose")
def compose(*,
    epsilon: Value = None,
    delta: Value = None,
    mu: Value = None,
    neighbours: Union[Literal["replace", "add-remove"], Iterable[str], None] = None,
    times: Value = None,
    target_delta: Value = None,
    method: Union[Literal["basic", "advanced", "optimal", "zcdp", "gdp"], Iterable[str], None] = None,
    all: bool = False,
    output: Optional[Path] = None,
    csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
    """The privacy of many private steps on the same data.

    Arguments:
        epsilon: each step has epsilon E
        delta: each step has delta D (default 0)
        mu: each step is Gaussian with M, in place of epsilon and delta
        neighbours: the privacy given is for WHICH of replace (default), a row replaced, or add-remove, added or removed
        times: there are K steps
        target_delta: all steps together have delta D2, for every method but basic
        method: use only the methods A,B,...: basic, advanced, optimal, zcdp, gdp
        all: every vertex of the optimal privacy curve
        output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
        csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
    """
    raise NotImplementedError


@_calls("_command", "transfer")
def transfer(*,
    alpha: Value = None,
    beta: Value = None,
    epsilon: Value = None,
    delta: Value = None,
    neighbours: Union[Literal["replace", "add-remove"], Iterable[str], None] = None,
    target_beta: Value = None,
    samples: Value = None,
    query: Union[Literal["bounded", "binary", "sensitive", "minimization"], Iterable[str], None] = None,
    sensitivity: Value = None,
    output: Optional[Path] = None,
    csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
    """Population accuracy of a private mechanism.

    Arguments:
        alpha: answers are within A of the sample's value
        beta: failure probability B of alpha; 0 is allowed
        epsilon: the transcript has epsilon E
        delta: the transcript has delta D (default 0)
        neighbours: the privacy given is for WHICH of replace (default), a row replaced, or add-remove, added or removed
        target_beta: failure probability B2 of the conclusion
        samples: the sample has N rows; some theorems need this number
        query: a query is of this KIND: bounded (default), binary, sensitive or minimization
        sensitivity: one row moves a sensitive query or a loss by at most D/n (default 1); needs --samples
        output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
        csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
    """
    raise NotImplementedError


class Actions:
    """The actions of a ledger."""

    @_calls("_action", "price")
    def price(self, predictions: Predictions = None, *,
        effect: Value = None,
        bar: Value = None,
        guess: Value = None,
        show: Union[Literal["pass", "best", "score", "guess", "reject"], Iterable[str], None] = None,
        test: Union[Literal["sign", "mcnemar"], Iterable[str], None] = None,
        where: Value = None,
        near: Value = None,
        within: Value = None,
        step: Value = None,
        expect: Value = None,
        all: Value = None,
        metric: Value = None,
        labels: Union[Path, Iterable[Path], None] = None,
        incumbent: Optional[Path] = None,
        features: Union[Path, Iterable[Path], None] = None,
        population: Optional[Path] = None,
        from_: Union[Literal["inspect", "lm-eval", "promptfoo", "csv"], Iterable[str], None] = None,
        id: Value = None,
        value: Value = None,
        only: Value = None,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
        """Print what the next look of an open ledger would cost.

        Arguments:
            effect: how probable a pass or a rejection is if the true value is E above the bar, or above the incumbent: a forecast, not a guarantee
            bar: pass, or a gate without a bar in its plan: the bar C
            guess: guess, or flags: the guess G
            show: open ledger: the look shows WHAT: pass or fail at a bar (pass), the best score so far (best), a rounded score (score), whether a guess holds (guess), or whether a test rejects (reject); give several, such as pass:bar=0.8 and score:step=0.02, for several looks in a row
            test: reject: the one-sided TEST of wins and losses against the incumbent
            where: open ledger: only the rows where the feature COLUMN=VALUE
            near: score: you expect the score near R (default: the last one shown, or the middle)
            within: guess: it holds within S (default 0.01)
            step: best, score, guess: the width G of the cells (default 0.01)
            expect: pass, best, guess, reject: your bet on the RATE of passes, raises, wrong guesses or rejections; the answer that you expect is cheap
            all: pass, or a fixed gate: the same look has a further bar to pass: bar=C,where=COLUMN=VALUE or bar=C; a fail does not say which bar was missed
            metric: the METRIC of the look, one of those that init declared
            labels: the labels are now in FILE; once for each file that the rows of an open ledger come from
            incumbent: the incumbent's predictions are now in FILE
            features: the features are now in FILE, for --where, --all and clusters
            population: the ids of all items of the benchmark are now in FILE
            from_: the TOOL that wrote the file, where the file does not show it: inspect (Inspect's log, .eval or .json), lm-eval (samples_*.jsonl of lm-evaluation-harness), promptfoo (promptfoo's results.json or .jsonl), csv (a table)
            id: in a log: the PATH of a row's id, keys with dots between them (default: the tool's own)
            value: in a log: the PATH of a row's value or label (default: the metric's name, where the tool has it)
            only: in a log: read only the parts where PATH=VALUE holds
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @_calls("_action", "score")
    def score(self, predictions: Predictions = None, *,
        name: Value = None,
        again: bool = False,
        dry_run: bool = False,
        bar: Value = None,
        guess: Value = None,
        show: Union[Literal["pass", "best", "score", "guess", "reject"], Iterable[str], None] = None,
        test: Union[Literal["sign", "mcnemar"], Iterable[str], None] = None,
        where: Value = None,
        near: Value = None,
        within: Value = None,
        step: Value = None,
        expect: Value = None,
        all: Value = None,
        metric: Value = None,
        labels: Union[Path, Iterable[Path], None] = None,
        incumbent: Optional[Path] = None,
        features: Union[Path, Iterable[Path], None] = None,
        population: Optional[Path] = None,
        from_: Union[Literal["inspect", "lm-eval", "promptfoo", "csv"], Iterable[str], None] = None,
        id: Value = None,
        value: Value = None,
        only: Value = None,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Row:
        """Take a look at predictions, and print the answer.

        Arguments:
            name: the look's NAME in the log, up to 100 characters; of finalists one for each, by default the name of its file; a look at a column needs one: a commit or a number, never a hash of the file
            again: print the answer of the look at a column with this --name and question, without a file
            dry_run: check everything, and write and answer nothing
            bar: pass, or a gate without a bar in its plan: the bar C
            guess: guess, or flags: the guess G
            show: open ledger: the look shows WHAT: pass or fail at a bar (pass), the best score so far (best), a rounded score (score), whether a guess holds (guess), or whether a test rejects (reject); give several, such as pass:bar=0.8 and score:step=0.02, for several looks in a row
            test: reject: the one-sided TEST of wins and losses against the incumbent
            where: open ledger: only the rows where the feature COLUMN=VALUE
            near: score: you expect the score near R (default: the last one shown, or the middle)
            within: guess: it holds within S (default 0.01)
            step: best, score, guess: the width G of the cells (default 0.01)
            expect: pass, best, guess, reject: your bet on the RATE of passes, raises, wrong guesses or rejections; the answer that you expect is cheap
            all: pass, or a fixed gate: the same look has a further bar to pass: bar=C,where=COLUMN=VALUE or bar=C; a fail does not say which bar was missed
            metric: the METRIC of the look, one of those that init declared
            labels: the labels are now in FILE; once for each file that the rows of an open ledger come from
            incumbent: the incumbent's predictions are now in FILE
            features: the features are now in FILE, for --where, --all and clusters
            population: the ids of all items of the benchmark are now in FILE
            from_: the TOOL that wrote the file, where the file does not show it: inspect (Inspect's log, .eval or .json), lm-eval (samples_*.jsonl of lm-evaluation-harness), promptfoo (promptfoo's results.json or .jsonl), csv (a table)
            id: in a log: the PATH of a row's id, keys with dots between them (default: the tool's own)
            value: in a log: the PATH of a row's value or label (default: the metric's name, where the tool has it)
            only: in a log: read only the parts where PATH=VALUE holds
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @_calls("_action", "extend")
    def extend(self, labels: Optional[Path] = None, *,
        incumbent: Optional[Path] = None,
        features: Union[Path, Iterable[Path], None] = None,
        replace: bool = False,
        drop: Optional[Path] = None,
        from_: Union[Literal["inspect", "lm-eval", "promptfoo", "csv"], Iterable[str], None] = None,
        id: Value = None,
        value: Value = None,
        only: Value = None,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Row:
        """Add rows to a ledger, replace them, or take some out.

        Arguments:
            incumbent: the incumbent's column in the new rows is in FILE
            features: the features of the new rows are in FILE
            replace: the new rows take the place of all rows
            drop: take out the rows whose ids are in FILE, in its column id
            from_: the TOOL that wrote the file, where the file does not show it: inspect (Inspect's log, .eval or .json), lm-eval (samples_*.jsonl of lm-evaluation-harness), promptfoo (promptfoo's results.json or .jsonl), csv (a table)
            id: in a log: the PATH of a row's id, keys with dots between them (default: the tool's own)
            value: in a log: the PATH of a row's value or label (default: the metric's name, where the tool has it)
            only: in a log: read only the parts where PATH=VALUE holds
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @_calls("_action", "status")
    def status(self, *,
        queries: Value = None,
        passes: Value = None,
        report: bool = False,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Row:
        """Print what a ledger has left.

        Arguments:
            queries: open ledger: the margin after M more looks
            passes: open ledger: K of --queries pass
            report: open ledger: write its looks and its guarantee as a paragraph for a methods section
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @_calls("_action", "log")
    def log(self, *,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
        """Print all looks of a ledger.

        Arguments:
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @_calls("_action", "verify")
    def verify(self, *,
        chain: Value = None,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Row:
        """Check every byte of a ledger, and compute its answers again.

        Arguments:
            chain: find the chain HASH of an earlier answer
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @_calls("_action", "close")
    def close(self, *,
        alpha: Value = None,
        tests: Value = None,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Row:
        """End an open ledger with a level for p-values computed elsewhere.

        Arguments:
            alpha: the level A of the p-values, all together
            tests: there are R p-values (default 1)
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @_calls("_action", "retire")
    def retire(self, *,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Row:
        """End a ledger for good.

        Arguments:
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError

    @classmethod
    @_calls("_init", "init")
    def init(cls, folder: Path, labels: Path, *,
        incumbent: Optional[Path] = None,
        plan: Optional[Path] = None,
        scenario: Value = None,
        dry_run: bool = False,
        queries: Value = None,
        tau: Value = None,
        beta: Value = None,
        confidence: Value = None,
        samples: Value = None,
        method: Union[Literal["gaussian-schedule", "gaussian", "gate", "ladder", "sparse-validate", "sealed", "splitting", "gaussian-open"], Iterable[str], None] = None,
        one_sided: bool = False,
        feedback: Union[Literal["answers", "gate", "best", "flags", "final"], Iterable[str], None] = None,
        passes: Value = None,
        threshold: Value = None,
        floor: Value = None,
        budget: Value = None,
        guess_error: Value = None,
        hold: Value = None,
        query: Union[Literal["bounded", "binary", "difference"], Iterable[str], None] = None,
        disagreement: Value = None,
        at_least: Value = None,
        variance: Value = None,
        second_moment: Value = None,
        enforce: bool = False,
        arrive: Value = None,
        arrive_rows: Value = None,
        arrive_looks: Value = None,
        test: Union[Literal["sign", "mcnemar"], Iterable[str], None] = None,
        metrics: Value = None,
        positive: Value = None,
        probability: Value = None,
        range: Value = None,
        clip: Value = None,
        match: Union[Literal["exact", "trim", "fold", "number"], Iterable[str], None] = None,
        classes: Value = None,
        missing: Union[Literal["refuse", "low"], Iterable[str], None] = None,
        bars: Value = None,
        features: Union[Path, Iterable[Path], None] = None,
        group: Value = None,
        weights: Union[Literal["clusters", "rows"], Iterable[str], None] = None,
        population: Optional[Path] = None,
        law: Union[Literal["labels", "classes"], Iterable[str], None] = None,
        open: bool = False,
        most: Value = None,
        ask: Value = None,
        most_per_team: Value = None,
        from_: Union[Literal["inspect", "lm-eval", "promptfoo", "csv"], Iterable[str], None] = None,
        id: Value = None,
        value: Value = None,
        only: Value = None,
        output: Optional[Path] = None,
        csv_dialect: Union[Literal["rfc4180", "excel-eu"], Iterable[str], None] = None) -> Any:
        """Make a ledger of labels and a plan, or an open one.

        Arguments:
            incumbent: difference: candidates are compared with the predictions in FILE
            plan: the plan is in the plan file FILE, in place of the flags of a plan
            scenario: use the scenario NAME of the plan file
            dry_run: check everything, and write nothing
            queries: the ledger takes M looks
            tau: margin T: how far an answer may be from its true value
            beta: failure probability B, for all looks together
            confidence: confidence C, which is 1 - beta, in place of --beta
            samples: the test set has N rows (default: the number of labels)
            method: answer by METHOD: gaussian-open, for answers without a number of looks, or (default) the best of gaussian-schedule, gaussian, gate, ladder, sparse-validate, sealed, splitting
            one_sided: no answer exceeds its true value by more than tau; an answer may fall short of it
            feedback: each look shows WHAT: answers (default), gate, best, flags or final
            passes: gate: retired at pass K (default: never)
            threshold: gate: the bar C, if it is known
            floor: best: the known score F of a baseline (default 0)
            budget: flags: retired at flag K
            guess_error: flags: no guess within G of the true value is flagged (default tau/2)
            hold: flags: a guess within T of the test set's value is not flagged, in place of --guess-error
            query: a look is of this KIND: bounded (default), binary, or difference from the incumbent
            disagreement: difference: candidates differ from the incumbent on a share of at most D of the rows
            at_least: binary: every true value is known to be at least R
            variance: the values of every look vary from row to row with variance at most V
            second_moment: difference: the mean square of a look's difference is at most V; a candidate above it is refused where predictions show it, else an open ledger answers at a price, and with --enforce the plan ends
            enforce: difference: the ledger enforces the disagreement or the second moment on the rows, and assumes neither of the population
            arrive: rows come between the looks: N1:M1,N2:M2,... is the first N1 rows for looks up to M1 and the first N2 up to M2, in place of --samples and --queries
            arrive_rows: G rows come after every --arrive-looks looks; --samples is the rows of the first
            arrive_looks: K looks are taken before new rows come, with --arrive-rows
            test: gate: each look is the one-sided TEST of wins and losses against the incumbent, without a bar
            metrics: a look may ask the metrics METRIC,...: accuracy (default), column:NAME for values of a row, auc by itself, and with --open precision, f1, recall, jaccard, log-loss, squared-error, rmse; a look that names none asks the first
            positive: the label TEXT counts as positive and is public: for f1, recall, jaccard, precision, log-loss, auc and probabilities
            probability: the COLUMN of a submission that has the probability of the positive class (default probability), or of auc a score (default prediction)
            range: open ledger: the range A,B of the values of columns, or of numbers, which are clipped to it (default 0,1)
            clip: open ledger: the greatest log-loss L of a row (default 5); greater ones are clipped
            match: compare predictions with labels by HOW: exact (default), trim (ignore blanks around the text), fold (and upper and lower case and the encoding of accents) or number (the same decimal number)
            classes: the only predictions are TEXT,..., which are public; without this flag any text is a prediction
            missing: columns: WHAT to do with a missing value: refuse it (refuse, the default) or count it as the low end of the range (low)
            bars: gate: a look may ask only the bars C,...
            features: public columns of the rows in FILE, for --where, --group and --all
            group: the rows with one value in COLUMN of --features are a cluster: they may depend on each other, and clusters are independent
            weights: group: weigh WHAT alike, clusters (default; a look is the mean over clusters of the mean in each) or rows
            population: the ids of all items of a benchmark in FILE, from which the rows were drawn: predictions are of all items, and the true value is their mean
            law: the random part is LAW: labels given the features (default), or classes, for rows drawn within each class, the law of --metrics auc alone
            open: an open ledger: no number of looks, and each look has its price and its interval
            most: no answer of any look costs more than NATS (default 8)
            ask: teams may ask KIND:KEY=VALUE,... over HTTP, such as pass:bar=0.8,bar=0.85 or score:step=0.02; once for each kind
            most_per_team: the looks of one team cost at most NATS together
            from_: the TOOL that wrote the file, where the file does not show it: inspect (Inspect's log, .eval or .json), lm-eval (samples_*.jsonl of lm-evaluation-harness), promptfoo (promptfoo's results.json or .jsonl), csv (a table)
            id: in a log: the PATH of a row's id, keys with dots between them (default: the tool's own)
            value: in a log: the PATH of a row's value or label (default: the metric's name, where the tool has it)
            only: in a log: read only the parts where PATH=VALUE holds
            output: write to FILE, whole or not at all; its suffix implies the format; - is standard output
            csv_dialect: write csv in DIALECT: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark
        """
        raise NotImplementedError
