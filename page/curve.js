// The curve: one quantity of a plan against another, through the plan, for several methods. Both axes
// are logarithmic, and positions on them are decimal logarithms, which hold a beta of any size.

const POINTS = 41;
const CHUNKS = 8; // the points come in as many calls, each of which spans the whole axis; two run at a time
// PASSES are one more axis for an open ledger, whose margin grows with them.
const PASSES = { title: "passes or raises", axis: "passes or raises so far", low: 1, high: 1e4, whole: true };
const axisOf = (name) => (name === "passes" ? PASSES : QUANTITIES[name]);

// roleOf says of a row that is no way to answer what it is.
const roleOf = (r) => (r.adaptive ? "" : r.method.startsWith("dp") ? " (procedure)" : " (reference)");
const svgSpace = "http://www.w3.org/2000/svg";

function drawn(name, attributes, ...children) {
  const made = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, typeof value === "number" ? Number(value.toFixed(1)) : value);
  }
  made.append(...children);
  return made;
}

// ticksOf are 3 to 9 round values, as logarithms with their texts, between two logarithms.
function ticksOf(low, high) {
  const text = (x) =>
    x >= 1e6 && x < 1e9 ? plain(x / 1e6) + "M" : x >= 1e4 && x < 1e6 ? plain(x / 1e3) + "k" : plain(x);
  for (const mantissas of [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]]) {
    for (const step of mantissas.length > 1 ? [1] : [1000, 500, 200, 100, 50, 20, 10, 5, 2, 1]) {
      const ticks = [];
      for (let power = Math.floor(low / step) * step; power <= high; power += step) {
        for (const m of mantissas) {
          const at = power + Math.log10(m);
          if (at < low - 1e-9 || at > high + 1e-9) continue;
          ticks.push({ at, text: Math.abs(power) > 15 ? m + "e" + power : text(Number(m + "e" + power)) });
        }
        if (ticks.length > 9) break;
      }
      if (ticks.length >= 3 && ticks.length <= 9) return ticks;
    }
  }
  const from = 10 ** low,
    to = 10 ** high;
  const raw = (to - from) / 4,
    unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= raw);
  const ticks = [];
  for (let i = Math.ceil(from / step); i * step <= to * (1 + 1e-9); i++) {
    const x = Number((i * step).toPrecision(12));
    ticks.push({ at: Math.log10(x), text: text(x) });
  }
  return ticks;
}

class Curve {
  constructor() {
    this.engines = null;
    this.asked = 0;
    this.chosen = null; // the methods that the user chose, null for those of the plan
    for (const [id, label] of [
      ["x", "across"],
      ["y", "upwards"],
    ]) {
      const select = element("select", { id: "axis-" + id, onchange: () => this.turned(id) });
      for (const [name, q] of Object.entries(QUANTITIES)) select.append(new Option(q.title, name));
      if (id === "x") select.append(new Option(PASSES.title, "passes"));
      $("axes").append(element("div", { className: "field" }, element("label", { for: select.id }, label), select));
    }
    $("point").addEventListener("input", () => this.read());
    window.addEventListener("resize", () => this.plan && $("figure")?.dataset.complete && this.draw(true));
  }

  // turned keeps the axes apart.
  turned(id) {
    const [x, y] = [$("axis-x"), $("axis-y")];
    if (x.value === y.value) {
      const other = id === "x" ? y : x;
      other.value = Object.keys(QUANTITIES).find((name) => name !== x.value);
    }
    this.axesByHand = true;
    if (this.plan) this.show(this.plan).catch(unlessDropped);
    rewrite();
  }

  restore(view) {
    this.axesByHand = false;
    this.chosen = view.get("methods")?.split(",") ?? null;
    for (const id of ["x", "y"]) {
      if ([...$("axis-" + id).options].some((o) => o.value === view.get(id))) {
        $("axis-" + id).value = view.get(id);
        this.axesByHand = true;
      }
    }
    if ($("axis-x").value === $("axis-y").value) this.axesByHand = false;
  }

  // view is what the address keeps.
  view(view) {
    if (this.axesByHand) view.set("x", $("axis-x").value).set("y", $("axis-y").value);
    if (this.chosen) view.set("methods", this.chosen.join(","));
  }

  hide() {
    this.asked++;
    this.drop();
    this.plan = null;
    $("curve").hidden = true;
  }

  drop() {
    this.engines?.forEach((engine) => engine.drop("curve"));
  }

  // show computes the curve of a plan: {state, unknown, rows, best}.
  async show(plan) {
    const asked = ++this.asked;
    this.plan = plan;
    if ($("figure")) delete $("figure").dataset.complete;
    $("curve").hidden = false;
    const open = hasFlag(plan.state, "open");
    $("axis-x").querySelector("[value=passes]").hidden = !open;
    if (!open && $("axis-x").value === "passes") this.axesByHand = false;
    if (!this.axesByHand) {
      const y = plan.unknown ?? "tau";
      $("axis-y").value = y;
      $("axis-x").value = y === "queries" ? "samples" : "queries";
    }
    this.x = $("axis-x").value;
    this.y = $("axis-y").value;
    this.legend(plan);
    this.points = new Map();
    this.engines ??= [new Engine(), new Engine()];
    this.drop();
    if (this.methods.length === 0) return this.draw();
    const values = this.values(plan);
    const fixed = this.fixed(plan);
    await Promise.all(
      Array.from({ length: Math.min(CHUNKS, values.length) }, async (_, chunk) => {
        const some = values.filter((_, i) => i % CHUNKS === chunk);
        const words = [
          ...fixed,
          `--${this.x}=${some.join(",")}`,
          "--method=" + this.methods.join(","),
          "--format=jsonl",
        ];
        const result = await this.engines[chunk % 2].call(words, { group: "curve" });
        if (asked !== this.asked) return;
        for (const row of rowsOf(result)) this.take(row);
        this.draw();
      }),
    );
    if (asked !== this.asked) return;
    $("figure").dataset.complete = "true";
  }

  // values are the places on the axis across, as texts, around the plan.
  values(plan) {
    const { low, high, whole } = axisOf(this.x);
    const at = Number(plan.best[this.x]) || low;
    const ends = this.x === "passes" ? [1, Math.min(1000, plan.best.queries)] : [at / 10, at * 10];
    const from = Math.log(Math.max(ends[0], low)),
      to = Math.log(Math.max(Math.min(ends[1], high), at));
    const values = Array.from({ length: POINTS }, (_, i) => {
      const x = Math.exp(from + ((to - from) * i) / (POINTS - 1));
      return whole ? plain(Math.round(x)) : plain(Number(x.toPrecision(4)));
    });
    return [...new Set(values)];
  }

  // fixed is the command line but for what the axes vary.
  fixed(plan) {
    const varied = [this.x, this.y, "method", "report", "plot", "zip"];
    if (varied.includes("beta")) varied.push("confidence");
    const words = wordsOf(plan.state, { without: varied });
    const { unknown } = plan;
    if (unknown && unknown !== this.x && unknown !== this.y)
      words.push(`--${unknown}=${valueOf(plan.best, unknown)}`);
    return words;
  }

  take(row) {
    if (row.status !== "ok") return;
    const y = this.y === "beta" ? row.ln_beta / Math.LN10 : Math.log10(row[this.y]);
    if (!Number.isFinite(y)) return;
    const x = this.x === "beta" ? row.ln_beta / Math.LN10 : Math.log10(row[this.x]);
    if (!this.points.has(row.method)) this.points.set(row.method, []);
    const line = this.points.get(row.method);
    line.push({ x, y, row });
    line.sort((a, b) => a.x - b.x);
  }

  // legend offers the methods with an answer; the best, the best published and the best reference
  // are drawn unless the user chose others.
  legend({ rows, unknown, best }) {
    const answered = rows.filter((r) => r.status === "ok");
    const better = (a, b) =>
      unknown === "queries" ? b.queries - a.queries : a[unknown ?? "tau_achieved"] - b[unknown ?? "tau_achieved"];
    const first = (is) => answered.filter(is).sort(better)[0]?.method;
    const usual = [
      best.method,
      first((r) => r.adaptive && r.proof === "published"),
      first((r) => !r.adaptive && r.assumes.some((a) => a.includes("fixed before"))),
    ];
    const wanted = this.chosen ?? usual;
    this.methods = answered
      .map((r) => r.method)
      .filter((m) => wanted.includes(m))
      .sort((a, b) => (b === best.method) - (a === best.method));
    this.best = best.method;
    this.roles = new Map(answered.map((r) => [r.method, roleOf(r)]));
    const boxes = answered.map(({ method }) => {
      const box = element("input", {
        type: "checkbox",
        value: method,
        checked: this.methods.includes(method),
        onchange: () => {
          this.chosen = [...$("lines").querySelectorAll(":checked")].map((b) => b.value);
          this.show(this.plan).catch(unlessDropped);
          rewrite();
        },
      });
      return element("label", {}, box, method + this.role(method));
    });
    const had = document.activeElement?.closest("#lines") && document.activeElement.value;
    $("lines").replaceChildren($("lines").querySelector("legend"), ...boxes);
    if (had)
      $("lines")
        .querySelector(`[value="${CSS.escape(had)}"]`)
        ?.focus();
  }

  draw(complete = false) {
    const width = Math.max(320, Math.min(760, $("figure-box").clientWidth || 760));
    const narrow = width < 560; // then the names of the lines stand over their ends, not beside them
    const [height, left, right, top, bottom] = [narrow ? 250 : 400, narrow ? 64 : 84, narrow ? 12 : 190, 16, 52];
    const all = [...this.points.values()].flat();
    const here = { x: logOf(this.plan.best, this.x), y: logOf(this.plan.best, this.y) };
    const xs = [...all.map((p) => p.x), here.x],
      ys = [...all.map((p) => p.y), here.y];
    const span = (vs) => {
      const [a, b] = [Math.min(...vs), Math.max(...vs)];
      const pad = Math.max((b - a) * 0.05, 0.02);
      return [a - pad, b + pad];
    };
    const [x0, x1] = span(xs),
      [y0, y1] = span(ys);
    const X = (x) => left + ((x - x0) / (x1 - x0)) * (width - left - right);
    const Y = (y) => height - bottom - ((y - y0) / (y1 - y0)) * (height - top - bottom);
    this.scale = { X, Y, x0, x1, left, right, width, top, bottom, height };
    const svg = drawn("svg", {
      id: "figure",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": this.words(),
      "font-family": "system-ui, sans-serif",
      "font-size": "13",
      fill: "currentColor",
    });
    for (const { at, text } of ticksOf(x0, x1)) {
      svg.append(
        drawn("line", {
          x1: X(at),
          x2: X(at),
          y1: top,
          y2: height - bottom,
          stroke: "currentColor",
          "stroke-opacity": ".15",
        }),
        drawn("text", { x: X(at), y: height - bottom + 18, "text-anchor": "middle" }, text),
      );
    }
    for (const { at, text } of ticksOf(y0, y1)) {
      svg.append(
        drawn("line", {
          x1: left,
          x2: width - right,
          y1: Y(at),
          y2: Y(at),
          stroke: "currentColor",
          "stroke-opacity": ".15",
        }),
        drawn("text", { x: left - 8, y: Y(at) + 4, "text-anchor": "end" }, text),
      );
    }
    svg.append(
      drawn(
        "text",
        { x: (left + width - right) / 2, y: height - 10, "text-anchor": "middle" },
        axisOf(this.x).axis,
      ),
      drawn(
        "text",
        {
          x: 16,
          y: (top + height - bottom) / 2,
          "text-anchor": "middle",
          transform: `rotate(-90 16 ${(top + height - bottom) / 2})`,
        },
        axisOf(this.y).axis,
      ),
    );
    const ends = [];
    this.methods.forEach((method, i) => {
      const line = this.points.get(method) ?? [];
      if (line.length === 0) return;
      const colour = `var(--c${i % 6})`;
      svg.append(
        drawn("polyline", {
          points: line.map((p) => `${X(p.x).toFixed(1)},${Y(p.y).toFixed(1)}`).join(" "),
          fill: "none",
          stroke: colour,
          "stroke-width": method === this.best ? 3 : 1.8,
          "stroke-dasharray": ["none", "7 4", "2 4", "9 3 2 3", "12 4", "4 2"][i % 6],
        }),
      );
      ends.push({ method, colour, x: X(line.at(-1).x), y: Y(line.at(-1).y) });
    });
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => {
      end.at = Math.max(end.y - (narrow ? 12 : 0), i ? ends[i - 1].at + 16 : narrow ? 8 : top + 8);
    });
    ends.reverse().forEach((end, i) => {
      end.at = Math.min(end.at, i ? ends[i - 1].at - 16 : height - bottom);
    });
    for (const { method, colour, x, y, at } of ends) {
      const beside = { x: width - right + 11, y: at + 4 },
        over = { x: width - right, y: at + 4, "text-anchor": "end" };
      if (!narrow)
        svg.append(
          drawn("path", {
            d: `M${(x + 2).toFixed(1)},${y.toFixed(1)}L${width - right + 8},${at.toFixed(1)}`,
            stroke: colour,
            fill: "none",
            "stroke-opacity": ".5",
          }),
        );
      svg.append(
        drawn(
          "text",
          { ...(narrow ? over : beside), fill: colour, "font-weight": method === this.best ? "700" : "400" },
          method + this.role(method),
        ),
      );
    }
    svg.append(
      drawn("circle", {
        cx: X(here.x),
        cy: Y(here.y),
        r: 6,
        fill: "var(--paper)",
        stroke: "var(--c0)",
        "stroke-width": 3,
      }),
    );
    this.hair = drawn("line", {
      y1: top,
      y2: height - bottom,
      stroke: "currentColor",
      "stroke-dasharray": "3 3",
      visibility: "hidden",
    });
    svg.append(this.hair);
    svg.addEventListener("pointermove", (event) => this.hover(event));
    if (complete) svg.dataset.complete = "true";
    $("figure-box").replaceChildren(svg);
    this.places = [...new Set(all.map((p) => p.x))].sort((a, b) => a - b);
    const nearest = this.places.reduce(
      (k, x, i) => (Math.abs(x - here.x) < Math.abs(this.places[k] - here.x) ? i : k),
      0,
    );
    $("point").max = Math.max(this.places.length - 1, 0);
    $("point").value = nearest;
    this.read(true);
  }

  role(method) {
    return this.roles.get(method) ?? "";
  }

  words() {
    return (
      `${capital(QUANTITIES[this.y].title)} against ${axisOf(this.x).title} for ${this.methods.map((m) => m + this.role(m)).join(", ")}. ` +
      "The slider below the figure reads values."
    );
  }

  hover(event) {
    const box = $("figure").getBoundingClientRect();
    const { x0, x1, left, right, width } = this.scale;
    const at =
      x0 + ((((event.clientX - box.left) * width) / box.width - left) / (width - left - right)) * (x1 - x0);
    const index = this.places.reduce((k, x, i) => (Math.abs(x - at) < Math.abs(this.places[k] - at) ? i : k), 0);
    $("point").value = index;
    this.read();
  }

  // read says the values at the point of the slider.
  read(quietly = false) {
    const x = this.places[Number($("point").value)];
    if (x === undefined) {
      $("reading").textContent = "";
      return;
    }
    const found = this.methods
      .map((method) => (this.points.get(method) ?? []).find((p) => p.x === x))
      .filter(Boolean);
    const text =
      found.length === 0
        ? ""
        : `${axisOf(this.x).title} ${shownValue(found[0].row, this.x)}: ` +
          found.map(({ row }) => `${row.method}${roleOf(row)} ${shownValue(row, this.y)}`).join(", ");
    $("point").setAttribute("aria-valuetext", text);
    $("reading").textContent = text;
    this.hair.setAttribute("x1", this.scale.X(x));
    this.hair.setAttribute("x2", this.scale.X(x));
    this.hair.setAttribute("visibility", quietly ? "hidden" : "visible");
  }

  // text is the figure as a file, in the colours of a white page.
  text() {
    const copied = $("figure").cloneNode(true);
    copied.removeAttribute("id");
    copied.removeAttribute("data-complete");
    copied.setAttribute("xmlns", svgSpace);
    copied.setAttribute("color", "#1b1f24");
    const colours = {
      paper: "#fff",
      c0: "#0b5cad",
      c1: "#a33b00",
      c2: "#1a7044",
      c3: "#7a3fa0",
      c4: "#5c5300",
      c5: "#96134e",
    };
    return (
      new XMLSerializer().serializeToString(copied).replace(/var\(--(\w+)\)/g, (_, name) => colours[name]) + "\n"
    );
  }
}

const logOf = (row, name) => (name === "beta" ? row.ln_beta / Math.LN10 : Math.log10(Number(row[name])));
