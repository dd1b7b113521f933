// The tabs for the other commands: forms made of their flags, and the list of methods and words.

const OTHERS = {
  advise: "What do my rows give, and which plan is best?",
  power: "How probably does a better model pass a gate?",
  maxinfo: "How much do the steps of an analysis reveal?",
  compose: "How private are many private steps?",
  transfer: "How far is a private, accurate answer from the population?",
};

const STARTS = {
  advise: [
    ["goal", "accuracy"],
    ["samples", "5000"],
    ["queries", "150"],
    ["query", "binary"],
  ],
  power: [
    ["effect", "0.05"],
    ["power", "80%"],
    ["queries", "50"],
    ["threshold", "0.8"],
    ["query", "accuracy"],
  ],
  maxinfo: [
    ["step", "pure-dp:epsilon=0.01"],
    ["step", "description:outcomes=100"],
    ["samples", "10k"],
    ["slack", "1%"],
  ],
  compose: [
    ["epsilon", "0.1"],
    ["times", "100"],
    ["target-delta", "1e-6"],
  ],
  transfer: [
    ["alpha", "0.01"],
    ["beta", "0"],
    ["epsilon", "0.05"],
    ["target-beta", "0.05"],
  ],
};

// WAYS are the columns of the plans that advise compares.
const WAYS = [
  { title: "way", cell: (r) => (r.best ? "* " : "") + r.way },
  { title: "what is shown", cell: (r) => r.feedback },
  ...[
    ["looks", "queries"],
    ["rows", "samples"],
    ["tau", "tau"],
    ["rows for the tau asked", "samples_needed"],
  ].map(([title, name]) => ({ title, number: true, cell: (r) => (r[name] === null ? "" : shown(r[name])) })),
  { title: "method", cell: (r) => (r.method ? methodButton(r.method) : r.reason) },
  { title: "command", cell: (r) => element("code", {}, ...typed(r.command ?? "")) },
];

// BLANKS are the sentences of advise, by the flag that is a blank in each: what stands before it and after it.
const BLANKS = {
  goal: ["I want to trust", "."],
  samples: ["The test set has", "rows."],
  independent: ["The rows are independent of each other:", "."],
  clusters: ["They come from", "documents, users or other clusters."],
  adaptive: ["A result on these rows decides what I try next:", "."],
  queries: ["I take", "looks at most."],
  feedback: ["Of a look I want to see", "."],
  passes: ["I stop using the gate after", "passes."],
  budget: ["I stop after", "wrong guesses."],
  query: ["A look measures", "."],
  sensitivity: ["One row moves it by at most", "divided by the number of rows."],
  disagreement: ["The two models differ on a share of at most", "."],
  tau: ["A score may be off by at most", "."],
  beta: ["The guarantee may fail with probability", "."],
  selection: ["I chose the test", "."],
  p: ["Its p-value is", "before any correction."],
  alpha: ["It may reject a true null hypothesis with probability", "."],
  outcomes: ["I chose among", "tests."],
  epsilon: ["All answers together have epsilon", "."],
  "noise-sd": ["The noise has standard deviation", "."],
  looks: ["There are", "tests in all."],
};

// BEGINS says what to do, by the way that is best.
const BEGINS = {
  plan: "Take the looks",
  "fewer looks": "Take fewer looks",
  "less feedback": "Show less",
  "sealed rows": "Seal rows for the finalist",
  "open ledger": "Keep an open ledger",
};

// PURPOSES are the questions of advise that not everybody is asked: whether the other answers open them.
const forScores = (a) => a.goal !== "p-value";
const PURPOSES = {
  adaptive: forScores,
  feedback: (a) => forScores(a) && a.adaptive !== "no",
  query: forScores,
  beta: forScores,
  tau: forScores,
  independent: () => true,
  clusters: (a) => forScores(a) && a.independent === "no",
  samples: (a) => (forScores(a) && a.independent !== "no") || ["private", "gaussian"].includes(a.selection),
  queries: (a) => forScores(a) || a.selection === "gaussian",
  passes: (a) => (forScores(a) ? a.feedback === "gate" : a.selection === "gate"),
  budget: (a) => forScores(a) && a.feedback === "flags",
  sensitivity: (a) => forScores(a) && ["sensitive", "minimization"].includes(a.query),
  disagreement: (a) => forScores(a) && a.query === "difference",
  finalists: () => false,
  training: () => false,
  noise: () => false,
  confidence: () => false,
  selection: (a) => !forScores(a),
  p: (a) => !forScores(a) && a.selection !== "free",
  alpha: (a) => !forScores(a) && a.selection !== "free",
  outcomes: (a) => !forScores(a) && a.selection === "menu",
  epsilon: (a) => !forScores(a) && a.selection === "private",
  "noise-sd": (a) => !forScores(a) && a.selection === "gaussian",
  looks: (a) => !forScores(a) && a.selection === "gate",
};

// otherTab is the form of one of these commands.
function otherTab(name) {
  return {
    name,

    build() {
      this.box = element("div", { id: "form-" + name, hidden: true });
      const fields = element("div", { className: "fields" });
      for (const flag of flagsOf(name, { without: ["step"] })) {
        const box = field(flag, { label: this.label(flag), hint: name !== "advise" });
        fields.append(name === "advise" ? this.sentence(flag, box) : box);
      }
      if (name === "advise") {
        fields.className = "sentence";
        fields.append(...Object.keys(BLANKS).map((f) => fields.querySelector(`[data-flag="${f}"]`).closest(".field")));
      }
      this.box.append(fields);
      if (flagNamed(name, "step")) this.steps = new StepsEditor(this.box, () => changed());
      if (name === "advise") {
        $("panel-advise").append(this.box);
        this.box.addEventListener("input", () => this.open());
        return;
      }
      $("other-forms").append(this.box);
      $("other-command").append(new Option(OTHERS[name], name));
    },

    // sentence puts the words of a sentence around its blank, which shows the answer that it stands for while it is empty.
    sentence(flag, box) {
      const input = box.querySelector("[data-flag]");
      const standard = /\(default (.*)\)$/.exec(flag.usage)?.[1] ?? "";
      if (input.type === "text") input.placeholder = standard;
      else if (standard) input.options[0].text = SAYINGS[`${flag.name}=${standard}`] ?? standard;
      const [before, after] = BLANKS[flag.name] ?? ["", ""];
      box.classList.add("phrase");
      const words = (text) => element("span", { "aria-hidden": "true" }, text);
      box.prepend(words(before + " "));
      box.append(element("span", { className: "held" }, input, words(after === "." ? "." : "")));
      if (after !== ".") box.append(words(" " + after));
      return box;
    },

    // label is that of a flag; of a question's usage it is the question.
    label: (flag) =>
      name === "advise" ? flag.usage.replace(/\?.*/, "?").replaceAll("`", "") : (LABELS[flag.name] ?? flag.name),

    // open shows the questions that the answers so far call for, and those that are answered.
    open(also = () => false) {
      if (name !== "advise") return;
      const inputs = inputsIn(this.box);
      const answers = Object.fromEntries(inputs.map((input) => [input.dataset.flag, input.value]));
      for (const input of inputs) {
        const flag = input.dataset.flag;
        input.closest(".field").hidden = !(PURPOSES[flag] ?? (() => true))(answers) && !also(flag);
      }
    },

    start() {
      const state = newState(name);
      state.flags = STARTS[name].map((flag) => [...flag]);
      return state;
    },

    restore(state) {
      const steps = this.steps ? state.flags.filter(([flag, value]) => flag === "step" && value !== null) : [];
      this.left = restoreIn(this.box, { ...state, flags: state.flags.filter((f) => !steps.includes(f)) });
      this.steps?.restore(steps.map(([, value]) => value));
      this.open((flag) => hasFlag(state, flag));
      if (name === "advise") {
        this.box.hidden = false;
        return;
      }
      $("other-command").value = name;
      for (const form of $("other-forms").children) form.hidden = form !== this.box;
    },

    collect() {
      const state = newState(name);
      state.flags = typedIn(this.box, name);
      if (this.steps)
        state.flags = inOrder([...state.flags, ...this.steps.texts().map((text) => ["step", text])], name);
      return state;
    },

    async show(state, rows) {
      const sought = ["effect", "power"].find((flag) => !hasFlag(state, flag)) ?? "samples";
      const find = { maxinfo: "bits", compose: "epsilon", transfer: "alpha_out", power: sought }[name];
      const answered = rows.filter((r) => find && r.status === "ok" && r[find] !== null);
      const best = rows.find((r) => r.best) ?? answered.sort((a, b) => a[find] - b[find])[0] ?? null;
      const strong = (text) => element("strong", {}, text);
      const says = {
        power: () => [
          "A model that is ",
          strong(shown(best.effect)),
          " above the bar passes with probability ",
          strong(shown(best.power, { down: true })),
          ` on ${shown(best.samples)} rows`,
          sought === "samples" ? ", and on every greater number." : ".",
        ],
        maxinfo: () => [
          "The steps reveal at most ",
          strong(shown(best.bits) + " bits"),
          ` of max-information, by ${best.method}.`,
        ],
        compose: () => [
          "The steps together are private with epsilon ",
          strong(shown(best.epsilon)),
          best.delta ? `, delta ${shownChance(best.delta, best.ln_delta)}` : "",
          `, by ${best.method}.`,
        ],
        transfer: () => [
          "An answer is within ",
          strong(shown(best.alpha_out)),
          ` of the population, except with probability ${shownChance(best.beta_out, best.ln_beta_out)}, `,
          `by ${best.method}.`,
        ],
      }[name];
      if (name === "advise") {
        const advised = best ?? rows[0];
        const reach = advised.way && advised.tau !== null ? ` with the margin ${shown(advised.tau)}` : "";
        answerIs(null, [
          element("strong", {}, BEGINS[advised.way] ?? advised.method ?? "Nothing is valid"),
          advised.way ? `: ${SAYINGS["feedback=" + advised.feedback]}${reach}, by ${advised.method ?? "no method"}` : "",
          ".",
        ]);
        const command = (line) => (line ? element("code", {}, ...typed(line)) : "");
        $("says").replaceChildren(
          definitions([
            ...(advised.ledger ? [["Begin with", command(advised.ledger)]] : []),
            ["Command", command(advised.command)],
            ["Reason", advised.reason ?? ""],
            ...(advised.way ? [notGuaranteed(advised.way === "open ledger")] : []),
            ...(advised.threshold === null ? [] : [["Threshold", shown(advised.threshold)]]),
            ...(advised.p_adjusted === null ? [] : [["Adjusted p-value", shown(advised.p_adjusted)]]),
          ]),
        );
        drawRows(WAYS, advised.way ? rows : [], []);
      } else {
        answerIs(best ? plain(best[find]) : null, best ? says() : ["No method has an answer for these inputs."]);
        $("says").replaceChildren(definitions([["It holds for", (best?.assumes ?? []).join("; ")]]));
        drawRows(
          columnsOf(rows),
          rows.filter((r) => r.status !== "not_applicable"),
          rows.filter((r) => r.status === "not_applicable"),
        );
      }
      offer({});
    },
  };
}

// columnsOf are those of the rows' members that a reader wants, in their order.
function columnsOf(rows) {
  const names = Object.keys(rows[0] ?? {}).filter(
    (name) =>
      !["method", "best", "sources", "assumes", "status"].includes(name) &&
      !name.startsWith("ln_") &&
      rows.some((r) => r[name] !== null && r.status !== "not_applicable"),
  );
  return [
    { title: "method", cell: (r) => methodButton(r.method) },
    ...names.map((name) => ({
      title: name.replaceAll("_", " "),
      number: rows.some((r) => typeof r[name] === "number"),
      cell: (r) => shown(r[name]),
    })),
  ];
}

// The tab for what explains: the list of all methods and words.
const explaining = {
  name: "explain",
  left: [],

  async build() {
    $("explain-filter").addEventListener("input", (event) => {
      event.stopPropagation(); // it is no input of a command
      this.filter();
    });
    const { words } = description.commands.explain;
    this.list = words.map((word) => element("button", { type: "button", onclick: () => this.choose(word) }, word));
    $("explain-list").append(element("p", { className: "buttons" }, ...this.list));
  },

  filter() {
    const wanted = $("explain-filter").value.trim().toLowerCase();
    for (const button of this.list) button.hidden = !button.textContent.toLowerCase().includes(wanted);
  },

  choose(word) {
    this.state = newState("explain");
    this.state.args = [word];
    changed();
  },

  start() {
    const state = newState("explain");
    state.args = ["tau"];
    return state;
  },

  restore(state) {
    this.state = state;
  },

  collect() {
    return this.state;
  },

  // show has the program's text for an answer.
  show(state, rows, code, text) {
    const [head, ...rest] = text.trim().split("\n");
    answerIs(null, [head]);
    const page = element("pre", { tabIndex: 0, "aria-label": "Explanation" }, rest.join("\n").replace(/^\n+/, ""));
    const cited =
      state.command === "explain" &&
      element(
        "button",
        { type: "button", onclick: async () => copy((await dpcalc.run(["cite", ...state.args])).stdout, "BibTeX") },
        "Copy BibTeX",
      );
    const methods = state.args.every((word) => description.commands.cite.words.includes(word));
    $("says").replaceChildren(
      page,
      ...(cited && methods && state.args.length ? [element("p", { className: "buttons" }, cited)] : []),
    );
    drawRows([], [], []);
    offer({ table: false });
  },
};
