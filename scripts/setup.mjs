// Makes a checkout ready to run: installs the dependencies when they are missing or out of date and, when the
// Node that runs this is too old for the project, a newer one as node_modules/.bin/node, where npm scripts
// look first. With `--browser`, as before the tests, root on Debian gets a missing Chromium from Debian's
// packages. It runs before everything else, so it is plain JavaScript for an old Node and has no dependency.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join, sep } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * The release that is installed where the machine's own Node is too old; version managers read the same file.
 */
const localNodeVersion = readFileSync(join(root, ".nvmrc"), "utf8").trim()

const modules = join(root, "node_modules")
const bin = join(modules, ".bin")
const stampFile = join(modules, ".cairn-setup")
const isWindows = process.platform === "win32"
const localNode = join(bin, isWindows ? "node.cmd" : "node")

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))
const manifest = readJson(join(root, "package.json"))
const minimum = manifest.engines.node.replace(/^>=\s*/, "")

/** Whether `version` is below the minimum that the root package.json names under `engines`. */
const isTooOld = (version) => {
  const [have, need] = [version, minimum].map((text) => text.replace(/^v/, "").split(".").map(Number))
  const at = need.findIndex((part, index) => part !== (have[index] ?? 0))
  return at !== -1 && (have[at] ?? 0) < need[at]
}

/** The package.json files of the project: the root's and those of its workspaces, in a fixed order. */
const manifests = () => [
  manifest,
  ...manifest.workspaces.flatMap((pattern) => {
    const folder = join(root, pattern.replace(/\/\*$/, ""))
    if (!existsSync(folder)) return []
    const files = readdirSync(folder).sort()
    return files
      .map((name) => join(folder, name, "package.json"))
      .filter((file) => existsSync(file))
      .map(readJson)
  })
]

/** A hash of all that decides what has to be in node_modules. */
const fingerprint = () => {
  const hash = createHash("sha256")
  hash.update(`${process.platform} ${process.arch} ${localNodeVersion}\n`)
  hash.update(readFileSync(join(root, "package-lock.json")))
  for (const { name, version, bin, workspaces, overrides, ...fields } of manifests()) {
    const dependencies = Object.entries(fields).filter(([key]) => /dependencies/i.test(key))
    hash.update(JSON.stringify([name, version, bin, workspaces, overrides, dependencies]))
  }
  return hash.digest("hex")
}

const fail = (message) => {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

/** The environment of npm's own processes: they must not run on a Node that they are about to replace. */
const outsideEnvironment = () => {
  const env = { ...process.env }
  for (const key of Object.keys(env).filter((name) => name.toUpperCase() === "PATH")) {
    env[key] = env[key]
      .split(delimiter)
      .filter((folder) => folder !== bin)
      .join(delimiter)
  }
  return env
}

const run = (command, args, options) => spawnSync(command, args, { cwd: root, shell: isWindows, ...options })

const npm = (args) => {
  const flags = ["--no-audit", "--no-fund", "--include=dev", "--loglevel=error"]
  const { status, error } = run("npm", [...args, ...flags], {
    env: outsideEnvironment(),
    stdio: ["ignore", process.stderr.fd, process.stderr.fd]
  })
  if (status === 0) return
  const reason = error
    ? `could not be started: ${error.message}`
    : `failed with exit code ${status ?? "none"}`
  const node = needsLocalNode
    ? `\nThis is Node ${ownVersion}: with Node ${minimum} or newer on the machine, no other Node has to be fetched.`
    : ""
  fail(
    `The dependencies are not installed: "npm ${args.join(" ")}" ${reason}.\n` +
      `If the message above speaks of the network or the registry, check them and run the command again.${node}`
  )
}

/** The npm package that holds nothing but the Node binary of this platform; it has no install script. */
const localNodePackage = () => {
  const platform = isWindows ? "win" : process.platform
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"
  return `${prefix}-${platform}-${process.arch}@${localNodeVersion}`
}

const versionOf = (node, env) => {
  const { status, stdout } = run(node, ["--version"], { env, encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

/** Whether a program of this name is on the PATH. */
const isOnPath = (name) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)))

/** Runs apt-get, which gives up on a mirror that does not answer; tells whether it succeeded. */
const aptGet = (...args) => {
  const { status } = run("apt-get", ["-qq", "-o", "Acquire::http::Timeout=30", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", process.stderr.fd],
    timeout: 600_000
  })
  return status === 0
}

/** Installs Chromium where that can be done. Without one, the tests that need it are skipped and say so. */
const installBrowser = () => {
  const canInstall = process.getuid?.() === 0 && existsSync("/etc/debian_version") && isOnPath("apt-get")
  if (!canInstall || isOnPath("chromium")) return
  process.stderr.write("Installing Chromium …\n")
  const install = ["install", "-y", "--no-install-recommends", "chromium"]
  if (aptGet(...install) || (aptGet("update") && aptGet(...install))) return
  process.stderr.write("Chromium could not be installed; the tests that need it are skipped.\n")
}

if (process.argv.includes("--browser")) installBrowser()

const runsLocalNode = realpathSync(process.execPath).startsWith(modules + sep)
const wanted = fingerprint()
const isInstalled = existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted
const hasNode = runsLocalNode || !isTooOld(process.versions.node) || existsSync(localNode)
if (isInstalled && hasNode) process.exit(0)

const ownVersion = runsLocalNode ? versionOf("node", outsideEnvironment()) : process.version
const needsLocalNode = ownVersion === undefined || isTooOld(ownVersion)
const extra = needsLocalNode ? [localNodePackage()] : []
process.stderr.write(
  `Installing the dependencies${needsLocalNode ? ` and Node ${localNodeVersion}` : ""} …\n`
)

// The stamp goes first, so that an installation that is cut short is done again. --no-save leaves
// package-lock.json as it is; what is not in it, such as the local Node, has to be named each time, or npm
// would remove it.
rmSync(stampFile, { force: true })
if (!existsSync(join(modules, ".package-lock.json"))) {
  npm(["ci"])
  if (needsLocalNode) npm(["install", "--no-save", ...extra])
} else {
  npm(["install", "--no-save", ...extra])
}

if (needsLocalNode) {
  const installed = versionOf(localNode)
  if (installed === undefined || isTooOld(installed)) {
    fail(
      `Cairn needs Node ${minimum} or newer, and this is Node ${ownVersion}. The one in node_modules does not run on ` +
        "this machine: install a newer Node and run the command again."
    )
  }
}
writeFileSync(stampFile, wanted)
