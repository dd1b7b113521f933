"""Writes samples.csv, the values that TestSampleVectors reads, in 40 digits by mpmath.

    python3 samples.py > samples.csv

For a benchmark of N items: the least n at which tails with a union bound certify the plan. For clusters: ln beta at which
their n rows do. Gates, finalists and subsets have convex tails, in floating point, where all counts alike.
"""

import convex
from mpmath import log, mp, mpf, binomial

mp.dps = 40


def kl(q, p):
    one = mpf(1)
    return (q * log(q / p) if q else 0) + ((one - q) * log((one - q) / (one - p)) if q < 1 else 0)


def rate(s):
    """The least kl(p+s || p), by golden section."""
    lo, hi = mpf("1e-12"), 1 - s - mpf("1e-12")
    g = (mpf(5).sqrt() - 1) / 2
    a, b = hi - g * (hi - lo), lo + g * (hi - lo)
    for _ in range(160):
        if kl(a + s, a) < kl(b + s, b):
            hi, b = b, a
            a = hi - g * (hi - lo)
        else:
            lo, a = a, b
            b = lo + g * (hi - lo)
    return kl(a + s, a)


def nodes(method, m, passes):
    if method == "gate":
        return sum(binomial(m - 1, l) for l in range(min(passes, m - 1) + 1))
    return mpf(2 * m)


def need(method, m, passes, beta, r):
    return log(nodes(method, m, passes) / beta) / r


def by_convex(method, m, passes, tau, beta):
    if method == "hoeffding":
        return float("inf")
    level = float(log(beta / nodes(method, m, passes)))
    return convex.least(lambda n, fine: convex.ln_side(n, float(tau), fine), level, int(-level / float(2 * tau**2)) + 2)


def least(N, method, m, passes, tau, beta):
    most = by_convex(method, m, passes, tau, beta)
    hoeffding, entropy = need(method, m, passes, beta, 2 * tau**2), need(method, m, passes, beta, rate(tau))
    for n in range(1, N + 1):
        worth = mpf(n) / (1 - mpf(n - 1) / N) if n < N else mpf("inf")
        if worth >= hoeffding or n >= most or method == "gate" and n >= entropy:
            return n


print("method,population,clusters,queries,passes,tau,beta,samples,ln_beta")
for N, m, tau, beta in [(14042, 100, "0.02", "0.05"), (14042, 1, "0.02", "0.05"), (1000, 10, "0.05", "0.01"),
                        (500, 1000, "0.01", "1e-6"), (100000, 50, "0.03", "0.05"), (30, 2, "0.3", "0.1")]:
    for method in ["subset", "sealed", "hoeffding"]:
        n = least(N, method, m, 0, mpf(tau), mpf(beta))
        print(f"{method},{N},,{m},,{tau},{beta},{n},")
for N, m, passes, tau, beta in [(14042, 100, 1, "0.02", "0.05"), (14042, 100, 100, "0.02", "0.05"), (5000, 20, 3, "0.05", "1e-3"),
                                (1000000, 20, 1, "0.3", "0.05")]:
    print(f"gate,{N},,{m},{passes},{tau},{beta},{least(N, 'gate', m, passes, mpf(tau), mpf(beta))},")
for sizes, method, m, passes, tau in [("200x10", "gate", 20, 2, "0.2"), ("200x10 50x20", "gate", 20, 2, "0.2"),
                                      ("100x1 1x40", "gate", 10, 1, "0.4"), ("300x5 30x50", "hoeffding", 4, 0, "0.15"),
                                      ("40x1 40x3", "gate", 5, 5, "0.6")]:
    groups = [tuple(map(int, g.split("x"))) for g in sizes.split()]
    n = sum(k * s for k, s in groups)
    effective = mpf(n) ** 2 / sum(k * s * s for k, s in groups)
    entropic = n // max(s for _, s in groups)
    exponent = max(2 * effective * mpf(tau) ** 2, entropic * rate(mpf(tau)) if method == "gate" else 0)
    if method == "gate" and len(groups) == 1:
        exponent = max(exponent, -convex.ln_side(groups[0][0], float(tau)))
    print(f"{method},,{sizes},{m},{passes},{tau},,{n},{mp.nstr(log(nodes(method, m, passes)) - exponent, 17)}")
