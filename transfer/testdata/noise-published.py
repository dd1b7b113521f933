"""Writes noise-published.csv: the least tau of the published noise methods, by
mpmath at 40 digits and a Nelder-Mead search that shares nothing with the Go code.

    python3 noise-published.py > noise-published.csv
"""
from mpmath import mp, mpf, erfc, sqrt, exp, log, expm1, log1p

mp.dps = 40


def survival(x):
    return erfc(x / sqrt(mpf(2))) / 2


def any_of(m, p):
    return -expm1(m * log1p(-p))


def delta(mu, eps):
    return survival(eps / mu - mu / 2) - exp(eps) * survival(eps / mu + mu / 2)


def nelder_mead(f, x0, step, rounds=260):
    n = len(x0)
    points = [list(x0)] + [[x0[j] + (step[j] if j == i else 0) for j in range(n)] for i in range(n)]
    values = [f(p) for p in points]
    for _ in range(rounds):
        order = sorted(range(n + 1), key=lambda i: values[i])
        points, values = [points[i] for i in order], [values[i] for i in order]
        centre = [sum(p[j] for p in points[:-1]) / n for j in range(n)]
        move = lambda c: [centre[j] + c * (points[-1][j] - centre[j]) for j in range(n)]
        p = move(-1)
        v = f(p)
        if v < values[0]:
            q = move(-2)
            w = f(q)
            if w < v:
                p, v = q, w
        elif v >= values[-2]:
            p = move(mpf(1) / 2)
            v = f(p)
            if v >= values[-1]:
                points = [points[0]] + [[(a + b) / 2 for a, b in zip(points[0], p)] for p in points[1:]]
                values = [values[0]] + [f(p) for p in points[1:]]
                continue
        points[-1], values[-1] = p, v
    return min(values)


def jung(n, m, beta):
    def f(p):
        mu, t, x = exp(p[0]), p[1], p[2]
        if t < 0 or x < 0:
            return mpf(10) ** 9
        b, d = any_of(m, 2 * survival(x)), delta(mu, t * mu)
        return sqrt(m) / (n * mu) * x + expm1(t * mu) + (sqrt(b) + sqrt(2 * d)) ** 2 / beta
    start = [log(sqrt(m) / n) / 2, sqrt(-2 * log(beta)) + 1, sqrt(2 * log(m / beta)) + 1]
    best = nelder_mead(f, start, [mpf(1) / 2, mpf(1) / 2, mpf(1) / 2])
    return best


def rogers(n, m, beta):
    noise = sqrt(2 * m * n * log(4 * m / beta)) / n
    information = lambda x: x * x / 2 - x ** 3 / 3 if x < mpf(10) ** -20 else x - log1p(x)
    f = lambda p: sqrt((1 + exp(p[0])) / (2 * n * beta)) + noise / sqrt(information(exp(p[0])))
    return nelder_mead(f, [log(noise * sqrt(2 * n * beta)) / 2], [mpf(1)], 150)


def root(f, lo, hi):
    for _ in range(110):
        mid = (lo + hi) / 2
        if f(mid) > 0:
            hi = mid
        else:
            lo = mid
    return lo


def bassily(n, m, beta):
    ratio = beta / (2 * m)
    quantile = root(lambda x: beta / 2 - any_of(m, 2 * survival(x)), mpf(0), mpf(60))
    least = sqrt(log(4 / ratio) / n)
    if least >= mpf(1) / 3:
        return mpf("inf")
    def f(p):
        eps = exp(p[0])
        if eps < least or eps >= mpf(1) / 3:
            return mpf(10) ** 9
        mu = root(lambda mu: delta(mu, eps) - eps * ratio, eps / 60, eps * 2)
        return 18 * eps + sqrt(m) / (n * mu) * quantile
    lo, hi = log(least), log(mpf(1) / 3)
    g = (sqrt(mpf(5)) - 1) / 2
    for _ in range(40):  # golden section, to 1e-8 in ln epsilon
        a, b = hi - g * (hi - lo), lo + g * (hi - lo)
        if f([a]) < f([b]):
            hi = b
        else:
            lo = a
    return min(f([lo]), f([hi]), f([(lo + hi) / 2]), f([log(least * (1 + mpf(10) ** -30))]))


def laplace(n, m, beta):
    def f(p):
        eps, x = exp(p[0]), p[1]
        b = any_of(m, exp(-x)) if x > 0 else mpf(1)
        if b >= beta:
            return mpf(10) ** 9
        return m * x / (n * eps) + expm1(eps) + sqrt(2 * log(1 / (beta - b)) / n)
    return nelder_mead(f, [log(mpf(m) / n) / 2, log(m / beta) + 2], [mpf(1) / 2, mpf(1)])


print("samples,queries,beta,gaussian-jung20,gaussian-rogers20,gaussian-bassily16,laplace-jung20")
for n, m, beta in [
    ("5000", "1", "0.05"), ("20000", "10", "0.05"), ("190000", "1000", "0.05"), ("200000", "1000", "0.001"),
    ("20000", "5000", "0.05"), ("10000000", "100000", "1e-6"), ("1e12", "1e9", "1e-100"), ("1e15", "1e15", "0.5"),
    ("3000000", "30", "1e-300"), ("100000", "2", "0.9"),
]:
    args = mpf(n), mpf(m), mpf(beta)
    values = [jung(*args), rogers(*args), bassily(*args), laplace(*args)]
    text = [mp.nstr(v, 17) if v < 1 else "" for v in values]
    print(",".join([str(int(mpf(n))), str(int(mpf(m))), beta] + text))
