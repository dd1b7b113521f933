"""python3 outcomes.py writes digits.txt.gz and cancer.txt.gz beside this file: what 120 small classifiers get right.

A line is a classifier, a letter a row: 1 if its label is predicted, 0 if not. The data come with scikit-learn
(Debian's python3-sklearn 1.2.1); nothing but these outcomes is kept. The rows are those no classifier was trained on.
"""
import gzip
import pathlib

import numpy
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
KINDS = [LogisticRegression(), GaussianNB(), KNeighborsClassifier(5), TREE]


def outcomes(data, labels, kept, columns):
    """Each classifier sees a few columns of 60 of the rows that are not kept."""
    random = numpy.random.default_rng(1)
    order = random.permutation(len(labels))
    rest, rows = order[:-kept], order[-kept:]
    for i in range(120):
        seen = random.choice(data.shape[1], columns, replace=False)
        some = random.choice(rest, 60)
        model = make_pipeline(StandardScaler(), KINDS[i % len(KINDS)]).fit(data[some][:, seen], labels[some])
        yield model.predict(data[rows][:, seen]) == labels[rows]


def write(name, *arguments):
    lines = ["".join("01"[int(right)] for right in model) for model in outcomes(*arguments)]
    text = "\n".join(lines).encode() + b"\n"
    (pathlib.Path(__file__).parent / f"{name}.txt.gz").write_bytes(gzip.compress(text, mtime=0))


digits, cancer = load_digits(), load_breast_cancer()
write("digits", digits.data, digits.target % 2, 1500, 4)  # is the digit odd?
write("cancer", cancer.data, cancer.target, 500, 1)  # is the tumour benign?
