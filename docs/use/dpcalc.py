"""dpcalc from Python. Copy this file: it needs Python 3.8 and the program, on the PATH or named by DPCALC."""
import json, math, os, random, subprocess, tempfile, warnings


class DpcalcError(Exception):
    """What the program said, its exit code (2 wrong usage, 3 no row has an answer, 4 a check failed) and its rows."""

    def __init__(self, line, code, rows=()):
        super().__init__(line)
        self.code, self.rows = code, list(rows)


def dpcalc(command, *arguments, stdin="", **flags):
    """The rows of `dpcalc COMMAND ARGUMENTS FLAGS`, a dict each. target_beta=0.1 stands for --target-beta=0.1,
    zip=True for --zip, step=["a", "b"] for --step=a --step=b; None leaves a flag out. output=FILE takes the rows."""
    flags = flags if "output" in flags else {**flags, "format": "json"}
    line = [os.environ.get("DPCALC", "dpcalc"), command, *arguments]
    for name, value in flags.items():
        for one in value if isinstance(value, list) else [value]:
            flag = "--" + name.replace("_", "-")
            line += [flag] if one is True else [] if one is None else [f"{flag}={one}"]
    run = subprocess.run(line, input=stdin, capture_output=True, encoding="utf-8")
    rows = json.loads(run.stdout)["rows"] if run.stdout.startswith("{") else []
    if run.returncode != 0:
        reasons = "; ".join(f"{row.get('method')}: {row['reason']}" for row in rows if row.get("reason"))
        raise DpcalcError(run.stderr.strip() or reasons, run.returncode, rows)
    for notice in run.stderr.splitlines():
        warnings.warn(notice)
    return rows


def answers(**goal):
    """The plan of gaussian-schedule for a goal, and a function that adds its noise to one value after another. After
    the last of the plan's answers the function raises a DpcalcError with code 3, whatever it is asked."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "noise.json")
        [plan] = dpcalc("samplesize", method="gaussian-schedule", schedule=file, **goal)
        with open(file, encoding="utf-8") as noise:
            left = [(row["noise_scale"], row.get("cut")) for row in json.load(noise)["rows"]]
    low = {"bounded": 0, "binary": 0, "difference": -1}.get(plan["query"], -math.inf)
    high = 1 if low > -math.inf else math.inf

    def answer(value):
        if not left:
            raise DpcalcError("the plan is used up: nothing more may be shown", 3)
        if not math.isfinite(value):
            raise ValueError(f"got {value}, want a finite number")  # costs no answer
        if not low <= value <= high:  # the noise is for such values: for 57 per cent it would be 100 times too small
            raise ValueError(f"got {value}, want a number from {low} to {high}")
        sd, cut = left.pop(0)
        number = random.SystemRandom().gauss(0, 1)
        while cut and abs(number) > cut:  # drawn again, whatever the value is; to clip it is not what was planned
            number = random.SystemRandom().gauss(0, 1)
        # The last digits of a sum of floats tell of the value, so they are rounded away.
        return round(float(value) + sd * number, 9)

    return plan, answer
