// The tab for p-values.

// standing is what a number of a method stands on.
const standing = (best) => [
  ["It holds for", best.assumes.join("; ")],
  ["Proof", proofOf(best)],
  [
    "Not guaranteed",
    "After a free look at the same data no threshold is valid. What else was known of the data when the " +
      "test was chosen is not covered.",
  ],
];

// FIRST_COLUMNS and LAST_COLUMNS are the columns around the numbers.
const FIRST_COLUMNS = [
  { title: "", cell: (r) => (r.best ? "best" : "") },
  { title: "method", cell: (r) => methodButton(r.method) },
];
const LAST_COLUMNS = [
  { title: "proof", cell: (r) => r.proof },
  { title: "holds for", cell: (r) => r.assumes.join("; ") },
  {
    title: "note",
    cell: (r) => [r.status === "ok" ? "" : r.status.replace("_", " "), r.reason].filter(Boolean).join(": "),
  },
];

const pvalue = {
  name: "pvalue-correct",

  build() {
    const flag = (name) => flagNamed("pvalue-correct", name);
    $("pvalue-first").append(
      field(flag("by"), { hasDefault: false }),
      field(flag("alpha"), { word: "alpha" }),
      field(flag("p")),
      field(flag("target-threshold")),
    );
    const keys = [
      ...new Set(["samples", ...description.kinds.flatMap((k) => [...k.needs.flat(), ...(k.optional ?? [])])]),
    ];
    const offered = keys.filter((key) => flag(key) && key !== "data");
    for (const key of offered) $("pvalue-kind").append(field(flag(key), { hint: true }));
    for (const key of ["data", "neighbours"]) $("pvalue-kind").append(field(flag(key)));
    const first = ["by", "alpha", "p", "target-threshold"];
    const main = [...first, ...offered, "data", "neighbours", "step", "family-on", "p-column"];
    for (const more of flagsOf("pvalue-correct", { without: main }))
      $("more-pvalue-correct").append(field(more, { hint: true }));
    this.steps = new StepsEditor($("pvalue-steps"), () => changed());
    this.by().addEventListener("input", () => this.open());
  },

  by() {
    return $("panel-pvalue-correct").querySelector("[data-flag=by]");
  },

  // open shows the inputs of the kind of choice, and of several steps the steps.
  open(also = () => false) {
    const kind = description.kinds.find((k) => k.name === this.by().value);
    const keys = kind ? [...kind.needs.flat(), ...(kind.optional ?? [])] : ["slack"];
    if (!kind || kind.private) keys.push("samples", "data", "neighbours");
    for (const input of inputsIn($("pvalue-kind"))) {
      input.closest(".field").hidden = !keys.includes(input.dataset.flag) && !also(input.dataset.flag);
    }
    $("pvalue-steps").hidden = this.by().value !== "steps";
  },

  start() {
    const state = newState("pvalue-correct");
    state.flags = [
      ["alpha", "0.05"],
      ["by", "pure-dp"],
      ["p", "0.003"],
      ["samples", "10k"],
      ["epsilon", "0.01"],
    ];
    return state;
  },

  restore(state) {
    const steps = state.flags.filter(([name, value]) => name === "step" && value !== null);
    this.left = restoreIn($("panel-pvalue-correct"), {
      ...state,
      flags: state.flags.filter((f) => !steps.includes(f)),
    });
    this.open((name) => hasFlag(state, name));
    this.steps.restore(steps.map(([, value]) => value));
    if (steps.length) $("pvalue-steps").hidden = false;
  },

  collect() {
    const state = newState("pvalue-correct");
    state.flags = typedIn($("panel-pvalue-correct"), "pvalue-correct");
    if (!$("pvalue-steps").hidden) state.flags.push(...this.steps.texts().map((text) => ["step", text]));
    state.flags = inOrder(state.flags, "pvalue-correct");
    return state;
  },

  async show(state, rows) {
    const best = rows.find((r) => r.best) ?? null;
    if (hasFlag(state, "level") || "target_threshold" in rows[0]) return this.showBackwards(state, rows, best);
    if (!best) {
      answerIs(null, ["No threshold above 0 is valid for these inputs."]);
      $("says").replaceChildren();
    } else {
      const threshold = chance(best.threshold, best.ln_threshold);
      const strong = (text) => element("strong", {}, text);
      const short = shownChance(best.threshold, best.ln_threshold, { down: true });
      const verdict =
        best.p === undefined
          ? ["."]
          : [
              `; p = ${flagOf(state, "p")}, adjusted `,
              strong(shownChance(best.p_adjusted, best.ln_p_adjusted)),
              best.reject ? ", rejects." : ", does not reject.",
            ];
      answerIs(threshold, ["Reject if p is at most ", strong(short), ...verdict]);
      const text = await practice(best.method);
      const level =
        best.threshold > 1e-9 ? shown(100 - 100 * sixDigits(best.threshold, false)) + " %" : `1 - ${short}`;
      $("says").replaceChildren(
        definitions([
          ["Method", methodButton(best.method), ". " + text],
          [
            "Intervals",
            `A confidence interval of level ${level}, chosen in the same way, covers with probability ` +
              `1 - ${flagOf(state, "alpha")}. That level is 1 - threshold.`,
          ],
          ...standing(best),
        ]),
      );
    }
    const columns = [
      ...FIRST_COLUMNS,
      {
        title: "threshold",
        number: true,
        cell: (r) => (r.status === "ok" ? shownChance(r.threshold, r.ln_threshold, { down: true }) : ""),
      },
    ];
    if (rows.some((r) => r.p_adjusted !== undefined)) {
      columns.push(
        { title: "p adjusted", number: true, cell: (r) => shownChance(r.p_adjusted, r.ln_p_adjusted) },
        { title: "reject", cell: (r) => (r.reject === null ? "" : r.reject ? "yes" : "no") },
      );
    }
    columns.push(...LAST_COLUMNS);
    drawRows(columns, rows, []);
    offer({});
  },

  // showBackwards shows what was found for a threshold or a level: the number after the method, or alpha. The
  // program's own line says what it is, and which way it is rounded.
  async showBackwards(state, rows, best) {
    const { stdout } = await dpcalc.run([...wordsOf(state, { without: ["plot"] }), "--format=table"]);
    const keys = Object.keys(rows[0]);
    const name = hasFlag(state, "level") ? "alpha" : keys[keys.indexOf("method") + 1];
    const [, line = "No method has an answer for these inputs."] = /^\* (.*)$/m.exec(stdout) ?? [];
    const up = !line.includes("greatest");
    answerIs(best && plain(best[name]), [line]);
    $("says").replaceChildren(best ? definitions([["Method", methodButton(best.method)], ...standing(best)]) : "");
    const number = (r) => (r.status === "ok" ? plain(sixDigits(r[name], up)) : "");
    const column = { title: name.replaceAll("_", " "), number: true, cell: number };
    drawRows([...FIRST_COLUMNS, column, ...LAST_COLUMNS], rows, []);
    offer({});
  },
};
