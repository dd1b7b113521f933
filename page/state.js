// The state is a command line: a command, its flags and arguments. It stands in the address after "#"
// as `dpcalc link` writes it. What only the page knows, such as the axes of the curve, has names that
// begin with a dot; ".v" is the version of the state if it is not 1. A name with a dot that a page
// does not know is ignored, so that an older page reads a newer address.

const STATE_VERSION = 1;
const LONGEST_FRAGMENT = 10_000;

const newState = (command) => ({ command, flags: [], args: [], view: new Map() });

const escaped = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());

function fragmentOf(state) {
  const parts = state.flags.map(([name, value]) => (value === null ? name : name + "=" + escaped(value)));
  parts.push(...state.args.map((value) => "=" + escaped(value)));
  for (const [name, value] of state.view) parts.push("." + name + "=" + escaped(value));
  return "#" + state.command + (parts.length ? "?" + parts.join("&") : "");
}

// stateOf reads a fragment. What it cannot read it throws as an Error.
function stateOf(fragment) {
  if (fragment.length > LONGEST_FRAGMENT) {
    throw new Error(`the address: got ${fragment.length} characters, want at most ${LONGEST_FRAGMENT}`);
  }
  const [, command, query = ""] = /^#?([^?]*)\??(.*)$/s.exec(fragment);
  const state = newState(decoded(command));
  for (const part of query.split("&").filter(Boolean)) {
    const at = part.indexOf("=");
    const name = decoded(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? null : decoded(part.slice(at + 1));
    if (name.startsWith(".")) state.view.set(name.slice(1), value ?? "");
    else if (name === "") state.args.push(value ?? "");
    else state.flags.push([name, value]);
  }
  const version = Number(state.view.get("v") ?? STATE_VERSION);
  state.view.delete("v");
  if (version > STATE_VERSION) state.newer = true;
  return state;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`the address: got ${JSON.stringify(text.slice(0, 60))}, want percent signs only as in %20`);
  }
}

// wordsOf is the state as the words of a command line. A value goes with its flag, so that one which
// begins with a hyphen is a value.
function wordsOf(state, { without = [] } = {}) {
  const words = [state.command];
  for (const [name, value] of state.flags) {
    if (!without.includes(name)) words.push("--" + name + (value === null ? "" : "=" + value));
  }
  if (state.args.length) words.push(...(state.args.some((a) => a.startsWith("-")) ? ["--"] : []), ...state.args);
  return words;
}

const shellWord = (text) =>
  /^[%+,\-./:=@_0-9A-Za-z]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";

// commandLine is the state as it is typed in a shell.
function commandLine(state) {
  const words = ["dpcalc", shellWord(state.command)];
  for (const [name, value] of state.flags) {
    if (value === null) words.push(shellWord("--" + name));
    else if (value === "" || value.startsWith("-")) words.push(shellWord("--" + name + "=" + value));
    else words.push(shellWord("--" + name), shellWord(value));
  }
  if (state.args.some((a) => a.startsWith("-"))) words.push("--");
  return words.concat(state.args.map(shellWord)).join(" ");
}

const flagOf = (state, name) => state.flags.find(([n]) => n === name)?.[1];
const hasFlag = (state, name) => state.flags.some(([n]) => n === name);
