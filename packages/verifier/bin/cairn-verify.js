#!/usr/bin/env node
// The `cairn-verify` command. It is not the built file itself, because npm links a command only when its file
// is there at the time of installing, and what is built comes after that.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const built = new URL("../dist/bin.js", import.meta.url)

if (existsSync(built)) {
  await import(built.href)
} else {
  // A checkout in which nothing has been built yet: Node runs the sources as they are.
  const source = fileURLToPath(new URL("../src/bin.ts", import.meta.url))
  const flags = ["--conditions=@cairn/source", "--disable-warning=ExperimentalWarning"]
  const { status } = spawnSync(process.execPath, [...flags, source, ...process.argv.slice(2)], {
    stdio: "inherit"
  })
  process.exitCode = status ?? 2
}
