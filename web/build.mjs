// Bundles the dashboard into dist/: the dashboard, the page of the API, and their style sheet.  `--watch` rebuilds it after each change.
import { build, context } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";

const options = {
  entryPoints: { app: "src/main.tsx", docs: "src/docs.tsx" },
  outdir: process.env.OUT ?? "dist",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
};
await mkdir(options.outdir, { recursive: true });
for (const name of ["index.html", "icon.svg"]) await copyFile(`src/${name}`, `${options.outdir}/${name}`);
if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options);
