// Tests every page and every action of the dashboard on a real controller: node dashboard.mjs LINK PICTURES
// LINK: as `gpu-platform dashboard --role admin` prints it.  Needs a simulated node dgx-h100-0 with healthy GPUs.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { openBrowser, until, violations } from "./browser.mjs";
import payloads from "./payloads.mjs";

const [link, pictures] = process.argv.slice(2);
const [origin, secret] = link.split("/#token=");
mkdirSync(pictures, { recursive: true });
const NAME = "controller.example";
const browser = await openBrowser(origin, NAME);

async function api(method, path, body) {
  const answer = await fetch(origin + path, { method, headers: { Authorization: `Bearer ${secret}`, ...(body ? { "Content-Type": "application/json" } : {}) }, body: body && JSON.stringify(body) });
  const told = await answer.json();
  assert.ok(answer.ok, `${method} ${path}: ${JSON.stringify(told)}`);
  return told;
}
const submit = async (spec, count = 1) => (await api("POST", "/api/v1/jobs", { specs: [spec], count })).job_ids;
const job = (id) => api("GET", `/api/v1/jobs/${id}`);
const gpu = async (index) => (await api("GET", "/api/v1/cluster")).nodes[0].gpus[index];
const step = async (name, run) => {
  const begun = Date.now();
  await run();
  browser.check(name);
  console.log(`ok  ${name}  ${((Date.now() - begun) / 1000).toFixed(1)} s`);
};
const logIn = async (theme) => {
  const page = await browser.newPage(theme);
  await page.goto(link);
  await page.getByRole("navigation").waitFor();
  return page;
};
const open = async (page, path) => {
  await page.goto(`${origin}/#/${path}`);
  await page.locator("main h1").waitFor();
};
const confirm = async (page, title) => {
  const dialog = page.getByRole("dialog");
  await dialog.getByText("gpu-platform ").first().waitFor(); // the equivalent command
  await dialog.getByText("curl -X").waitFor();
  await dialog.locator("button[type=submit]").click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByText(`${title}: done`).waitFor({ state: "attached" });
};

// Runs in the page.  Describes elements wider than the window or their panel, and a title hidden by the top bar.
const misplaced = () => {
  const right = (element) => Math.floor(element.getBoundingClientRect().right);
  const told = [...document.querySelectorAll(".panel > *")].filter((one) => right(one) > right(one.parentElement)).map((one) => `${one.tagName} of "${one.parentElement.innerText.slice(0, 30)}"`);
  const [title, top] = [document.querySelector("main h1"), document.querySelector(".top")].map((one) => one.getBoundingClientRect());
  if (scrollY > 0 && title.top < top.bottom) told.push("the title is hidden");
  if (document.documentElement.scrollWidth > innerWidth) told.push(`the page is ${document.documentElement.scrollWidth} wide`);
  return told;
};

const HOUR = 3_600_000;
const [running] = await submit({ name: "train", command: ["sh", "-c", "for i in $(seq 1000); do echo step $i; sleep 0.2; done"], gpus: { count: 2 }, time_limit_ms: 3 * HOUR });
const [waiting] = await submit({ name: "large", command: ["true"], gpus: { count: 8 }, time_limit_ms: HOUR });
const [failed] = await submit({ name: "broken", command: ["sh", "-c", "echo no such file >&2; exit 3"], gpus: { count: 1 }, time_limit_ms: HOUR });
const reports = (lines) => ["sh", "-c", lines.replaceAll(/metric [^;]*/g, (line) => `echo "${line}" > $GP_REPORT`)];
const [curves] = await submit({ name: "curves", command: reports("metric step=1 train/loss=0.5 grad/norm=2; for i in $(seq 2 5000); do metric step=$i train/loss=0.4$i grad/norm=nan; sleep 0.2; done"), gpus: { count: 1 }, time_limit_ms: HOUR });
const [other] = await submit({ name: "other-curves", command: reports("for i in 1 2 3; do metric step=$i train/loss=0.$i; sleep 1.1; done"), gpus: { count: 1 }, time_limit_ms: HOUR });
const series = async (id, name) => (await api("GET", `/api/v1/jobs/${id}/metrics`)).series.find((one) => one.name === name);
await until("one job is running and another one has failed", async () => (await job(running)).state === "RUNNING" && (await job(failed)).state === "FAILED");
await until("two jobs have reported metrics", async () => (await series(curves, "grad/norm"))?.not_finite_since > 0 && (await series(other, "train/loss"))?.last.step === 3);

await step("a user without a token must log in, and a wrong token is reported", async () => {
  const page = await browser.newPage();
  await page.goto(`${origin}/`);
  await page.getByLabel("Token").fill("gpp_" + "0".repeat(64));
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByLabel("Token").fill(secret);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByRole("button", { name: "log out" }).click();
  await page.getByLabel("Token").waitFor();
  await page.evaluate((hash) => { location.hash = hash; }, `#token=${secret}`); // a link opened in the same tab
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.ok(!page.url().includes("gpp_"), "the token is still in the address");
  await page.context().close();
});

const PAGES = { overview: "", jobs: "jobs", running: `jobs/${running}`, waiting: `jobs/${waiting}`, failed: `jobs/${failed}`, metrics: `jobs/${curves}?compare=${other}`, fleet: "fleet", fleet_table: "fleet?as=table", node: "nodes/dgx-h100-0", gpu: "gpus/dgx-h100-0/0", queues: "queues", costs: "costs",
  incidents: "incidents", submit: "submit", scheduler: "scheduler", access: "access", audit: "audit", settings: "settings", docs: "docs" };
const one_line = (text) => text.replaceAll(/\p{Cc}/gu, " ");
const inHours = (hours) => Date.now() + hours * HOUR;
await api("PUT", "/api/v1/reservations/rack-work", { nodes: ["dgx-h100-0"], start_ms: inHours(24), end_ms: inHours(26), maintenance: true, note: one_line(payloads[0]) });
await api("PUT", "/api/v1/reservations/course", { nodes: ["dgx-h100-0"], start_ms: inHours(48), end_ms: inHours(60), users: ["ana"] });
for (const theme of ["dark", "light"]) {
  await step(`every page, ${theme}, is accessible and fits its window`, async () => {
    const page = await logIn(theme);
    assert.ok(!page.url().includes("gpp_"), "the token is still in the address");
    for (const [name, path] of Object.entries(PAGES)) {
      await open(page, path);
      await page.waitForTimeout(700);
      await page.screenshot({ path: `${pictures}/${name}-${theme}.png` });
      assert.deepEqual(await violations(page), [], `${name} ${theme}`);
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        let told = await page.evaluate(misplaced);
        for (let tries = 0; told.length > 0 && tries < 50; ++tries) { // charts adapt to the window a moment later
          await page.waitForTimeout(100);
          told = await page.evaluate(misplaced);
        }
        assert.deepEqual(told, [], `${name} ${theme} in a window ${width} wide`);
      }
      await page.setViewportSize({ width: 1400, height: 900 });
    }
    await open(page, "nowhere/at/all").catch(() => {});
    await page.getByText("Page not found").waitFor();
    await page.context().close();
  });
}

const page = await logIn("dark");
await step("maintenance and reservations are drawn in separate calendars", async () => {
  await open(page, "incidents");
  await page.getByRole("img", { name: /^rack-work, dgx-h100-0: / }).waitFor();
  assert.equal(await page.getByRole("img", { name: /^course/ }).count(), 0);
  await open(page, "queues");
  await page.getByRole("img", { name: /^course, dgx-h100-0: / }).waitFor();
  for (const name of ["rack-work", "course"]) await api("DELETE", `/api/v1/reservations/${name}`);
  await page.getByText("No reservations.").waitFor();
});
await step("a job page draws the job's time and GPUs", async () => {
  await open(page, `jobs/${running}`);
  await page.getByRole("img", { name: /^attempt 1: .*running \d+/ }).waitFor();
  await page.getByRole("img", { name: /^Busy, memory and power/ }).waitFor();
  await page.locator(".fleet .cell.own").first().waitFor();
  const own = (await job(running)).attempts[0].ranks[0].gpus.length;
  assert.equal(await page.locator(".fleet .cell.own").count(), own, "the job's own GPUs are highlighted");
  assert.equal(await page.locator(".fleet .cell").count(), 8, "all GPUs of the node are drawn");
  await open(page, `jobs/${waiting}`);
  await page.getByRole("img", { name: /^first attempt: waiting \d+/ }).waitFor();
});
// Runs in the page.  Whether a chart has a line of a colour of app.css.
const hasColour = (chart, name) => {
  const [red, green, blue] = getComputedStyle(document.documentElement).getPropertyValue(name).trim().match(/[0-9a-f]{2}/g).map((one) => parseInt(one, 16));
  const canvas = chart.querySelector("canvas");
  const of = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 0; i < of.length; i += 4) if (Math.abs(of[i] - red) + Math.abs(of[i + 1] - green) + Math.abs(of[i + 2] - blue) < 30 && of[i + 3] > 200) return true;
  return false;
};
await step("a job page draws the metrics that the job reports, and those of other jobs beside them", async () => {
  await open(page, `jobs/${curves}`);
  const chart = (name) => page.getByRole("img", { name: new RegExp(`^${name}: last `) });
  const stepOf = async () => Number((await chart("train/loss").getAttribute("aria-label")).match(/at step ([\d,]+)/)[1].replace(",", ""));
  await chart("train/loss").waitFor();
  assert.match(await chart("grad/norm").getAttribute("aria-label"), /last NaN at step/);
  await page.getByText(`NaN since step ${(await series(curves, "grad/norm")).not_finite_since}`, { exact: true }).waitFor();
  assert.equal(await page.locator(".curve").count(), 2);
  const canvas = await chart("train/loss").locator("canvas").elementHandle();
  const drawn = () => chart("train/loss").locator(".u-value").allTextContents(); // the last values of its lines
  const [first, before] = [await stepOf(), await drawn()];
  await until("new values are shown and drawn", async () => (await stepOf()) > first && (await drawn()).join() !== before.join());
  assert.ok(await canvas.evaluate((one) => one.isConnected), "the same plot draws them");
  assert.ok(await chart("train/loss").evaluate(hasColour, "--used"));
  assert.ok(!(await chart("train/loss").evaluate(hasColour, "--waiting")), "there is no other job yet");

  await page.getByLabel("Compare with").fill(`${other}, no-such-job`);
  await page.getByLabel("Compare with").press("Enter");
  await page.getByRole("alert").filter({ hasText: "no-such-job" }).waitFor();
  await page.getByRole("img", { name: new RegExp(`^train/loss: .*; ${other}: last 0\\.3$`) }).waitFor();
  const lines = async () => (await chart("train/loss").locator(".u-series:not(.bound) .u-label").allTextContents()).join();
  await until("each line has the name of its job", async () => (await lines()) === ["step", `${curves} curves`, `${other} other-curves`].join());
  for (const name of ["--used", "--waiting"]) await until(`a line in ${name}`, () => chart("train/loss").evaluate(hasColour, name));
  await page.getByLabel("logarithmic").check();
  await page.getByLabel("show superseded").check();
  await until("the address has the view", () => /compare=.*no-such-job.*log=1.*superseded=1/.test(page.url()));
  await page.reload(); // what the address shows to somebody else
  await page.getByRole("alert").filter({ hasText: "no-such-job" }).waitFor();
  assert.ok(await page.getByLabel("logarithmic").isChecked());
  await page.getByRole("img", { name: new RegExp(`; ${other}: last`) }).waitFor();
  await open(page, `jobs/${failed}`);
  await page.getByText("Ranks and output").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Metrics" }).count(), 0, "it has not reported any");
  await api("POST", `/api/v1/jobs/${curves}:stop`, { force: true });
});
await step("of many metrics, the first are drawn, and others on demand", async () => {
  const [id] = await submit({ name: "many-curves", command: reports(`metric step=1 ${Array.from({ length: 14 }, (_, i) => `layer/${10 + i}=${i}e-7`).join(" ")};`), gpus: { count: 1 }, time_limit_ms: HOUR });
  await until("it has reported all", async () => (await series(id, "layer/23"))?.last.step === 1);
  await open(page, `jobs/${id}`);
  const charts = async () => (await page.locator(".curve h3").allTextContents()).map((one) => Number(one.replace("layer/", "")));
  await until("12 charts", async () => (await charts()).length === 12);
  assert.deepEqual(await charts(), Array.from({ length: 12 }, (_, i) => 10 + i));
  await page.getByRole("button", { name: "show all 14" }).click();
  await until("14 charts", async () => (await charts()).length === 14);
  await page.getByLabel("Filter").fill("23");
  await page.getByRole("img", { name: "layer/23: last 1.3e-6 at step 1", exact: true }).waitFor();
  await until("one chart", async () => (await charts()).join() === "23");
});
await step("settings show the policy and the receivers", async () => {
  await open(page, "settings");
  await page.getByRole("cell", { name: "10m" }).first().waitFor();
  await page.getByText("No receivers").waitFor();
  await page.getByLabel("only changed values").check();
  await page.getByText("All values are defaults.").waitFor();
  await page.getByLabel("policy", { exact: true }).getByText("min_run: 10m").waitFor();
});
await step("a job is submitted and cancelled", async () => {
  await api("POST", `/api/v1/jobs/${waiting}:stop`, {}); // its backfill reservation would keep out jobs without a time limit
  await open(page, "submit");
  await page.getByLabel("Name").fill("from-a-page");
  await page.getByText(/The job would (start now|wait)/).waitFor();
  await page.getByRole("button", { name: "Submit …" }).click();
  await confirm(page, "Submit");
  await page.waitForURL(/#\/jobs\/job-/);
  const id = page.url().split("/").pop();
  assert.equal((await job(id)).spec.name, "from-a-page");
  await until("the job is over", async () => ["FAILED", "COMPLETED"].includes((await job(id)).state));
  await open(page, `jobs/${running}`);
  await page.getByRole("button", { name: "Output of rank 0" }).click();
  await page.getByText(/step \d+/).first().waitFor();
  await page.getByRole("button", { name: "cancel" }).click();
  await confirm(page, `Cancel ${running}`);
  await until("the job is cancelled", async () => (await job(running)).state === "CANCELLED");
});
await step("a submit whose answer is lost is sent again, and makes one job", async () => {
  const far = await browser.newPage();
  await far.goto(link.replace("127.0.0.1", NAME));
  await far.getByRole("navigation").waitFor();
  assert.equal(await far.evaluate(() => isSecureContext), false);
  const keys = [];
  await far.route("**/api/v1/jobs", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    if (keys.length > 1) return route.continue();
    await route.fetch({ url: route.request().url().replace(NAME, "127.0.0.1") });
    await route.abort();
  });
  await far.goto(`${origin.replace("127.0.0.1", NAME)}/#/submit`);
  await far.getByLabel("Name").fill("sent-twice");
  await far.getByText(/The job would (start now|wait)/).waitFor();
  await far.getByRole("button", { name: "Submit …" }).click();
  const dialog = far.getByRole("dialog");
  await dialog.getByRole("button", { name: "copy command" }).click();
  await dialog.getByRole("button", { name: "copied" }).waitFor();
  assert.match(await far.evaluate(() => String(getSelection())), /^gpu-platform .*sent-twice/);
  await dialog.locator("button[type=submit]").click();
  await dialog.getByText("the controller does not answer").waitFor();
  await dialog.locator("button[type=submit]").click();
  await far.waitForURL(/#\/jobs\/job-/);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  const all = (await api("GET", "/api/v1/jobs?all=true")).jobs;
  assert.equal(all.filter((one) => one.spec.name === "sent-twice").length, 1);
  await far.context().close();
});
await step("a job is held, released and killed", async () => {
  const [held] = await submit({ name: "held", command: ["true"], gpus: { count: 8 }, nodes: 50, wait_for_nodes: true });
  await open(page, `jobs/${held}`);
  await page.getByRole("button", { name: "hold" }).click();
  await confirm(page, `Hold ${held}`);
  await until("the job is held", async () => (await job(held)).detail === "HELD");
  await page.getByRole("button", { name: "release" }).click();
  await confirm(page, `Release ${held}`);
  await until("the job is released", async () => (await job(held)).detail !== "HELD");
  await page.getByRole("button", { name: "kill" }).click();
  await confirm(page, `Kill ${held}`);
  await until("the job is over", async () => (await job(held)).state === "CANCELLED");
});
await step("a refused job is reported on the page", async () => {
  await open(page, "submit");
  await page.getByLabel("Job as JSON").fill('{"command": ["true"], "gpus": {"count": -1}}');
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /gpus\.count/);
  await page.getByLabel("Job as JSON").fill("{");
  await page.getByText("Invalid JSON").waitFor();
});
await step("a GPU is drained, taken offline and brought back online", async () => {
  for (const [button, title, is_so] of [["drain", "Drain", (one) => one.draining], ["offline", "Offline", (one) => one.state === "OFFLINE"], ["online", "Online", (one) => one.state === "AVAILABLE" && !one.draining]]) {
    await open(page, "gpus/dgx-h100-0/7");
    await page.getByRole("button", { name: button, exact: true }).click();
    if (button !== "online") await page.getByLabel("Reason").fill("fan");
    await confirm(page, `${title} dgx-h100-0/7`);
    await until(title, async () => is_so(await gpu(7)));
  }
});
await step("a drain needs a reason and takes a deadline, in the dialog as in the command", async () => {
  await open(page, "gpus/dgx-h100-0/7");
  await page.getByRole("button", { name: "drain", exact: true }).click();
  const dialog = page.getByRole("dialog");
  assert.deepEqual(await violations(page), []);
  const send = dialog.locator("button[type=submit]");
  await send.click(); // without a reason the browser sends nothing
  assert.ok(await dialog.getByLabel("Reason").evaluate((input) => !input.validity.valid), "a reason is required");
  await dialog.getByLabel("Reason").fill("new cables in rack 7");
  await dialog.getByLabel("Deadline").fill("2 hours");
  await send.click();
  assert.match(await dialog.getByLabel("Deadline").evaluate((input) => input.validationMessage), /1d12h/);
  assert.ok(!(await gpu(7)).draining, "nothing was sent");
  await dialog.getByLabel("Deadline").fill("1d12h");
  await dialog.getByText("gpu-platform drain --gpu-id dgx-h100-0/7 --reason 'new cables in rack 7' --deadline 1d12h").waitFor();
  await dialog.getByText('"deadline_ms":129600000').waitFor();
  await confirm(page, "Drain dgx-h100-0/7");
  await until("the GPU is draining and shows the reason", async () => (await gpu(7)).draining && (await gpu(7)).reason.includes("new cables in rack 7"));
  await open(page, "gpus/dgx-h100-0/7");
  await page.getByRole("button", { name: "offline", exact: true }).click();
  assert.equal(await dialog.getByLabel("Reason").inputValue(), "", "the dialog starts empty");
  assert.equal(await dialog.getByLabel("Deadline").count(), 0);
  await dialog.getByRole("button", { name: "Back" }).click();
  await api("POST", "/api/v1/cluster:service", { gpu: "dgx-h100-0/7", action: "ONLINE" });
  await until("the GPU is back online", async () => (await gpu(7)).state === "AVAILABLE" && !(await gpu(7)).draining);
});
await step("a draining node with a running job is DRAINING and not OFFLINE", async () => {
  const [id] = await submit({ name: "stays", command: ["sleep", "1000"], gpus: { count: 1 }, time_limit_ms: HOUR });
  await until("the job is running", async () => (await job(id)).state === "RUNNING");
  await api("POST", "/api/v1/cluster:service", { node: "dgx-h100-0", action: "DRAIN", reason: "new cables" });
  await open(page, "fleet");
  const tile = page.getByRole("region", { name: "dgx-h100-0" });
  await tile.getByText("DRAINING", { exact: true }).waitFor();
  assert.equal(await tile.getByText("OFFLINE", { exact: true }).count(), 0);
  await page.locator(".legend li").filter({ hasText: "in use, draining" }).getByText("1", { exact: true }).waitFor();
  await open(page, "nodes/dgx-h100-0");
  await page.locator("main h1").getByText("DRAINING", { exact: true }).waitFor();
  await api("POST", "/api/v1/cluster:service", { node: "dgx-h100-0", action: "ONLINE" });
  await open(page, "fleet");
  await tile.getByText("UP", { exact: true }).waitFor();
  await api("POST", `/api/v1/jobs/${id}:stop`, { force: true });
  await until("its GPUs are available again", async () => (await api("GET", "/api/v1/cluster")).nodes[0].gpus.every((one) => one.state === "AVAILABLE"), 30);
});
await step("a token is created, used and revoked", async () => {
  await open(page, "access");
  await page.getByLabel("Purpose").fill("by hand");
  await page.getByRole("button", { name: "create …" }).click();
  await confirm(page, "Create a token");
  const made = (await page.getByLabel("token", { exact: true }).innerText()).trim();
  assert.equal((await fetch(`${origin}/api/v1/self`, { headers: { Authorization: `Bearer ${made}` } })).status, 200);
  const tokens = (await api("GET", "/api/v1/tokens")).tokens;
  const row = page.getByRole("row").filter({ hasText: tokens.find((one) => one.label === "by hand").id });
  await row.getByRole("button", { name: "revoke" }).click();
  await confirm(page, `Revoke ${tokens.find((one) => one.label === "by hand").id}`);
  assert.equal((await fetch(`${origin}/api/v1/self`, { headers: { Authorization: `Bearer ${made}` } })).status, 401);
});

await step("by keyboard alone: open a pending job, read its pending reasons, cancel it", async () => {
  const [id] = await submit({ name: "by-keys", command: ["true"], gpus: { count: 8 }, nodes: 50, wait_for_nodes: true });
  await open(page, "");
  await page.waitForTimeout(500);
  await page.keyboard.press("Control+k");
  await page.keyboard.type(id);
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Pending reasons").waitFor();
  await page.getByText(/GPUs|nodes/).first().waitFor();
  for (let presses = 0; (await page.evaluate(() => document.activeElement?.textContent)) !== "cancel"; ++presses) {
    assert.ok(presses < 60, "Tab reaches the button");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("The job leaves the queue").waitFor();
  for (let presses = 0; (await page.evaluate(() => document.activeElement?.getAttribute("type"))) !== "submit"; ++presses) {
    assert.ok(presses < 10, "Tab reaches the button");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await until("the job is cancelled", async () => (await job(id)).state === "CANCELLED");
});

await step(`${payloads.length} script injections are shown as text`, async () => {
  assert.ok(payloads.length >= 60);
  const lines = payloads.map((text) => `printf '%s\\n' '${text.replaceAll("'", "'\\''")}'`).join("\n");
  const [id] = await submit({ name: "texts", command: ["sh", "-c", lines], gpus: { count: 1 }, labels: Object.fromEntries(payloads.slice(0, 60).map((text, i) => [`label-${i}`, one_line(text).slice(0, 60)])) });
  await until("the job is over", async () => (await job(id)).state === "COMPLETED");
  for (const text of payloads) {
    await api("POST", "/api/v1/tokens", { label: one_line(text).slice(0, 60) });
    await api("POST", "/api/v1/cluster:service", { gpu: "dgx-h100-0/6", action: "DRAIN", reason: one_line(text) });
    assert.ok((await gpu(6)).reason.includes(one_line(text).slice(0, 20)), "the reason is returned unchanged");
    await open(page, "gpus/dgx-h100-0/6");
    await page.waitForTimeout(60);
  }
  await api("POST", "/api/v1/cluster:service", { gpu: "dgx-h100-0/6", action: "ONLINE" });
  for (const path of [`jobs/${id}`, "access", "audit", "fleet", "nodes/dgx-h100-0", "jobs", ""]) {
    await open(page, path);
    await page.waitForTimeout(500);
  }
  await open(page, `jobs/${id}`);
  await page.getByText("<svg/onload").first().waitFor();
  assert.equal(await page.evaluate(() => window.hit), undefined);
});

await step("10,000 jobs scroll, and only visible rows are rendered", async () => {
  await api("PUT", "/api/v1/queues/many", {});
  await submit({ name: "many", command: ["true"], queue: "many", gpus: { count: 8 }, nodes: 60, wait_for_nodes: true }, 10_000);
  await open(page, "jobs");
  await until("all jobs are listed", async () => Number((await page.locator("[aria-rowcount]").getAttribute("aria-rowcount")) ?? 0) > 10_000, 30);
  const frames = await page.evaluate(async () => {
    const box = document.querySelector("[role=region][aria-label=Jobs]");
    const spans = [];
    let last = performance.now();
    for (let i = 0; i < 120; ++i) {
      box.scrollTop += 2600;
      await new Promise((next) => requestAnimationFrame(next));
      spans.push(performance.now() - last);
      last = performance.now();
    }
    return { rows: box.querySelectorAll("tbody tr").length, end: box.scrollTop, spans: spans.sort((a, b) => a - b) };
  });
  assert.ok(frames.rows < 120, `${frames.rows} rows`);
  assert.ok(frames.end > 250_000, `scrolled to ${frames.end}`);
  console.log(`    frames of ${frames.spans[60].toFixed(0)} ms at the median, ${frames.spans[113].toFixed(0)} ms at the 95th percentile`);
});

await browser.close();
console.log("all passed");
