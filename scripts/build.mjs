// Builds the package in the current folder: compiles its src into an empty dist, so that no file of a source
// that is gone is published. It is every package's `build` script; turbo runs them in the order of their
// dependencies.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url))

rmSync("dist", { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { stdio: "inherit" })
process.exitCode = status ?? 1
