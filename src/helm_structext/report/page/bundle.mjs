// Makes `bundle.js`, the one script of the page: `node bundle.mjs PACKAGES`, the folder that esbuild is in.
// With `--check` it writes nothing, and fails where another one would be written.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [packages, check] = process.argv.slice(2);
const { buildSync } = createRequire(resolve(packages, "esbuild", "package.json"))("esbuild");
const here = fileURLToPath(new URL(".", import.meta.url));
const { outputFiles } = buildSync({
  absWorkingDir: here, entryPoints: ["main.js"], bundle: true, format: "iife", globalName: "report",
  target: "es2022", minify: true, charset: "utf8", legalComments: "none", write: false,
});
const script = outputFiles[0].text;
if (check && script !== readFileSync(join(here, "bundle.js"), "utf8")) throw new Error("bundle.js is not what the modules make: call make page");
if (!check) writeFileSync(join(here, "bundle.js"), script);
