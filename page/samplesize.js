// The tab for sample sizes.

// QUANTITIES are the four of a plan, each of which may be the unknown: the words around it in the
// sentence, the word that explains it, and the range of its curve.
const QUANTITIES = {
  samples: {
    title: "rows",
    axis: "rows",
    chip: "How many rows?",
    before: "I have",
    after: "rows",
    word: "n",
    low: 1,
    high: 1e9,
    whole: true,
  },
  queries: {
    title: "scores",
    axis: "scores shown",
    chip: "How many scores?",
    before: "and want to show",
    after: "scores,",
    word: "m",
    low: 1,
    high: 1e6,
    whole: true,
  },
  tau: {
    title: "margin",
    axis: "margin tau",
    chip: "How close?",
    before: "each within",
    after: "of its true value,",
    word: "tau",
    low: 1e-4,
    high: 0.5,
  },
  beta: {
    title: "failure probability",
    axis: "failure probability beta",
    chip: "How sure?",
    before: "except with probability",
    after: "",
    word: "beta",
    low: 1e-12,
    high: 0.5,
  },
};

// SHOWN is what the analyst is shown: the flags whose inputs the choice opens, flags that it fixes, and the words
// around what is promised of so many queries to within tau. A kind of feedback is added here.
const TRUE_VALUE = " of its true value";
const SHOWN = [
  {
    label: "every score",
    opens: [],
    fixed: {},
    promise: ["to show ", " scores, each within ", TRUE_VALUE],
  },
  {
    label: "only scores that a guess from other data misses (Thresholdout)",
    opens: ["budget"],
    fixed: {},
    promise: ["to answer ", " questions, each within ", TRUE_VALUE],
  },
  {
    label: "pass or fail of tests (gate)",
    opens: ["passes", "threshold"],
    fixed: { feedback: "gate" },
    promise: ["for a gate with ", " tests, that nothing passes below its bar and all passes that is 2 x ", " above it"],
  },
  {
    label: "pass or fail, and nobody knows how often (open ledger)",
    opens: ["passes"],
    fixed: { open: null, feedback: "gate" },
    promise: ["for a test that is number ", " to be judged to within ", ", whatever was shown before, and more come after"],
  },
  {
    label: "the best score so far (leaderboard)",
    opens: ["floor"],
    fixed: { feedback: "best" },
    promise: ["to show the best of ", " scores so far, always within ", " of the best true value"],
  },
  {
    label: "the best score so far, and nobody knows how many (open ledger)",
    opens: ["passes"],
    fixed: { open: null, feedback: "best" },
    promise: ["to show the best of ", " scores so far, within ", " of the best true value, and more may come"],
  },
  {
    label: "corrections of the guesses that miss",
    opens: ["budget", "guess-error", "hold"],
    fixed: { feedback: "flags" },
    promise: ["to check ", " guesses and correct those that miss, so that each is within ", TRUE_VALUE],
  },
  {
    label: "the scores of finalists, once and together",
    opens: [],
    fixed: { feedback: "final" },
    promise: ["to show ", " scores once and together, each within ", TRUE_VALUE],
  },
];

// OPENED are inputs that a kind of query opens.
const OPENED = { sensitive: ["sensitivity"], minimization: ["sensitivity"] };

const valueOf = (row, name) => (name === "beta" ? chance(row.beta, row.ln_beta) : plain(row[name]));
const shownValue = (row, name) => (name === "beta" ? shownChance(row.beta, row.ln_beta) : shown(row[name]));

const NOT_GUARANTEED = [
  "Another population: the rows must be independent draws from the one that the scores are about.",
  "Rows that you have seen or guessed by other means.",
  "Scores beyond the plan, and scores without their noise.",
  "The order of two scores that differ by less than 2 tau.",
  "The score on new rows of a model that was made with these rows: the true value is the expected score if the same " +
    "rows were labelled again.",
  "That no smaller number of rows is enough.",
];

const samplesize = {
  name: "samplesize",

  build() {
    for (const [name, q] of [...Object.entries(QUANTITIES), ["none", { chip: "Does my plan hold?" }]]) {
      const radio = element("input", {
        type: "radio",
        name: "unknown",
        value: name,
        oninput: () => this.turn(name),
      });
      $("unknowns").append(element("label", {}, radio, q.chip));
    }
    for (const [name, q] of Object.entries(QUANTITIES)) {
      const box = field(flagNamed("samplesize", name), { label: q.title, word: q.word });
      $("sentence").append(q.before, " ", box, " ", q.after ?? "", " ");
    }
    const shown = element("select", { id: "shown", oninput: () => this.open() });
    SHOWN.forEach(({ label }, i) => shown.append(new Option(label, String(i))));
    $("kinds").append(
      element(
        "div",
        { className: "field" },
        element("div", { className: "head" }, element("label", { for: "shown" }, "what is shown")),
        shown,
      ),
      field(flagNamed("samplesize", "query"), { label: "a score is", hasDefault: false }),
    );
    this.opened = [...new Set([...SHOWN.flatMap((s) => s.opens), ...Object.values(OPENED).flat()])];
    for (const name of this.opened) $("kinds").append(field(flagNamed("samplesize", name), { hint: true }));
    $("panel-samplesize")
      .querySelector("[data-flag=query]")
      .addEventListener("input", () => this.open());
    const main = [
      ...Object.keys(QUANTITIES),
      ...this.opened,
      "query",
      "report",
      "plot",
      "zip",
      "best",
      "max-rows",
      ...SHOWN.flatMap((s) => Object.keys(s.fixed)),
    ];
    for (const flag of flagsOf("samplesize", { without: main }))
      $("more-samplesize").append(field(flag, { hint: true }));
    this.curve = new Curve();
  },

  input(name) {
    return $("panel-samplesize").querySelector(`[data-flag="${name}"]`);
  },

  // turn makes a quantity the unknown. What was the unknown keeps the value that was found.
  turn(name) {
    for (const other of Object.keys(QUANTITIES)) {
      const input = this.input(other);
      if (input.disabled && other !== name) input.value = this.found?.[other] ?? input.dataset.before ?? "";
      if (!input.disabled && other === name) input.dataset.before = input.value;
    }
    this.mark(name);
  },

  mark(unknown) {
    for (const name of Object.keys(QUANTITIES)) {
      const input = this.input(name);
      input.disabled = name === unknown;
      if (name === unknown) input.value = "?";
    }
    $("unknowns").querySelector(`[value="${unknown}"]`).checked = true;
  },

  open() {
    const opens = [...SHOWN[Number($("shown").value)].opens, ...(OPENED[this.input("query").value] ?? [])];
    for (const name of this.opened) this.input(name).closest(".field").hidden = !opens.includes(name);
  },

  start() {
    const state = newState("samplesize");
    state.flags = [
      ["queries", "1000"],
      ["tau", "0.1"],
      ["beta", "0.05"],
    ];
    return state;
  },

  restore(state) {
    const panel = $("panel-samplesize");
    const given = (name) => hasFlag(state, name) || (name === "beta" && hasFlag(state, "confidence"));
    const isGiven = ({ opens, fixed }) => {
      const names = Object.keys(fixed);
      if (hasFlag(state, "open") && !("open" in fixed)) return false;
      if (names.length > 0) return names.every((name) => flagOf(state, name) === fixed[name]);
      return opens.length === 0 || opens.some(given);
    };
    const i = Math.max(0, SHOWN.findLastIndex(isGiven));
    const { fixed } = SHOWN[i];
    // The feedback "answers" is what is shown without a word of it.
    const rest = { ...state, flags: state.flags.filter(([name, value]) => !(name in fixed) && value !== "answers") };
    for (const name of Object.keys(QUANTITIES)) this.input(name).disabled = false;
    this.left = restoreIn(panel, rest);
    $("shown").value = String(i);
    if (!hasFlag(state, "query")) this.input("query").value = "bounded";
    this.open();
    for (const name of this.opened) if (given(name)) this.input(name).closest(".field").hidden = false;
    this.mark(Object.keys(QUANTITIES).find((name) => !given(name)) ?? "none");
    if (hasFlag(state, "confidence")) this.input("beta").value = "";
    this.curve.restore(state.view);
  },

  collect() {
    const state = newState("samplesize");
    const typed = typedIn($("panel-samplesize"), "samplesize").filter(
      ([name, value]) => name !== "query" || value !== "bounded",
    );
    state.flags = inOrder([...typed, ...Object.entries(SHOWN[Number($("shown").value)].fixed)], "samplesize");
    this.curve.view(state.view);
    return state;
  },

  unknown(state) {
    return (
      Object.keys(QUANTITIES).find(
        (name) => !hasFlag(state, name) && !(name === "beta" && hasFlag(state, "confidence")),
      ) ?? null
    );
  },

  async show(state, rows, code) {
    const unknown = this.unknown(state);
    const best = rows.find((r) => r.best) ?? null;
    const goals = rows.filter((r) => r.method === rows[0].method).length;
    this.found = best && unknown ? { [unknown]: valueOf(best, unknown) } : null;
    const short = best || unknown || goals > 1 ? "" : await shortfall(state);
    this.say(state, best, unknown, code, goals, short);
    this.table(state, rows, unknown, goals > 1);
    if (best && goals === 1) this.curve.show({ state, unknown, rows, best }).catch(unlessDropped);
    else this.curve.hide();
    await this.explain(state, best, rows, unknown);
  },

  say(state, best, unknown, code, goals, short) {
    const strong = (text) => element("strong", {}, text);
    const found = (name) => strong(best ? shownValue(best, name) : "");
    const part = (name) => (name === unknown ? found(name) : (flagOf(state, name) ?? shown(best?.[name])));
    const [before, between, after] = SHOWN[Number($("shown").value)].promise;
    const sure = hasFlag(state, "confidence")
      ? ["with confidence ", flagOf(state, "confidence")]
      : ["except with probability ", part("beta")];
    const verdict = code === 0 ? [strong("Yes"), ": "] : [strong("No"), ": no method here certifies that "];
    const sentence = [
      goals > 1 ? `The first of ${goals} plans: ` : "",
      ...(unknown ? [] : verdict),
      part("samples"),
      " rows are enough ",
      before,
      part("queries"),
      between,
      part("tau"),
      after,
      ", ",
      ...sure,
      ".",
      short,
      hasFlag(state, "one-sided") ? " It holds upwards only: what is shown may fall short by more." : "",
    ];
    answerIs(
      best && unknown ? valueOf(best, unknown) : null,
      best || !unknown ? sentence : ["No method has an answer for these inputs."],
    );
  },

  // explain says what to run, under which proof and what it does not promise.
  async explain(state, best, rows, unknown) {
    if (!best) return $("says").replaceChildren();
    const text = await practice(best.method);
    const better = (a, b) =>
      (unknown === "queries" ? -1 : 1) * (a[unknown ?? "tau_achieved"] - b[unknown ?? "tau_achieved"]);
    const published = rows
      .filter((r) => r.adaptive && r.status === "ok" && r.proof === "published")
      .sort(better)[0];
    const other =
      best.proof === "published" || !published || !unknown
        ? ""
        : ` The best method whose proof is published, ${published.method}, gives ${shownValue(published, unknown)}.`;
    $("says").replaceChildren(
      definitions([
        [
          "Run",
          methodButton(best.method),
          ". " + text,
          noiseOf(best) ? ` Noise: ${best.noise}, ${noiseOf(best)}.` : "",
        ],
        ["It holds for", best.assumes.join("; ")],
        ["Proof", proofOf(best) + other],
        notGuaranteed(hasFlag(state, "open")),
      ]),
    );
    offer({ schedule: best.noise_first !== null, figure: true, report: true });
  },

  table(state, rows, unknown, several) {
    const applicable = rows.filter((r) => r.status !== "not_applicable");
    const number = (name, title) => ({
      title,
      number: true,
      cell: (r) => (r.status === "ok" ? shownValue(r, name) : ""),
    });
    const columns = [
      { title: "", cell: (r) => (r.best ? "best" : "") },
      { title: "method", cell: (r) => methodButton(r.method) },
    ];
    for (const [name, q] of Object.entries(QUANTITIES)) {
      if (name === unknown || several) columns.push(number(name, name === "samples" ? "rows" : name));
    }
    if (unknown !== "tau") columns.push(number("tau_achieved", "tau achieved"));
    if (!unknown) columns.push(number("beta", "beta"));
    columns.push({ title: "to run", long: true, cell: parameters });
    columns.push(
      { title: "proof", cell: (r) => r.proof },
      { title: "note", long: true, cell: (r) => [useOf(r), r.reason].filter(Boolean).join("; ") },
    );
    drawRows(
      columns,
      applicable,
      rows.filter((r) => r.status === "not_applicable"),
    );
  },
};

// notGuaranteed is the list of them. An open ledger plans no number of scores.
const notGuaranteed = (open) => [
  "Not guaranteed",
  element(
    "ul",
    {},
    ...NOT_GUARANTEED.filter((t) => !open || !t.includes("beyond the plan")).map((t) => element("li", {}, t)),
  ),
];

// shortfall says of a plan that does not hold how many rows it would take, and what its rows give.
async function shortfall(state) {
  const bestWithout = async (name) => {
    const words = [...wordsOf(state, { without: [name, "best", "full", ...VIEWS] }), "--best", "--format=jsonl"];
    const [best] = rowsOf(await answers.call(words, { group: "answer" }));
    return best?.status === "ok" ? best : null;
  };
  const [needs, gives] = [await bestWithout("samples"), await bestWithout("tau")];
  return (
    (needs ? ` It takes ${shown(needs.samples)} rows.` : "") + (gives ? ` These rows give ${shown(gives.tau)}.` : "")
  );
}

const noiseOf = (r) =>
  r.noise_first !== null && r.noise_first !== undefined
    ? `${Number(r.noise_first.toPrecision(3))} falling to ${Number(r.noise_last.toPrecision(3))}`
    : shown(r.noise_scale);
// parameters is what a method is run with.
const parameters = (r) =>
  [
    r.noise ? `${r.noise} noise ${noiseOf(r)}` : "",
    ...["threshold", "cells", "epsilon", "ln_delta"].map((name) =>
      r[name] === null ? "" : `${name.replace("_", " ")} ${shown(r[name])}`,
    ),
  ]
    .filter(Boolean)
    .join(", ");

const useOf = (r) =>
  r.adaptive
    ? ""
    : r.method.startsWith("dp")
      ? "for what a private procedure puts out"
      : "only for scores fixed beforehand";

// practice is what explain says of the use of a method.
const practices = new Map();
async function practice(method) {
  if (!practices.has(method)) {
    const { stdout } = await dpcalc.run(["explain", method]);
    const [, text = ""] = /\nIn practice\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    practices.set(method, text.replace(/\s+/g, " ").trim());
  }
  return practices.get(method);
}
