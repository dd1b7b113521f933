// Tests the page in a real browser.
//
//   node page/test/browser.mjs PAGE.html DPCALC [FOLDER]
//
// PAGE.html is what tools/page wrote, DPCALC the command line program, FOLDER where pictures go. The
// modules of page/test/package.json are found as node finds modules; CHROMIUM is the browser.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pageFile, program, pictures] = process.argv.slice(2);
const require = createRequire(
  path.join(process.env.MODULES ?? path.dirname(new URL(import.meta.url).pathname), "x.js"),
);
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")));
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "dpcalc-page-"));
const address = pathToFileURL(pageFile).href;
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

// Everything that any page asks for or says is noted; only the page itself and its worker may be asked for.
const heard = [];
async function opened(url, then = "dpcalc.ready.then(() => null)") {
  const page = await browser.newPage();
  await page.setViewport({ width: 1100, height: 900 });
  page.on("console", (m) => heard.push("console: " + m.text()));
  page.on("pageerror", (e) => heard.push("error: " + e.message));
  page.on("request", (r) => {
    if (r.url().split("#")[0] !== url.split("#")[0] && !/^(blob|data):/.test(r.url()))
      heard.push("request: " + r.url());
  });
  await page.goto(url);
  await page.evaluate(then);
  return page;
}

// plan is the page with a plan to compute.
const plan = address + "#samplesize?queries=1000&tau=0.1&beta=0.05";
const fewest = () =>
  JSON.parse(native(["samplesize", "-m", "1000", "-t", "0.1", "-b", "0.05", "-f", "json"]).stdout).rows.find(
    (r) => r.best,
  ).samples;

const settled = (page) =>
  page.waitForFunction(() => document.getElementById("result").getAttribute("aria-busy") === "false");
const curveDrawn = (page) =>
  page.waitForFunction(() => document.querySelector("#figure")?.dataset.complete === "true", { timeout: 60_000 });
const native = (words) => spawnSync(program, words, { input: "", encoding: "utf8", cwd: scratch });
async function visit(page, fragment) {
  await page.evaluate((f) => {
    document.getElementById("result").setAttribute("aria-busy", "true");
    location.hash = f;
  }, fragment);
  await settled(page);
}
const value = (page) => page.$eval("#answer", (e) => e.dataset.value ?? null);
const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
async function type(page, flag, what) {
  const selector = `[role=tabpanel]:not([hidden]) [data-flag="${flag}"]`;
  await page.$eval(
    selector,
    (e, v) => {
      e.value = v;
      e.dispatchEvent(new Event("input", { bubbles: true }));
    },
    what,
  );
}

const tests = [];
const test = (name, f) => tests.push([name, f]);

test("it is ready, and answers while the curve is drawn", async () => {
  const begun = performance.now();
  const page = await opened(plan);
  console.log(`  ready after ${Math.round(performance.now() - begun)} ms`);
  await page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      window.longest = Math.max(window.longest, now - last);
      last = now;
    }, 5);
  });
  await settled(page);
  assert.equal(Number(await value(page)), fewest());
  await curveDrawn(page);
  console.log(
    `  curve after ${Math.round(performance.now() - begun)} ms, ` +
      `the page was busy for ${Math.round(await page.evaluate("longest"))} ms at most`,
  );
  const points = await page.$$eval("#figure polyline", (ls) =>
    ls.map((l) => l.getAttribute("points").split(" ").length),
  );
  assert.deepEqual(points, [41, 41, 41]);
  const spent = await page.evaluate(async () => {
    const words = ["samplesize", "-m", "1000", "-t", "0.1", "-b", "0.05", "-f", "json"];
    const times = [];
    for (let i = 0; i < 10; i++) {
      const from = performance.now();
      await dpcalc.run(words);
      times.push(performance.now() - from);
    }
    return Math.min(...times);
  });
  console.log(`  one goal in ${Math.round(spent)} ms`);
  await page.close();
});

const goals = [
  "-m 1000 -t 0.1 -b 0.05",
  "-m 25,200 -n 20k -b 5%",
  "-n 20k -t 3% --confidence 95% --query binary",
  "-n 1M -m 10 -t 0.1",
  "-m 1000 -n 500 -t 0.1 -b 0.05",
  "-m 100 -t 0.1 -b 0.05 -B 10",
  "-m 50 -t 5 -b 0.01 --query sensitive --sensitivity 20",
  "-m 10 -t 0.1 -b 1e-4343",
];
const formats = ["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"];
const commands = [
  ...goals.flatMap((g, i) => formats.filter((_, k) => (i + k) % 2 === 0).map((f) => `samplesize ${g} -f ${f}`)),
  ...goals.slice(0, 3).map((g) => `samplesize ${g} --report`),
  "samplesize -m 10:1k:log5 -t 0.1 -b 0.05 --plot --method gaussian,rounding",
  ...formats.map((f) => `pvalue-correct -p 0.003 --alpha 0.05 --by pure-dp --epsilon 0.01 --samples 10k -f ${f}`),
  "pvalue-correct -a 0.05 --by description --outcomes 100",
  "pvalue-correct -a 0.05 --by steps --step description:outcomes=9 --step max-info:bits=3,data=any -f json",
  ...formats
    .slice(0, 4)
    .map(
      (f) => `maxinfo --samples 10k --slack 1% --step pure-dp:epsilon=0.01 --step description:outcomes=100 -f ${f}`,
    ),
  ...formats.slice(0, 3).map((f) => `power -m 1 --threshold 0.6 --query binary --effect 0.2 --power 80% -f ${f}`),
  "power -n 500 -m 50 --test sign --disagreement 0.15 --effect 0.05,0.08",
  ...formats.slice(2).map((f) => `compose --epsilon 0.1 --times 100 --target-delta 1e-6 -f ${f}`),
  "compose --epsilon 0.1 --delta 1e-9 --times 20 --target-delta 1e-6 --all -f csv",
  ...formats.slice(0, 3).map((f) => `transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05 -f ${f}`),
  "advise --goal p-value --selection menu",
  "advise --samples 500 --queries 9 --query binary",
  "advise --queries 9 --tau 3% --feedback gate --passes 2 -f json",
  "advise",
  "explain gaussian tau",
  "explain gausian",
  "cite gaussian rounding",
  "methods",
  "methods -f json",
  "link samplesize -m 1k -t 5% -b 0.05",
  "link audit",
  "samplesize -m oops -t 0.1 -b 0.05",
  "samplesize -m 1 -t 0.1",
  "samplesize --tua 1",
  "nonsense",
  "maxinfo --step gdp:mu=1",
  "samplesize -m 1:9000000:1 -t 0.1 -b 0.05",
];

test("it gives what the command line gives", async () => {
  const page = await opened(address + "#methods");
  assert.ok(commands.length >= 60, `${commands.length} commands`);
  for (const line of commands) {
    const words = line.split(" ");
    const want = native(words);
    const got = await page.evaluate((w) => dpcalc.run(w), words);
    assert.deepEqual(got, { code: want.status, stdout: want.stdout, stderr: want.stderr }, line);
  }
  const got = await page.evaluate(
    (w) => dpcalc.run(w),
    ["samplesize", "-m", "1", "-t", "0.1", "-b", "0.05", "-o", "x.csv"],
  );
  assert.equal(got.code, 2);
  assert.match(got.stderr, /^dpcalc: --output: got x.csv.*\n$/);
  console.log(`  ${commands.length} command lines`);
  await page.close();
});

// states are the fragments that the page writes for these command lines.
const states = [
  "samplesize -m 1000 -t 0.1 -b 0.05",
  "samplesize -n 20k -m 200 --confidence 95% --query binary",
  "samplesize -n 20k -t 3% -b 1/20 --proofs published",
  "samplesize -n 1k -m 10 -t 0.1 -b 5%",
  "samplesize -m 100 -t 0.1 -b 0.05 -B 10 --method thresholdout,gaussian --epsilon 0.1",
  "samplesize -m 10 -t 5 -b 0.05 --query sensitive --sensitivity 20",
  "samplesize -m 100 -t 0.1 -b 0.05 --query binary --feedback gate",
  "samplesize -m 100 -t 0.1 -b 0.05 --query binary --feedback gate --passes 3",
  "samplesize -n 5k -m 100 -b 0.05 --feedback best --floor 0.5",
  "samplesize -n 9k -t 0.1 -b 0.05 -B 5 --feedback flags --guess-error 0.01",
  "samplesize -m 100 -t 0.1 -b 0.05 --feedback final",
  "samplesize -n 5k -m 151 -b 0.05 --feedback gate --open --passes 6",
  "samplesize -n 5k -m 151 -b 0.05 --feedback best --open",
  "pvalue-correct -a 0.05 --by free -p 0.003",
  "advise --samples 5000 --query binary",
  "pvalue-correct -p 0.003 -a 0.05 --by pure-dp --epsilon 0.01 -n 10k",
  "pvalue-correct -a 0.05 --by description --bits 3",
  "pvalue-correct -a 0.05 --by pure-dp -n 10k --target-threshold 0.01",
  "pvalue-correct -a 0.05 --by gaussian -m 10 --noise-sd 0.1 -n 1k --data product",
  "pvalue-correct -a 0.05 --by steps --step pure-dp:epsilon=0.01 --step description:outcomes=3 -n 10k",
  "maxinfo -n 10k --slack 1% --step pure-dp:epsilon=0.01",
  "compose --mu 0.1 --times 10 --target-delta 1e-6",
  "compose --epsilon 0.1 --times 3 --all",
  "transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05 -n 1M",
  "advise --goal p-value --selection menu",
  "advise --samples 500 --queries 9 --query binary --feedback unsure",
  "explain tau beta",
  "cite gaussian",
  "methods",
];

test("the address restores every input, and is what dpcalc link writes", async () => {
  const page = await opened(address);
  for (const line of states) {
    const fragment = native(["link", ...line.split(" ")]).stdout.trim();
    await visit(page, fragment);
    assert.ok(await page.$eval("#error", (e) => e.hidden), line + ": " + (await text(page, "#error")));
    // The address is written anew.
    await page.evaluate(() => document.getElementById("form").dispatchEvent(new Event("input")));
    await settled(page);
    assert.equal(await page.evaluate("location.hash"), fragment, line);
    const typed = (await text(page, "#command"))
      .split(" ")
      .slice(1)
      .map((w) => w.replace(/^'|'$/g, ""));
    assert.equal(native(["link", ...typed]).stdout.trim(), fragment, "the command line of " + line);
  }
  await visit(page, "#samplesize?looks=10&tau=0.1&beta=0.05&query=difference&disagreement=0.1&checked");
  await page.evaluate(() => document.getElementById("form").dispatchEvent(new Event("input")));
  await settled(page);
  const asked = "-m 10 -t 0.1 -b 0.05 --query difference --disagreement 0.1 --enforce";
  assert.equal(await page.evaluate("location.hash"), native(["link", "samplesize", ...asked.split(" ")]).stdout.trim());
  await visit(page, "#samplesize?queries=10&tau=0.1&beta=0.05&.x=tau&.y=queries&.unheard=of&.v=7");
  assert.equal(await page.$eval("#axis-x", (e) => e.value), "tau");
  await page.close();
});

test("every unknown has its answer", async () => {
  const page = await opened(address + "#samplesize?samples=20k&queries=200&tau=0.05&beta=0.05");
  await settled(page);
  assert.equal(await value(page), null);
  assert.match(await text(page, "#answer"), /^Yes/);
  for (const unknown of ["samples", "queries", "tau", "beta"]) {
    await page.$eval(`#unknowns [value=${unknown}]`, (e) => e.click());
    await settled(page);
    const rows = JSON.parse(
      (
        await page.evaluate(
          (w) => dpcalc.run(w),
          [...(await text(page, "#command")).split(" ").slice(1), "--format=json"],
        )
      ).stdout,
    ).rows;
    assert.equal(Number(await value(page)), rows.find((r) => r.best)[unknown], unknown);
    await page.$eval("#unknowns [value=none]", (e) => e.click());
    await settled(page);
  }
  await page.close();
});

test("it begins with advice, says it aloud, and says what is not promised", async () => {
  const page = await opened(address);
  await settled(page);
  assert.match(await text(page, "#answer"), /^Seal rows for the finalist: the finalists' scores alone with the margin 0\.\d+, by sealed\.$/);
  assert.equal(await page.$eval("#answer", (e) => e.getAttribute("aria-live")), "polite");
  assert.match(await text(page, "#says"), /holdout init DIR --labels FILE -n 2500 -m 1 -b 0\.05 --query binary --feedback final/);
  assert.match(await text(page, "#says"), /Not guaranteed.*the same rows were labelled again/);
  const asked = () =>
    page.$$eval("#panel-advise .field:not([hidden]) [data-flag]", (es) => es.map((e) => e.dataset.flag));
  assert.ok((await asked()).includes("query") && !(await asked()).includes("outcomes"));
  await type(page, "goal", "p-value");
  await type(page, "selection", "menu");
  assert.ok((await asked()).includes("outcomes") && !(await asked()).includes("query"));
  await visit(page, "#samplesize?samples=1k&queries=1000&tau=0.1&beta=0.05");
  await page.waitForFunction(() => document.getElementById("answer").textContent.startsWith("No:"));
  const digits = (await text(page, "#answer")).replace(/(\d)\u202f/g, "$1");
  assert.match(digits, new RegExp(`It takes ${fewest()} rows\\. These rows give 0\\.\\d+\\.`));
  assert.ok(await page.evaluate(() => document.querySelector("#says, #buttons") !== null));
  assert.ok(!(await text(page, "#buttons")).includes("Workbook"));
  await page.close();
});

test("the margin of an open ledger is drawn against looks and passes, and references are named", async () => {
  const page = await opened(address + "#samplesize?samples=5k&queries=151&beta=0.05&feedback=gate&passes=6&open");
  await curveDrawn(page);
  assert.match(await text(page, "#figure"), /hoeffding-kl \(reference\)/);
  await page.select("#axis-x", "passes");
  await curveDrawn(page);
  assert.match(
    await page.$eval("#figure", (e) => e.getAttribute("aria-label")),
    /^Margin against passes or raises for open-gate/,
  );
  if (pictures) await page.screenshot({ path: path.join(pictures, "open-passes.png"), fullPage: true });
  const tau = (await text(page, "#reading")).match(/open-gate (0\.\d+)/)[1];
  const words = "samplesize -n 5k -m 151 -b 0.05 --feedback gate --passes 6 --open --method open-gate -f json".split(" ");
  assert.ok(Number(tau) > 0 && Math.abs(Number(tau) / JSON.parse(native(words).stdout).rows[0].tau - 1) < 0.2);
  await page.close();
});

test("what is shown is a choice, and its answer is the program's", async () => {
  const page = await opened(plan);
  await settled(page);
  for (const [label, line, says] of [
    ["gate", "--feedback gate", /^\d+ rows are enough for a gate with 1000 tests, that nothing passes below its bar/],
    ["leaderboard", "--feedback best", /to show the best of 1000 scores so far, always within 0\.1 of/],
    ["finalists", "--feedback final", /to show 1000 scores once and together, each within 0\.1 of its true value/],
    ["pass or fail, and nobody knows", "--open --feedback gate", /for a test that is number 1000 to be judged to within 0\.1/],
    ["so far, and nobody knows", "--open --feedback best", /to show the best of 1000 scores so far, within 0\.1 of/],
    ["every score", "", /to show 1000 scores, each within 0\.1 of its true value, except with probability 0\.05\.$/],
  ]) {
    await page.evaluate((l) => {
      const shown = document.getElementById("shown");
      document.getElementById("result").setAttribute("aria-busy", "true");
      shown.value = [...shown.options].find((o) => o.textContent.includes(l)).value;
      shown.dispatchEvent(new Event("input", { bubbles: true }));
    }, label);
    await settled(page);
    const goal = "samplesize -m 1000 -t 0.1 -b 0.05 -f json " + line;
    const best = JSON.parse(native(goal.trim().split(" ")).stdout).rows.find((r) => r.best);
    assert.equal(Number(await value(page)), best.samples, label);
    assert.match((await text(page, "#answer")).replace(/(\d)\D(?=\d{3} rows)/g, "$1"), says);
  }
  await page.close();
});

test("a p-value tab read backwards gives what was left out", async () => {
  const page = await opened(address);
  for (const [line, name] of [
    ["-a 0.05 --by pure-dp -n 10k --target-threshold 0.01", "epsilon"],
    ["-a 0.05 --by pure-dp --epsilon 0.01 --survives 0.001", "samples"],
    ["-a 0.05 --by description --target-threshold 0.01", "outcomes"],
    ["--by pure-dp --epsilon 0.01 -n 10k --level 0.99", "alpha"],
  ]) {
    const words = ["pvalue-correct", ...line.split(" ")];
    await visit(page, native(["link", ...words]).stdout.trim());
    await page.waitForFunction((n) => document.getElementById("answer").textContent.includes(n), {}, name);
    const best = JSON.parse(native([...words, "-f", "json"]).stdout).rows.find((r) => r.best);
    assert.equal(Number(await value(page)), best[name], line);
    assert.equal(await text(page, "#answer"), /^\* (.*)$/m.exec(native(words).stdout)[1]);
  }
  await page.close();
});

test("both axes of the curve can be chosen, and the keyboard reads it", async () => {
  const page = await opened(plan);
  await curveDrawn(page);
  await page.select("#axis-y", "tau");
  await page.select("#axis-x", "beta");
  await curveDrawn(page);
  assert.match(
    await page.$eval("#figure", (e) => e.getAttribute("aria-label")),
    /^Margin against failure probability/,
  );
  const before = await text(page, "#reading");
  await page.focus("#point");
  await page.keyboard.press("ArrowLeft");
  const after = await text(page, "#reading");
  assert.notEqual(after, before);
  assert.match(after, /^failure probability .*gaussian-schedule 0\.\d+/);
  assert.match(await page.evaluate("location.hash"), /\.x=beta&\.y=tau$/);
  await page.close();
});

test("an error is the program's line beside its input, and the last answer is greyed", async () => {
  const page = await opened(plan);
  await settled(page);
  await type(page, "tau", "2");
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  assert.equal(
    await text(page, "#error"),
    native(["samplesize", "--queries", "1000", "--tau", "2", "--beta", "0.05"]).stderr.trim(),
  );
  assert.equal(await page.$eval("#panel-samplesize [data-flag=tau]", (e) => e.getAttribute("aria-invalid")), "true");
  assert.equal(Number(await value(page)), fewest());
  assert.ok(await page.$eval("#result", (e) => e.classList.contains("stale")));
  await type(page, "tau", "10%");
  await page.waitForFunction(() => document.getElementById("error").hidden);
  assert.ok(!(await page.$eval("#result", (e) => e.classList.contains("stale"))));
  await page.close();
});

test("nonsense in the address shows its error, and nothing is evaluated", async () => {
  const page = await opened(address);
  for (const fragment of [
    "#nonsense",
    "#samplesize?<script>heard=1</script>=1",
    "#samplesize?queries",
    "#samplesize?queries=%zz",
    "#constructor?a=b",
    "#%",
    "#samplesize?tau=1e999&queries=x&beta=<img src=x onerror=heard>",
    "#pvalue-correct?step=%3Cb%3E&by=steps&alpha=0.05",
    "#explain?=" + "x".repeat(9000),
    "#samplesize?" + "queries=1&".repeat(990),
    "#" + "y".repeat(20000),
    "#samplesize?feedback=nonsense&queries=1&tau=0.1&beta=0.05",
    "#samplesize?output=x.csv&queries=1&tau=0.1&beta=0.05",
  ]) {
    await visit(page, "#methods");
    await page.evaluate((f) => {
      location.hash = f;
    }, fragment);
    await page.waitForFunction(() => !document.getElementById("error").hidden, { timeout: 10_000 });
    assert.match(await text(page, "#error"), /^dpcalc: ./, fragment);
    assert.equal(await page.$$eval("main b, main img, main script", (es) => es.length), 0);
    await page.evaluate(() => {
      location.hash = "#samplesize?queries=10&tau=0.1&beta=0.05";
    });
    await page.waitForFunction(
      () => document.getElementById("error").hidden && document.getElementById("answer").dataset.value > 0,
    );
  }
  await page.close();
});

test("a newer input cancels an older computation", async () => {
  const page = await opened(plan);
  await settled(page);
  await type(page, "queries", "1:20k:1"); // minutes
  await new Promise((resolve) => setTimeout(resolve, 600));
  const begun = performance.now();
  await type(page, "queries", "7");
  await page.waitForFunction(
    () =>
      document.getElementById("result").getAttribute("aria-busy") === "false" &&
      location.hash.includes("queries=7&"),
  );
  const want = JSON.parse(
    native(["samplesize", "-m", "7", "-t", "0.1", "-b", "0.05", "-f", "json"]).stdout,
  ).rows.find((r) => r.best).samples;
  assert.equal(Number(await value(page)), want);
  console.log(`  answered ${Math.round(performance.now() - begun)} ms after it`);
  await page.close();
});

test("files are those of the command line", async () => {
  const page = await opened(plan);
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: scratch });
  await curveDrawn(page);
  native(["samplesize", "-m", "1000", "-t", "0.1", "-b", "0.05", "--schedule", "want.csv"]);
  const saved = async (label, file) => {
    await page.evaluate(
      (l) => [...document.querySelectorAll("#buttons button")].find((b) => b.textContent === l).click(),
      label,
    );
    for (let i = 0; i < 100 && !fs.existsSync(path.join(scratch, file)); i++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    return fs.readFileSync(path.join(scratch, file), "utf8");
  };
  assert.equal(
    await saved("Save noise schedule (CSV)", "noise.csv"),
    fs.readFileSync(path.join(scratch, "want.csv"), "utf8"),
  );
  assert.equal(
    await saved("Save table (CSV)", "samplesize.csv"),
    native(["samplesize", "-m", "1000", "-t", "0.1", "-b", "0.05", "-f", "csv"]).stdout,
  );
  assert.match(
    await saved("Save curve (SVG)", "curve.svg"),
    /^<svg (?!.*var\().* xmlns="http:\/\/www.w3.org\/2000\/svg"/s,
  );
  await page.close();
});

test("the answer, the command and the curve are on the first screen, of a laptop and of a telephone", async () => {
  const page = await opened(plan);
  for (const [width, height] of [
    [1200, 900],
    [390, 844],
  ]) {
    await page.setViewport({ width, height });
    await page.evaluate(() => location.reload());
    await page.waitForFunction(() => "dpcalc" in window);
    await curveDrawn(page);
    for (const selector of ["#answer", "#command", "#figure"])
      assert.ok(
        await page.$eval(selector, (e) => {
          const box = e.getBoundingClientRect();
          return box.top >= 0 && box.bottom <= innerHeight && box.width > 0;
        }),
        `${selector} on ${width} x ${height}`,
      );
    // docs/img/page.png is the picture of a laptop
    if (pictures) await page.screenshot({ path: path.join(pictures, `page-${width}.png`) });
  }
  await page.close();
});

test("every blank is reached by the keyboard and has a name", async () => {
  const page = await opened(address + "#advise?samples=5000&queries=150");
  await settled(page);
  const blanks = await page.$$eval("#panel-advise .field:not([hidden]) [data-flag]", (es) =>
    es.map((e) => [e.dataset.flag, e.labels[0]?.textContent.endsWith("?")]),
  );
  await page.focus("#tab-advise");
  for (const [flag, named] of blanks) {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.flag), flag);
    assert.ok(named, flag);
  }
  await page.close();
});

test("steps are edited in order", async () => {
  const page = await opened(
    address +
      "#pvalue-correct?alpha=0.05&by=steps&samples=10k&step=pure-dp%3Aepsilon%3D0.01&step=description%3Aoutcomes%3D3",
  );
  await settled(page);
  const press = (label) =>
    page.evaluate(
      (l) => [...document.querySelectorAll("#pvalue-steps button")].find((b) => b.textContent === l).click(),
      label,
    );
  await press("Step 2 earlier");
  assert.match(await text(page, "#command"), /description:outcomes=3 --step pure-dp/);
  await press("Remove step 1");
  assert.ok(!(await text(page, "#command")).includes("description"));
  await press("Add a step");
  await settled(page);
  assert.match(await text(page, "#error"), /^dpcalc: --step/);
  await page.close();
});

test("a host serves it with one request", async () => {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url);
    response.setHeader("Content-Type", "text/html; charset=iso-8859-1"); // a careless host
    fs.createReadStream(pageFile).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await opened(
    `http://127.0.0.1:${server.address().port}/#samplesize?queries=1000&tau=0.1&beta=0.05`,
  );
  await settled(page);
  assert.equal(Number(await value(page)), fewest());
  assert.deepEqual(asked, ["/"]);
  await page.close();
  server.close();
});

test("a damaged page says so", async () => {
  const [before, program, after] = fs.readFileSync(pageFile, "latin1").split(/(?<=id="program">)([^<]*)/);
  const swapped = (i) => program.slice(0, i) + (program[i] === "a" ? "b" : "a") + program.slice(i + 1);
  const middle = program.lastIndexOf("c", program.length / 2);
  for (const bad of ["", program.slice(0, middle), swapped(middle), swapped(program.lastIndexOf("c"))]) {
    const file = path.join(scratch, "damaged.html");
    fs.writeFileSync(file, before + bad + after, "latin1");
    const page = await opened(pathToFileURL(file).href, "dpcalc.ready.catch(() => null)");
    await page.waitForFunction(() => !document.getElementById("error").hidden);
    assert.match(await text(page, "#error"), /this page is damaged/);
    await page.close();
  }
});

const shown = {
  samplesize: "#samplesize?queries=1000&tau=0.1&beta=0.05",
  pvalue: "#pvalue-correct?alpha=0.05&by=steps&p=0.003&samples=10k&step=pure-dp%3Aepsilon%3D0.01",
  advise: "#advise?goal=p-value&selection=menu",
  ways: "#advise?samples=500&queries=9",
  compose: "#compose?epsilon=0.1&times=100&target-delta=1e-6",
  explain: "#explain?=tau",
  begin: "",
  check: "#samplesize?samples=1k&queries=1000&tau=0.1&beta=0.05",
  error: "#samplesize?queries=1000&tau=oops&beta=0.05",
};

test("it is accessible by the rules of WCAG AA, in light, dark and on narrow screens", async () => {
  const page = await opened(address);
  for (const [name, fragment] of Object.entries(shown)) {
    await page.evaluate((f) => {
      location.hash = f;
    }, fragment);
    if (name === "samplesize") await curveDrawn(page);
    await settled(page);
    const screens = [
      ["light", 1100],
      ["dark", 360],
      ...(name === "samplesize" || pictures
        ? [
            ["dark", 1100],
            ["light", 700],
          ]
        : []),
    ];
    for (const [scheme, width] of screens) {
      await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value: scheme },
        { name: "prefers-reduced-motion", value: "reduce" },
      ]);
      await page.setViewport({ width, height: 900 });
      await page.$$eval("details.more", (ds) =>
        ds.forEach((d) => {
          d.open = true;
        }),
      );
      if (pictures)
        await page.screenshot({ path: path.join(pictures, `${name}-${scheme}-${width}.png`), fullPage: true });
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${name} is wider than ${width}`,
      );
      if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
      const problems = await page.evaluate(async (stale) => {
        const { violations } = await axe.run(
          { exclude: stale ? [["#result"]] : [] },
          { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] },
        );
        return violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).join(", "));
      }, name === "error");
      assert.deepEqual(problems, [], `${name}, ${scheme}, ${width}`);
    }
  }
  await page.close();
});

let failed = 0;
for (const [name, f] of tests) {
  heard.length = 0;
  try {
    await f();
    assert.deepEqual(heard, [], "the console or the network");
    console.log("ok   " + name);
  } catch (error) {
    failed++;
    console.log("FAIL " + name + "\n" + error.stack + (heard.length ? "\nheard: " + heard.join("\n") : ""));
  }
}
await browser.close();
fs.rmSync(scratch, { recursive: true });
process.exit(failed ? 1 : 0);
