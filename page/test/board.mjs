// Tests the board of holdout serve in a real browser.
//
//   node page/test/board.mjs DPCALC [FOLDER]
//
// FOLDER is where pictures go. Modules and browser are found as in browser.mjs.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [program, pictures] = process.argv.slice(2);
const require = createRequire(
  path.join(process.env.MODULES ?? path.dirname(new URL(import.meta.url).pathname), "x.js"),
);
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")));
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "dpcalc-board-"));
const file = (name, text) => {
  fs.writeFileSync(path.join(scratch, name), text);
  return path.join(scratch, name);
};
const run = (...words) => {
  const done = spawnSync(path.resolve(program), words, { encoding: "utf8", cwd: scratch });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
};
const rows = (name, label) => file(name, `id,${name === "labels.csv" ? "label" : "prediction"}\n` +
  Array.from({ length: 2000 }, (_, i) => `r${i},${label(i)}`).join("\n") + "\n");
const class_ = (i) => "ab"[(i * 7919) % 2];
rows("labels.csv", class_);
const right = (share) => rows(`p${share}.csv`, (i) => (i % 100 < share ? class_(i) : "z"));
run("holdout", "init", "ledger", "--labels", "labels.csv", "-b", "0.05", "--open", "--ask", "pass:bar=0.6,bar=0.8",
  "--ask", "best:step=0.05", "--most-per-team", "30");
const token = {};
for (const line of run("holdout", "token", "red", "blue", "--append", "tokens.txt").trim().split("\n")) {
  const [team, secret] = line.split("\t");
  token[team] = secret;
}
const server = spawn(path.resolve(program),
  ["holdout", "serve", "ledger", "--tokens", "tokens.txt", "--addr", "127.0.0.1:0"], { cwd: scratch });
const address = await new Promise((found) => server.stderr.on("data", (text) => {
  const at = /serving (\S+)/.exec(text);
  if (at) found(at[1]);
}));
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
  protocolTimeout: 60_000,
});
const heard = [];
async function opened(scripted) {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setJavaScriptEnabled(scripted);
  page.on("console", (m) => /401|^\[DOM\]/.test(m.text()) || heard.push("console: " + m.text()));
  page.on("pageerror", (e) => heard.push("error: " + e.message));
  page.on("request", (r) => r.url().startsWith(address) || heard.push("request: " + r.url()));
  await page.goto(address + "/");
  return page;
}
async function look(page, name) {
  for (const [wide, high] of [[1200, 900], [390, 844]])
    for (const scheme of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.setViewport({ width: wide, height: high });
      await page.evaluate(() => scrollTo(0, 0));
      if (pictures && scheme === "light") await page.screenshot({ path: path.join(pictures, `${name}-${wide}.png`) });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${wide}`);
      await page.evaluate(axe);
      const problems = await page.evaluate(async () => (await axe.run()).violations
        .map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).join(", ")));
      assert.deepEqual(problems, [], `${name}, ${scheme}, ${wide}`);
    }
}
const text = (page, at) => page.$eval(at, (e) => e.textContent);
async function send(page, team, share, ask) {
  await page.$eval("[name=token]", (e) => (e.value = ""));
  await page.type("[name=token]", token[team]);
  await page.select("[name=ask]", ask);
  await page.$eval("[name=name]", (e, name) => (e.value = name), `model ${share}`);
  await (await page.$("[name=predictions]")).uploadFile(right(share));
}

try {
  const page = await opened(false);
  await page.type("[name=token]", token.red);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  assert.match(await text(page, "#board"), /No look was taken/);
  await send(page, "red", 75, "show=pass&bar=0.6");
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  assert.match(await text(page, "#result"), /^Look 1: passed at the bar 0\.6\. The true value is from 0\.6/);

  const scripted = await opened(true);
  await look(scripted, "locked");
  await scripted.type("[name=token]", token.blue);
  await Promise.all([scripted.waitForNavigation(), scripted.click("button")]);
  for (const [share, ask, says] of [[70, "show=pass&bar=0.8", /failed/], [90, "show=pass&bar=0.8", /passed/], [92, "show=best&step=0.05", /best/]]) {
    await send(scripted, "blue", share, ask);
    await scripted.click("button");
    await scripted.waitForFunction((s) => new RegExp(s).test(document.getElementById("result").textContent), {}, says.source);
  }
  assert.equal(await scripted.$eval("[name=token]", (e) => e.value), token.blue, "the form is kept");
  await look(scripted, "board");
  assert.deepEqual(await scripted.$$eval("#board > .wide tbody tr td:first-child", (l) => l.map((e) => e.textContent)), ["blue", "red"]);
  await send(page, "red", 60, "show=pass&bar=0.8");
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  await scripted.bringToFront();
  await scripted.waitForFunction(() => /5 looks/.test(document.getElementById("board").textContent), { timeout: 40_000 });
  assert.deepEqual(heard, [], "the console or the network");
  console.log("ok   the board");
} finally {
  await browser.close();
  server.kill();
  fs.rmSync(scratch, { recursive: true });
}
