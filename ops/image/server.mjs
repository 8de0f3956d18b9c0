/**
 * Fills a folder with what the image has of Cairn: in `root` the server and the `cairn` command, which are the
 * bundle and the one package that is not in it; in `owned` what belongs to the user that serves, an empty
 * /data. Both are the same for every platform. It needs a checkout, Node and a registry of npm.
 *
 *     node ops/image/server.mjs FOLDER
 */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write("server.mjs needs the folder to fill\n")
  process.exit(2)
}
const image = resolve(folder)
const root = fileURLToPath(new URL("../..", import.meta.url))
const modules = join(root, "node_modules")

/** Whose dependencies the bundle is made with. */
const WORKSPACES = ["server", "console", "viewer", "ui", "client"]

const run = (program, ...args) => execFileSync(program, args, { cwd: root, stdio: "inherit" })

const workspaces = WORKSPACES.map((name) => `--workspace=packages/${name}`)
run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--include-workspace-root", ...workspaces)
run(process.execPath, "scripts/bundle.mjs")

const app = join(image, "root/app")
const server = join(root, "packages/server")
for (const part of ["bin", "bundle", "package.json", "LICENSE"]) {
  cpSync(join(server, part), join(app, part), { recursive: true })
}

/** Copies a package and all that it depends on, in the versions of the lock file. */
const place = (name) => {
  cpSync(join(modules, name), join(app, "node_modules", name), { recursive: true })
  const { dependencies = {} } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"))
  for (const dependency of Object.keys(dependencies)) place(dependency)
}
place("bcrypt")

const own = dirname(fileURLToPath(import.meta.url))
copyFileSync(join(own, "healthcheck.mjs"), join(app, "healthcheck.mjs"))
const commands = join(image, "root/usr/local/bin")
mkdirSync(commands, { recursive: true })
chmodSync(join(app, "bin/cairn.js"), 0o755)
symlinkSync("../../../app/bin/cairn.js", join(commands, "cairn"))
mkdirSync(join(image, "owned/data"), { recursive: true, mode: 0o700 })
