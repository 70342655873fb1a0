// Prints the label of each GPU in the fleet with its temperature, one per line: node heat.mjs LINK GPUS
import { openBrowser, until } from "./browser.mjs";

const [link, gpus] = process.argv.slice(2);
const [origin] = link.split("/#token=");
const browser = await openBrowser(origin);
const page = await browser.newPage();
await page.goto(link);
await page.getByRole("navigation").waitFor();
await page.goto(`${origin}/#/fleet?show=heat`);
const cells = page.locator("a.cell");
await until("every GPU is drawn", async () => (await cells.count()) === Number(gpus));
for (const cell of await cells.all()) console.log(await cell.getAttribute("aria-label"));
browser.check("the fleet");
await browser.close();
