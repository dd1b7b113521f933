"""Rows of gates and finalists where a variance or a second moment is known, or kept on the sample, to 50 digits.

python3 variance.py > variance.csv. The exponents are those of docs/theorems/feedback.md#known-variance. Where fewer rows
are enough for the convex tail, in floating point, they are.
"""
import convex
from decimal import Decimal as D, getcontext, ROUND_CEILING
from math import comb

getcontext().prec = 50


def kl(q, p):
    return q * (q / p).ln() + (1 - q) * ((1 - q) / (1 - p)).ln()


def varying(v, s):
    """The least kl(p+s || p) over p <= p_V."""
    top = (1 - (1 - 4 * v).sqrt()) / 2
    lo, hi = D("1e-30"), min(top, (1 - s) * (1 - D("1e-30")))
    for _ in range(260):
        a, b = lo + (hi - lo) / 3, hi - (hi - lo) / 3
        if kl(a + s, a) > kl(b + s, b):
            lo = a
        else:
            hi = b
    return min(kl(hi + s, hi), kl(lo + s, lo))


def moment(v, s):
    u = s / v
    return max(v * ((1 + u) * (1 + u).ln() - u), varying(v / 4, s / 2))


def kept(v, s):
    return s - v * (1 + s / v).ln()


print("method,known,queries,passes,tau,beta,most,samples")
for name, rate in (("variance", varying), ("second-moment", moment), ("checked", kept)):
    for most in ("0.2", "0.05", "0.01", "0.001"):
        for method, m, passes, tau, beta in (("gate", 20, 1, "0.07", "0.05"), ("gate", 1000, 5, "0.01", "0.001"),
                                              ("sealed", 12, 0, "0.03", "0.1")):
            if name == "checked" and most == "0.2":
                continue
            nodes = sum(comb(m - 1, k) for k in range(min(passes, m - 1) + 1)) if method == "gate" else 2 * m
            need = (D(nodes).ln() - D(beta).ln()) / rate(D(most), D(tau))
            rows = int(need.to_integral_value(rounding=ROUND_CEILING))
            level, shift = float((D(beta) / nodes).ln()), float(tau) / (1 if name == "variance" else 2)
            if convex.ln_side(rows - 1, shift, False) <= level:
                rows = convex.least(lambda n, fine: convex.ln_side(n, shift, fine), level, rows)
            print(f"{method},{name},{m},{passes or ''},{tau},{beta},{most},{rows}")
