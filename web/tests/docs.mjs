// Tests the page /docs on a real controller: node docs.mjs LINK PICTURES
// LINK: as `gpu-platform dashboard --role admin` prints it.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { openBrowser, violations } from "./browser.mjs";

const [link, pictures] = process.argv.slice(2);
const [origin, secret] = link.split("/#token=");
mkdirSync(pictures, { recursive: true });
const browser = await openBrowser(origin);

const step = async (name, run) => {
  await run();
  browser.check(name);
  console.log(`ok  ${name}`);
};
const api = async (method, path, body) => {
  const answer = await fetch(origin + path, { method, headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
  const told = await answer.json();
  assert.ok(answer.ok, `${method} ${path}: ${JSON.stringify(told)}`);
  return told;
};
const enter = async (theme, token) => {
  const page = await browser.newPage(theme);
  await page.goto(`${origin}/docs${token ? `#token=${token}` : ""}`);
  await page.getByRole("heading", { name: "jobs" }).waitFor();
  assert.ok(!page.url().includes("gpp_"), "the token is still in the address");
  return page;
};
const opened = async (page, id) => {
  const one = page.locator(`#${id}`);
  if ((await one.getAttribute("open")) === null) await one.locator("summary").first().click();
  return one;
};
const body = (one) => one.getByLabel("Body of the answer").innerText().then(JSON.parse);
const status = (one, text) => one.getByRole("status").getByText(text).waitFor();
// The page without an answer ends where its window does; answers and commands scroll or wrap in their own boxes.
const width = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

const page = await enter("dark", secret);
await step("a list of jobs, with values of a query", async () => {
  const list = await opened(page, "ListJobs");
  await list.getByLabel("all", { exact: true }).selectOption("true");
  await list.getByLabel("limit", { exact: true }).fill("7");
  assert.match(await list.getByLabel("command").innerText(), /^curl -X GET -H "Authorization: Bearer \$TOKEN" '?http:.*\/api\/v1\/jobs\?all=true&limit=7'?$/);
  await list.getByRole("button", { name: "Send", exact: true }).click();
  await status(list, "200 OK");
  await list.getByText("content-type: application/json").waitFor();
  assert.deepEqual((await body(list)).jobs, []);
});

let job = "";
await step("a job is submitted with the example, and only after a confirmation", async () => {
  const submit = await opened(page, "SubmitJobs");
  const key = submit.getByLabel("Idempotency-Key");
  await key.fill("tried");
  await submit.getByRole("button", { name: "Send …" }).click();
  const dialog = page.getByRole("dialog");
  assert.deepEqual(await violations(page), [], "the dialog");
  await dialog.getByRole("button", { name: "Back" }).click();
  assert.equal((await api("GET", "/api/v1/jobs?all=true")).jobs.length, 0, "nothing was sent");
  await submit.getByRole("button", { name: "Send …" }).click();
  await dialog.getByRole("button", { name: "Send the change" }).click();
  await status(submit, "201");
  [job] = (await body(submit)).job_ids;
  assert.equal((await api("GET", `/api/v1/jobs/${job}`)).spec.name, "from-the-api-page");
});

await step("fields of a path are encoded, a mistake is answered, and a body that is no JSON is not sent", async () => {
  const one = await opened(page, "GetJob");
  await one.getByLabel("job_id").fill(`${job}/../x`);
  await one.getByRole("button", { name: "Send", exact: true }).click();
  await status(one, "404");
  await one.getByLabel("job_id").fill(job);
  await one.getByRole("button", { name: "Send", exact: true }).click();
  await status(one, "200");
  assert.equal((await body(one)).id, job);
  const submit = await opened(page, "SubmitJobs");
  await submit.getByLabel("Body", { exact: true }).fill("{");
  await submit.getByRole("button", { name: "Send …" }).click();
  await submit.getByRole("alert").getByText("is not JSON").waitFor();
});

await step("a stream is shown as it comes, until it is stopped", async () => {
  const events = await opened(page, "WatchChanges");
  await events.getByRole("button", { name: "Send", exact: true }).click();
  await events.getByRole("status").getByText("so far").waitFor();
  await api("POST", "/api/v1/jobs", { specs: [{ name: "seen", command: ["true"] }] });
  await events.getByLabel("Body of the answer").getByText("data:").waitFor();
  await events.getByRole("button", { name: "Stop" }).click();
  await events.getByRole("button", { name: "Send", exact: true, disabled: false }).waitFor();
});

await step("the keyboard alone reaches an operation and sends it", async () => {
  await page.getByLabel("Search").fill("whoami");
  await page.getByLabel("Search").press("Tab");
  await page.keyboard.press("Enter");
  const self = page.locator("#WhoAmI");
  for (let i = 0; i < 10 && !(await self.getByRole("button", { name: "Send", exact: true }).evaluate((one) => one === document.activeElement)); ++i) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await status(self, "200");
  assert.ok(!(await page.content()).includes(secret), "the page shows the token");
  await page.context().close();
});

await step("without a token, and with one that may not submit, the answer says so", async () => {
  const stranger = await enter("dark");
  const list = await opened(stranger, "ListJobs");
  await list.getByRole("button", { name: "Send", exact: true }).click();
  await status(list, "401");
  const { secret: weak } = await api("POST", "/api/v1/tokens", { label: "reader", user: "nobody", role: "viewer" });
  await stranger.getByLabel("Token").fill(weak);
  await stranger.getByRole("button", { name: "Use it" }).click();
  await stranger.getByText("as nobody", { exact: true }).waitFor();
  await list.getByRole("button", { name: "Send", exact: true }).click();
  await status(list, "200");
  const submit = await opened(stranger, "SubmitJobs");
  await submit.getByRole("button", { name: "Send …" }).click();
  await stranger.getByRole("button", { name: "Send the change" }).click();
  await status(submit, "403");
  assert.equal((await body(submit)).code, "permission-denied");
  await stranger.context().close();
});

for (const theme of ["dark", "light"]) {
  await step(`the page, ${theme}, is accessible and fits its window`, async () => {
    const shown = await enter(theme, secret);
    const list = await opened(shown, "ListJobs");
    await list.getByRole("button", { name: "Send", exact: true }).click();
    await status(list, "200");
    const submit = await opened(shown, "SubmitJobs");
    await submit.getByText("Fields of the body").click();
    await submit.getByText("specs").first().click();
    assert.deepEqual(await violations(shown), []);
    for (const wide of [1440, 390]) {
      await shown.setViewportSize({ width: wide, height: 900 });
      assert.equal(await width(shown), 0, `in a window ${wide} wide`);
      await shown.evaluate(() => scrollTo(0, 0));
      await shown.screenshot({ path: `${pictures}/docs-${theme}-${wide}.png` });
      await list.getByRole("button", { name: "Send", exact: true }).evaluate((one) => one.scrollIntoView());
      await shown.screenshot({ path: `${pictures}/docs-answer-${theme}-${wide}.png` });
      await submit.getByLabel("Body", { exact: true }).evaluate((one) => one.scrollIntoView());
      await shown.screenshot({ path: `${pictures}/docs-body-${theme}-${wide}.png` });
    }
    await shown.context().close();
  });
}

await step("an address names an operation", async () => {
  const named = await browser.newPage();
  await named.goto(`${origin}/docs#StopJob`);
  await named.locator("#StopJob").getByLabel("job_id").waitFor();
});
await browser.close();
