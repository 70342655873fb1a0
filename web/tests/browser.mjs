// A browser that records what a user must never meet: errors, requests to other sites, dialogs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// `name`: one more name of the origin's host, so that a page is neither on loopback nor behind TLS, as on most sites.
export async function openBrowser(origin, name = "") {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...(name ? [`--host-resolver-rules=MAP ${name} 127.0.0.1`] : [])] });
  const faults = [];
  const newPage = async (theme = "dark") => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.addInitScript((name) => localStorage.setItem("gpu-platform.theme", name), theme);
    const page = await context.newPage();
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && !/status of 4\d\d|net::ERR_FAILED/.test(message.text()) && faults.push(`console: ${message.text()}`));
    page.on("request", (request) => [origin, name && origin.replace("127.0.0.1", name)].some((one) => one && request.url().startsWith(one)) || faults.push(`request to another site: ${request.url()}`));
    page.on("dialog", (dialog) => { faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.setDefaultTimeout(15_000);
    return page;
  };
  const check = (what) => { assert.deepEqual(faults, [], what); };
  return { newPage, check, close: () => browser.close() };
}

// The accessibility violations that axe finds, as text.
export async function violations(page) {
  await page.evaluate(axe); // through the debugger, which the page's content security policy does not block
  const told = await page.evaluate(() => window.axe.run());
  return told.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

export async function until(what, is_so, seconds = 15) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise((next) => setTimeout(next, 100))) {
    if (await is_so()) return;
  }
  assert.fail(`not within ${seconds} s: ${what}`);
}
