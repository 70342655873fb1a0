// Opens every page and draws it: node tests/look.mjs URL OUT [theme]
import { chromium } from "playwright-core";
import { readFileSync } from "node:fs";

const [url, out, theme = "dark"] = process.argv.slice(2);
const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, bypassCSP: true });
await context.addInitScript((name) => localStorage.setItem("gpu-platform.theme", name), theme);
const page = await context.newPage();
page.on("pageerror", (error) => console.log("error:", error.message));
page.on("console", (message) => message.type() === "error" && console.log("console:", message.text()));
const jobs = await (await fetch(`${url}/api/v1/jobs?all=true&fields=jobs.id,jobs.state`)).json();
const of = (state) => jobs.jobs.find((job) => job.state === state)?.id;
const pages = { overview: "", jobs: "jobs", fleet: "fleet", fleet_table: "fleet?as=table", node: "nodes/dgx-h100-0", gpu: "gpus/dgx-h100-0/0", queues: "queues", incidents: "incidents", incident: "incidents/incident-0001", submit: "submit", scheduler: "scheduler", access: "access", audit: "audit", docs: "docs",
  running: of("RUNNING") && `jobs/${of("RUNNING")}`, waiting: of("QUEUED") && `jobs/${of("QUEUED")}` };
for (const [name, path] of Object.entries(pages)) {
  if (path === undefined) continue;
  await page.goto(`${url}/#/${path}`);
  await page.waitForTimeout(1200);
  await page.screenshot({ path: `${out}/${name}-${theme}.png` });
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  console.log(name, violations.length ? violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`).join("\n   ") : "ok");
}
await browser.close();
