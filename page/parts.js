// Parts of the page: elements, fields of flags, steps, tables, numbers.

const $ = (id) => document.getElementById(id);

// element makes <name>, with properties, attributes (those with a hyphen, role and for) and children.
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "for") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// plain is a number as flags take it.
const plain = (x) => String(x).replace("e+", "e");

// sixDigits is a number with six digits, rounded up or down as the program rounds it. A difference below
// 1e-12 is the rounding of the number itself.
function sixDigits(x, up) {
  const size = Math.abs(x);
  const [mantissa, exponent] = size.toExponential(5).split("e");
  const near = Number(size.toExponential(5)),
    slack = 1e-12 * size;
  const away = up !== x < 0;
  let m = Math.round(Number(mantissa) * 1e5);
  if (away && near < size - slack) m++;
  else if (!away && near > size + slack) m--;
  return Math.sign(x) * Number(m + "e" + (Number(exponent) - 5));
}

// shown is a number for people: whole numbers in groups of three, others with six digits, rounded up
// unless down is asked for.
function shown(x, { down = false } = {}) {
  if (typeof x !== "number") return x === null || x === undefined ? "" : String(x);
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return String(x).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return plain(sixDigits(x, !down));
}

// chance is a probability with all its digits; where it is too small for a number it comes from its
// logarithm.
function chance(p, ln) {
  return p > 1e-300 || ln === null || ln === undefined ? plain(p) : fromLogarithm(ln, false);
}

// shownChance is a probability for people.
function shownChance(p, ln, { down = false } = {}) {
  if (p === null || p === undefined) return "";
  return p > 1e-300 || ln === null || ln === undefined ? shown(p, { down }) : fromLogarithm(ln, down);
}

function fromLogarithm(ln, down) {
  const power = Math.floor(ln / Math.LN10);
  return plain(sixDigits(Math.exp(ln - power * Math.LN10), !down)) + "e" + power;
}

// Labels of flags that the program's usage says at more length.
const LABELS = {
  p: "p-value",
  alpha: "alpha",
  by: "the choice was made by",
  samples: "rows",
  epsilon: "epsilon",
  delta: "delta",
  mu: "mu",
  queries: "queries",
  "noise-sd": "noise, standard deviation",
  outcomes: "possible choices",
  bits: "bits",
  nats: "nats",
  slack: "slack",
  data: "rows are",
  neighbours: "neighbours",
  method: "methods",
  proofs: "proofs",
  sensitivity: "sensitivity",
  budget: "budget",
  times: "steps",
  "target-delta": "target delta",
  "target-beta": "target beta",
  beta: "beta",
  tau: "tau",
  query: "a query is",
};

// Words that select boxes show for those of the program.
const SAYINGS = {
  "query=bounded": "a mean of values in [0,1]",
  "query=binary": "a share: each row is 0 or 1",
  "query=sensitive": "another statistic of low sensitivity",
  "query=minimization": "which candidate has the least loss",
  "proofs=all": "all",
  "proofs=published": "published in the literature",
  "by=pure-dp": "private answers (epsilon)",
  "by=approx-dp": "private answers (epsilon, delta)",
  "by=gdp": "private answers (Gaussian, mu)",
  "by=gaussian": "means with Gaussian noise",
  "by=description": "a list of tests written down before",
  "by=mutual-info": "bounded mutual information",
  "by=max-info": "bounded max-information",
  "by=zcdp": "private answers (rho, zCDP)",
  "by=gates": "pass or fail of earlier tests",
  "by=steps": "several steps, one after the other",
  "by=series": "the verdicts on earlier tests of a series",
  "by=free": "a free look at the rows",
  "query=difference": "the new score less the old one",
  "query=wins": "wins and losses against the old model",
  "query=f1": "the F1 of the positive class",
  "query=auc": "the area under the ROC curve",
  "goal=accuracy": "a score",
  "goal=p-value": "a p-value",
  "feedback=answers": "every score",
  "feedback=gate": "pass or fail",
  "feedback=best": "the best score so far",
  "feedback=flags": "where a guess is wrong",
  "feedback=final": "the finalists' scores alone",
  "feedback=unsure": "whatever is best: compare all",
  "selection=fixed": "before I saw the data",
  "selection=menu": "from a menu of tests",
  "selection=private": "through private answers",
  "selection=gaussian": "through means with Gaussian noise",
  "selection=gate": "through pass or fail of earlier tests",
  "selection=free": "by looking freely",
  "data=product": "independent",
  "data=any": "of any joint law",
  "neighbours=replace": "one row replaced",
  "neighbours=add-remove": "one row added or removed",
};

let made = 0;

// input is what a flag is typed in.
function inputOf(flag, hasDefault = true) {
  const id = "flag-" + ++made;
  if (flag.switch) return element("input", { id, type: "checkbox", "data-flag": flag.name });
  if (flag.words?.length && flag.words.length <= 12) {
    const select = element("select", { id, "data-flag": flag.name });
    if (hasDefault) select.append(new Option(flag.usage.includes("(default)") ? "default" : "\u2013", ""));
    for (const word of flag.words) select.append(new Option(SAYINGS[flag.name + "=" + word] ?? word, word));
    return select;
  }
  return element("input", { id, type: "text", spellcheck: false, autocapitalize: "off", "data-flag": flag.name });
}

// SHORT is the length of a usage that says no more than the label.
const SHORT = 24;

// field is a labelled input. With a word of the glossary it has a button that explains it.
function field(
  flag,
  { label = LABELS[flag.name] ?? flag.name, word = null, hint = false, hasDefault = true } = {},
) {
  const input = inputOf(flag, hasDefault);
  const name = element("label", { for: input.id }, label);
  if (flag.switch) return element("div", { className: "field check" }, input, name);
  const head = element("div", { className: "head" }, name, word ? explainer(word) : null);
  const box = element("div", { className: "field" }, head, input);
  if (hint && flag.usage.length > SHORT) {
    const text = element("small", { id: input.id + "-hint" }, flag.usage.replaceAll("`", ""));
    input.setAttribute("aria-describedby", text.id);
    box.append(text);
  }
  return box;
}

// explainer is the button that opens the glossary at a word.
function explainer(word) {
  return element(
    "button",
    { type: "button", className: "ask", "aria-label": "What is " + word + "?", onclick: () => explain(word) },
    "?",
  );
}

async function explain(word) {
  const { stdout, stderr } = await dpcalc.run(["explain", word]);
  const [head, ...rest] = (stdout || stderr).split("\n");
  $("glossary-title").textContent = head;
  $("glossary").querySelector("pre").textContent = rest.join("\n").trim();
  $("glossary").showModal();
}

// fill puts a value into an input, also one that is none of its words.
function fill(input, value) {
  if (input.type === "checkbox") {
    input.checked = value !== undefined;
    return;
  }
  const text = value ?? "";
  if (input instanceof HTMLSelectElement && ![...input.options].some((o) => o.value === text)) {
    if (text === "") {
      input.selectedIndex = 0;
      return;
    }
    input.append(new Option(text, text));
  }
  input.value = text;
}

const inputsIn = (box) => [...box.querySelectorAll("[data-flag]")];

// restoreIn fills the inputs of a form and returns the flags that have none.
function restoreIn(box, state) {
  const inputs = inputsIn(box);
  for (const input of inputs) fill(input, undefined);
  const taken = new Set();
  const left = [];
  for (const [name, value] of state.flags) {
    const input = inputs.find((i) => i.dataset.flag === name);
    const fits = input && !taken.has(name) && (input.type === "checkbox") === (value === null);
    if (!fits) {
      left.push([name, value]);
      continue;
    }
    taken.add(name);
    fill(input, value);
  }
  return left;
}

// typedIn are the flags that a form has values for, in the order of the program's flags.
function typedIn(box, command) {
  const typed = new Map();
  for (const input of inputsIn(box)) {
    const off = input.disabled || input.closest("[hidden]:not([role=tabpanel])");
    if (off || (input.type === "checkbox" ? !input.checked : input.value.trim() === "")) continue;
    typed.set(input.dataset.flag, input.type === "checkbox" ? null : input.value.trim());
  }
  return inOrder([...typed], command);
}

// inOrder sorts flags as the program declares them.
function inOrder(flags, command) {
  const order = description.commands[command].flags.map((f) => f.name);
  return flags.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

// flagsOf are the flags of a command that a form can have, by name.
function flagsOf(command, { without = [] } = {}) {
  return description.commands[command].flags.filter(
    (f) => !f.file && !without.includes(f.name) && !f.usage.includes("FILE"),
  );
}

// proofOf says of a row what its proof is, in the word of the table and in the words of reports.
const proofOf = (row) => `${row.proof}: the proof is ${description.proofs[row.proof]}.`;

const flagNamed = (command, name) => description.commands[command].flags.find((f) => f.name === name);

// StepsEditor edits the steps of an analysis, in order.
class StepsEditor {
  constructor(box, changed) {
    this.changed = changed;
    this.steps = [];
    this.list = element("ol", { className: "steps" });
    box.append(
      element(
        "fieldset",
        {},
        element("legend", {}, "Steps, in order of use"),
        this.list,
        element(
          "button",
          { type: "button", onclick: () => this.add(description.kinds[0].name + ":") },
          "Add a step",
        ),
      ),
    );
  }

  restore(texts) {
    this.steps = texts.map(StepsEditor.parsed);
    this.draw();
  }

  add(text) {
    this.steps.push(StepsEditor.parsed(text));
    this.draw();
    this.list.lastChild.querySelector("select, input").focus();
    this.changed();
  }

  // parsed reads KIND:key=value,...; what is not of that form is kept as it was typed.
  static parsed(text) {
    const [, name, rest] = /^([^:]*):?(.*)$/s.exec(text);
    const kind = description.kinds.find((k) => k.name === name);
    const pairs = rest
      .split(",")
      .filter(Boolean)
      .map((pair) => pair.split("="));
    const known = kind && [...kind.needs.flat(), ...(kind.optional ?? [])];
    if (!known || pairs.some((pair) => pair.length !== 2 || !known.includes(pair[0]))) return { text };
    return { kind: name, values: new Map(pairs) };
  }

  texts() {
    return this.steps.map(
      (s) =>
        s.text ??
        s.kind +
          ":" +
          [...s.values]
            .filter(([, v]) => v.trim())
            .map(([k, v]) => k + "=" + v.trim())
            .join(","),
    );
  }

  draw() {
    this.list.replaceChildren(...this.steps.map((step, i) => this.row(step, i)));
  }

  row(step, i) {
    const fields = element("div", { className: "fields" });
    if (step.text !== undefined) {
      fields.append(
        this.cell("step", i, {
          value: step.text,
          oninput: (e) => {
            step.text = e.target.value;
            this.changed();
          },
        }),
      );
    } else {
      const id = "step-" + ++made;
      const select = element("select", {
        id,
        onchange: () => {
          this.steps[i] = { kind: select.value, values: new Map() };
          this.draw();
          this.list.children[i].querySelector("select").focus();
          this.changed();
        },
      });
      for (const k of description.kinds) select.append(new Option(SAYINGS["by=" + k.name] ?? k.name, k.name));
      select.value = step.kind;
      fields.append(element("div", { className: "field" }, element("label", { for: id }, `step ${i + 1}`), select));
      const kind = description.kinds.find((k) => k.name === step.kind);
      for (const key of [...kind.needs.flat(), ...(kind.optional ?? [])]) {
        fields.append(
          this.cell(key, i, {
            value: step.values.get(key) ?? "",
            oninput: (e) => {
              step.values.set(key, e.target.value);
              this.changed();
            },
          }),
        );
      }
    }
    const move = (to) => {
      [this.steps[i], this.steps[to]] = [this.steps[to], this.steps[i]];
      this.draw();
      this.changed();
    };
    const buttons = element(
      "p",
      { className: "buttons" },
      element("button", { type: "button", disabled: i === 0, onclick: () => move(i - 1) }, `Step ${i + 1} earlier`),
      element(
        "button",
        { type: "button", disabled: i === this.steps.length - 1, onclick: () => move(i + 1) },
        `Step ${i + 1} later`,
      ),
      element(
        "button",
        {
          type: "button",
          onclick: () => {
            this.steps.splice(i, 1);
            this.draw();
            this.changed();
          },
        },
        `Remove step ${i + 1}`,
      ),
    );
    return element("li", {}, fields, buttons);
  }

  cell(key, i, properties) {
    const id = "step-" + ++made;
    return element(
      "div",
      { className: "field" },
      element("label", { for: id }, LABELS[key] ?? key),
      element("input", { id, type: "text", spellcheck: false, ...properties }),
    );
  }
}

// drawTable writes rows below columns {title, cell, number, long}. A cell is a text or an element.
function drawTable(table, columns, rows) {
  const head = element(
    "tr",
    {},
    ...columns.map((c) => element("th", { scope: "col", className: c.number ? "number" : "" }, c.title)),
  );
  const body = rows.map((row) => {
    const tr = element("tr", { className: row.best ? "best" : row.adaptive === false ? "reference" : "" });
    for (const c of columns) {
      tr.append(element("td", { className: c.number ? "number" : c.long ? "long" : "" }, c.cell(row) ?? ""));
    }
    return tr;
  });
  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
}

const methodButton = (name) => element("button", { type: "button", onclick: () => explain(name) }, name);

// definitions is a list of terms with what they say; those that say nothing are left out.
function definitions(pairs) {
  const list = element("dl");
  for (const [term, ...says] of pairs) {
    if (says.every((s) => s === null || s === "")) continue;
    list.append(element("dt", {}, term), element("dd", {}, ...says));
  }
  return list;
}

// save hands a text over as a file.
function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  tell(name + " saved");
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // where the browser has no clipboard for the page
    const area = element("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  tell(what + " copied");
}

// typed returns a command line word by word, which a line does not break.
const typed = (line) => line.split(/( )/).map((word) => (word === " " ? word : element("span", { className: "typed" }, word)));

let telling = 0;
function tell(text) {
  $("message").textContent = text;
  clearTimeout(telling);
  telling = setTimeout(() => {
    $("message").textContent = "";
  }, 2500);
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
