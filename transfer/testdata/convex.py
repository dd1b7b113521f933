"""The convex tail of docs/theorems/feedback.md#convex-tail in floating point, for samples.py and variance.py.

    python3 convex.py        prints the rows of feedback.csv that rest on it: gates and finalists of values in [0,1]

The tail is a sum from its upper end down; the greatest one over all means is looked for on finer and finer grids.
"""

from math import ceil, comb, exp, inf, lgamma, log, log1p


def ln_tail(n, p, y):
    """ln of min over whole t < y of E(B-t)_+/(y-t), B binomial (n,p)."""
    k = ceil(y - 1e-9 * (abs(y - round(y)) < 1e-9))
    if k > n or p <= 0:
        return -inf
    about = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p)
    odds, terms, j = p / (1 - p), [1.0], k
    while j < n and terms[-1] > 1e-18:
        terms.append(terms[-1] * odds * (n - j) / (j + 1))
        j += 1
    mass = total = 0.0
    for term in reversed(terms[1:]):
        mass += term
        total += mass
    least, term, t = inf, 1.0, k - 1
    while t >= 0:
        mass += term
        total += mass
        quotient = total / (y - t) if y - t > 1e-9 else inf
        if quotient > 2 * least:
            break
        least = min(least, quotient)
        term *= (t + 1) / (n - t) / odds
        t -= 1
    return min(0.0, about + log(least))


def ln_side(n, s, fine=True):
    """ln of the greatest tail at p+s over all means p. It has a peak each 1/n or so: the fine grids are for these."""
    best, most = 1 - s, -inf

    def look(width, parts):
        nonlocal best, most
        middle = best
        for i in range(-parts, parts + 1):
            p = middle + width * i / parts
            if 0 < p <= 1 - s:
                ln = ln_tail(n, p, min(n * (p + s), n))
                if ln > most:
                    best, most = p, ln

    width = 1 - s
    look(width, 20 * n if fine and n < 500 else 120)
    while width * n > 100:
        width /= 6
        look(width, 60)
    if fine:
        look(20 / n, 4000)
        for zoom in range(6):
            look(0.01 / n / 10**zoom, 20)
    return most


def ln_bar(n, c, tau):
    """ln of the likelier error at the bar c."""
    ln = ln_tail(n, c, n * (c + tau))
    if c + 2 * tau < 1:
        ln = max(ln, ln_tail(n, 1 - c - 2 * tau, n * (1 - c - tau)))
    return ln


def least(ln_failure, lnlevel, high):
    """The least n up to a high one that is enough; ln_failure(n, False) is about ln_failure(n)."""
    low = high // 2
    while high - low > 1:
        n = (low + high) // 2
        if ln_failure(n, False) <= lnlevel:
            high = n
        else:
            low = n
    while ln_failure(high, True) > lnlevel:
        high += 1
    while high > 1 and ln_failure(high - 1, True) <= lnlevel:
        high -= 1
    return high


def ln_nodes(queries, passes):
    return log(sum(comb(queries - 1, l) for l in range(min(passes, queries - 1) + 1)))


if __name__ == "__main__":
    for m, b in [(32, 1), (32, 2), (32, 5), (32, 32), (100, 5), (1000, 10), (1000, 1000), (1000000, 3)]:
        for tau, beta in [(0.05, 0.05), (0.01, 1e-4)]:
            level = log(beta) - ln_nodes(m, b)
            n = least(lambda n, fine: ln_side(n, tau, fine), level, int(-level / (2 * tau**2)) + 2)
            print(f"gate,bounded,false,{m},{b},,{tau},{beta},,,,,,{n}", flush=True)
    for c in (0.5, 0.8, 0.95):
        for b in (1, 32):
            level = log(1e-4) - ln_nodes(32, b)
            spread = max(c * (1 - c), (c + 0.02) * (1 - c - 0.02)) * 1.2
            n = least(lambda n, fine: ln_bar(n, c, 0.01), level, int(-level * 2 * spread / 0.01**2) + 2)
            print(f"gate,bounded,false,32,{b},,.01,1e-4,{c},,,,,{n}", flush=True)
    for b in (1, 32):
        level = log(1e-4) - ln_nodes(32, b)
        n = least(lambda n, fine: ln_side(n, 0.005, fine), level, int(-level / (2 * 0.005**2)) + 2)
        print(f"gate,difference,false,32,{b},,.01,1e-4,,,,,1,{n}", flush=True)
    for m in (1, 5, 20):
        level = log(0.05 / (2 * m))
        n = least(lambda n, fine: ln_side(n, 0.02, fine), level, int(-level / (2 * 0.02**2)) + 2)
        print(f"sealed,bounded,false,{m},,,.02,.05,,,,,,{n}", flush=True)
