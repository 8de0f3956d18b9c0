/**
 * Checks all types: of what runs in Node, and of the pages, which run in a browser and are compiled without
 * the types of Node. Every configuration is checked, also after one that failed.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const compiler = join(root, "node_modules/typescript/bin/tsc")

const PROJECTS = [
  ".",
  "packages/ui",
  "packages/console/src/page",
  "packages/console",
  "packages/viewer/src/page"
]

const failed = PROJECTS.filter((project) => {
  const args = [compiler, "--noEmit", "--project", project]
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status !== 0
})
process.exitCode = failed.length === 0 ? 0 : 1
