// The page: tabs, the address, and what happens when something is typed.

let description = null;
let tab = null; // the form that is shown
let state = null; // the command line that it stands for
let answering = 0;
const answers = new Engine();
const tabs = {};

window.dpcalc = {
  ready: null,
  run: (words) => answers.call([...words].map(String)),
};
dpcalc.ready = answers.ready.then(start);
dpcalc.ready.catch((error) => {
  $("answer").textContent = "";
  fail("The program could not be started: " + error.message);
});

function start(described) {
  description = described;
  $("version").textContent = description.version;
  for (const form of [samplesize, pvalue, ...Object.keys(OTHERS).map(otherTab), explaining]) {
    tabs[form.name] = form;
    form.build();
  }
  tabs.methods = tabs.cite = explaining;
  tabList();
  buttons();
  $("form").addEventListener("submit", (event) => event.preventDefault());
  $("form").addEventListener("input", () => changed());
  $("other-command").addEventListener("input", (event) => {
    event.stopPropagation();
    go(tabs[event.target.value].start());
  });
  window.addEventListener("hashchange", () => load());
  load();
}

// groupOf is the tab in which a command stands.
const groupOf = (command) =>
  command in OTHERS && command !== "advise" ? "other" : ["methods", "cite", "explain"].includes(command) ? "explain" : command;

function tabList() {
  const all = [...$("tabs").children];
  for (const button of all) {
    button.addEventListener("click", () => {
      const group = button.id.slice("tab-".length);
      if (groupOf(state.command) !== group) go(tabs[group === "other" ? "maxinfo" : group].start());
    });
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = all[(all.indexOf(button) + step + all.length) % all.length];
      next.click();
      next.focus();
    });
  }
}

function select(command) {
  const group = groupOf(command);
  for (const button of $("tabs").children) {
    const chosen = button.id === "tab-" + group;
    button.setAttribute("aria-selected", chosen);
    button.tabIndex = chosen ? 0 : -1;
    $(button.getAttribute("aria-controls")).hidden = !chosen;
  }
}

// load reads the address.
function load() {
  if (location.hash.length <= 1) return go(tabs.advise.start(), { write: false });
  try {
    go(stateOf(location.hash.slice(1)), { write: false });
  } catch (error) {
    go(samplesize.start(), { write: false, quiet: true });
    fail("dpcalc: " + error.message);
  }
}

// named is a state with the first names of its flags, for which an address may have others.
function named(state) {
  const flags = description.commands[state.command]?.flags ?? [];
  const first = (name) => flags.find((f) => f.also?.includes(name))?.name ?? name;
  return { ...state, flags: state.flags.map(([name, value]) => [first(name), value]) };
}

// go shows a state, which may be nonsense: then its error is shown.
function go(next, { write = true, quiet = false } = {}) {
  state = named(next);
  tab = Object.hasOwn(tabs, state.command) ? tabs[state.command] : null;
  select(tab ? state.command : "samplesize");
  if (!tab) {
    tab = samplesize;
    samplesize.restore(samplesize.start());
  } else {
    tab.restore(state);
  }
  if (state.newer) tell("This address was made by a newer page: some of it may be missing");
  if (write) history.pushState(null, "", fragmentOf(state));
  clear();
  if (!quiet) answer().catch(unlessDropped);
}

// changed is called when something was typed or chosen: the address follows, and the answer.
function changed() {
  rewrite();
  answer().catch(unlessDropped);
}

function rewrite() {
  state = tab.collect();
  history.replaceState(null, "", fragmentOf(state));
}

// clear removes the answer of another form.
function clear() {
  $("answer").textContent = "";
  delete $("answer").dataset.value;
  $("says").replaceChildren();
  drawRows([], [], []);
  samplesize.curve.hide();
  offer({});
}

// VIEWS are switches that change what people see and not the answer.
const VIEWS = ["report", "plot"];

const rowsOf = ({ stdout }) =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function answer() {
  const asked = ++answering;
  const asking = state,
    form = tab;
  $("command").replaceChildren(...typed(commandLine(asking)));
  answers.drop("answer");
  $("result").setAttribute("aria-busy", "true");
  const isText = !description.commands[asking.command] || form === explaining;
  const every = form === samplesize && !hasFlag(asking, "best") ? ["full"] : []; // the references are shown too
  const words = isText
    ? wordsOf(asking)
    : [...wordsOf(asking, { without: [...VIEWS, ...every] }), ...every.map((flag) => "--" + flag), "--format=jsonl"];
  const result = await answers.call(words, { group: "answer" });
  if (asked !== answering) return;
  $("result").setAttribute("aria-busy", "false");
  if (result.code === 1 || result.code === 2) return fail(result.stderr);
  fail("");
  if (VIEWS.some((name) => hasFlag(asking, name))) $("program-text").open = true;
  printed();
  await form.show(asking, isText ? [] : rowsOf(result), result.code, result.stdout);
}

// printed shows what the command line prints, if somebody looks.
async function printed() {
  if (!$("program-text").open) return;
  const { stdout, stderr } = await dpcalc.run(wordsOf(state));
  $("program-text").querySelector("pre").textContent = stdout + stderr;
}

// fail shows the program's line, beside the input that it names, and greys the last answer.
function fail(text) {
  const line = text.trim().split("\n")[0];
  for (const input of document.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-errormessage");
  }
  $("result").classList.toggle("stale", line !== "");
  $("error").hidden = line === "";
  const named = /^dpcalc: --([a-z-]+):/.exec(line)?.[1];
  const panel = tab && $("panel-" + groupOf(tab.name));
  const input = named && panel?.querySelector(`[data-flag="${named}"]`);
  if (input && !input.closest("[hidden]")) {
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-errormessage", "error");
    input.closest("details")?.setAttribute("open", "");
    input.closest(".fields, .sentence").after($("error"));
  } else {
    $("form").after($("error"));
  }
  $("error").textContent = line;
  if (line !== "") {
    $("result").setAttribute("aria-busy", "false");
    samplesize.curve?.drop();
  }
}

// answerIs shows the answer; value is its number for programs, null if it has none.
function answerIs(value, says) {
  $("answer").replaceChildren(...says);
  if (value === null) delete $("answer").dataset.value;
  else $("answer").dataset.value = value;
}

function drawRows(columns, rows, leftOut) {
  $("rows").hidden = rows.length + leftOut.length === 0;
  drawTable($("table"), columns, rows);
  const reasons = new Map();
  for (const r of leftOut) reasons.set(r.reason, [...(reasons.get(r.reason) ?? []), r.method]);
  $("left-out").replaceChildren(
    ...[...reasons].map(([reason, methods]) => element("li", {}, `${methods.join(", ")}: ${reason}`)),
  );
}

// offered are the buttons, with when they are there.
let offered = {};
function offer(what) {
  offered = { table: true, ...what };
  for (const button of $("buttons").children) {
    button.hidden = !["always", ...Object.keys(offered).filter((k) => offered[k])].includes(button.dataset.when);
  }
}

function buttons() {
  const add = (when, label, onclick) =>
    $("buttons").append(element("button", { type: "button", "data-when": when, onclick }, label));
  const out = async (extra, call = dpcalc.run) => {
    const { code, stdout, stderr } = await call([...wordsOf(state, { without: VIEWS }), ...extra]);
    if (code === 1 || code === 2) fail(stderr);
    return code === 1 || code === 2 ? null : stdout;
  };
  add("always", "Copy command line", () => copy(commandLine(state), "Command line"));
  add("always", "Copy link", () => copy(location.href.split("#")[0] + fragmentOf(state), "Link"));
  add("report", "Copy report paragraph", async () => {
    const text = await out(["--report"]);
    if (text) copy(text, "Report paragraph");
  });
  add("table", "Save table (CSV)", async () => {
    const text = await out(["--format=csv"]);
    if (text) save(state.command + ".csv", "text/csv", text);
  });
  add(
    "figure",
    "Save curve (SVG)",
    () => $("figure") && save("curve.svg", "image/svg+xml", samplesize.curve.text()),
  );
  add("schedule", "Save noise schedule (CSV)", async () => {
    const text = await out([], (words) => answers.call(words, { schedule: true }));
    if (text) save("noise.csv", "text/csv", text);
  });
  $("program-text").addEventListener("toggle", () => printed());
}
