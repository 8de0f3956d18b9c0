/**
 * Makes a release of what is checked out, up to what is published:
 *
 *     node scripts/release.mjs FOLDER
 *
 * - the version and an entry in each CHANGELOG.md, from the notes in `.changeset`, which are removed; the
 *   lock file and the Helm chart get the version too
 * - in FOLDER, which must be empty or not there: a tarball of each published package, a bill of materials
 *   (CycloneDX), and SHA256SUMS of both
 *
 * It needs a clean checkout with its dependencies, and no network. It commits, tags and publishes nothing:
 * the lines that it ends with say how. If it is interrupted, `git checkout .` undoes what it has done to
 * the checkout.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const CHART = "ops/helm/cairn/Chart.yaml"

const fail = (message) => {
  process.stderr.write(`release: ${message}\n`)
  process.exit(2)
}

const read = (file) => readFileSync(join(root, file), "utf8")
const readJson = (file) => JSON.parse(read(file))
const write = (file, text) => writeFileSync(join(root, file), text)
const asJson = (value) => `${JSON.stringify(value, null, 2)}\n`

/** Runs a program to its end; what it prints goes to standard error. */
const run = (program, ...args) =>
  void execFileSync(program, args, { cwd: root, stdio: ["ignore", process.stderr, process.stderr] })
const runTool = (program, ...args) => run(process.execPath, join(root, "node_modules", program), ...args)

const manifests = () => globSync("{packages,examples}/*/package.json", { cwd: root }).sort()
const published = () =>
  manifests()
    .map(readJson)
    .filter((manifest) => manifest.private !== true)

/** All packages have one version. */
const versionOf = () => readJson("packages/server/package.json").version

const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]

/** The lock file, with the versions that the packages of the repository have. */
const lockWithVersions = () => {
  const lock = readJson("package-lock.json")
  for (const file of manifests()) {
    const manifest = readJson(file)
    const entry = lock.packages[dirname(file).replaceAll("\\", "/")]
    entry.version = manifest.version
    for (const kind of DEPENDENCIES) if (manifest[kind] !== undefined) entry[kind] = manifest[kind]
  }
  return lock
}

/** What the service runs on, the parts of its pages among it: the first table of docs/Dependencies.md. */
const runsOn = () => {
  const [page] = read("docs/Dependencies.md").split("What it is built and tested with:")
  const rows = [...page.matchAll(/^\| (`.+?`) \|/gm)]
  return new Set(rows.flatMap(([, names]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name)))
}

/** A manifest whose dependencies are what is shipped, whether it is installed beside it or built into it. */
const shippedOf = (names, { devDependencies = {}, ...manifest }) => {
  const isShipped = (name) => names.has(name) || name.startsWith("@cairn/")
  const builtIn = Object.entries(devDependencies).filter(([name]) => isShipped(name))
  return { ...manifest, dependencies: { ...manifest.dependencies, ...Object.fromEntries(builtIn) } }
}

/**
 * The bill of materials of what is published, in CycloneDX. npm takes what a package needs from a lock file
 * and its manifests; it is given copies that name no more than what is shipped.
 */
const billOfMaterials = (version) => {
  const names = runsOn()
  const folder = join(mkdtempSync(join(tmpdir(), "cairn-release-")), "cairn")
  const put = (file, value) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), asJson(value))
  }
  try {
    const lock = readJson("package-lock.json")
    const isOwn = (path) => /^packages\/[^/]+$/.test(path)
    const isCompiler = (path) => /(?:^|\/)node_modules\/@?typescript(?:\/|$)/.test(path)
    const packages = Object.entries(lock.packages)
      // An optional peer of what is shipped.
      .filter(([path]) => !isCompiler(path))
      .map(([path, entry]) => [path, isOwn(path) ? shippedOf(names, entry) : entry])
    const top = { name: "cairn", version, private: true, license: "Apache-2.0", workspaces: ["packages/*"] }
    put("package-lock.json", {
      ...lock,
      version,
      packages: { ...Object.fromEntries(packages), "": { ...top } }
    })
    put("package.json", top)
    for (const file of manifests().filter((one) => one.startsWith("packages"))) {
      put(file, shippedOf(names, readJson(file)))
    }
    const workspaces = published().map(({ name }) => `--workspace=${name}`)
    const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", ...workspaces]
    const options = { cwd: folder, encoding: "utf8", maxBuffer: 1e8 }
    return execFileSync("npm", args, { ...options, stdio: ["ignore", "pipe", process.stderr] })
  } finally {
    rmSync(dirname(folder), { recursive: true })
  }
}

const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex")

const [given] = process.argv.slice(2)
if (given === undefined) fail("name the folder for the tarballs: node scripts/release.mjs FOLDER")
const folder = resolve(given)
if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty`)
const changed = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" })
if (changed !== "") fail(`commit or remove what is changed:\n${changed.trimEnd()}`)
if (globSync(".changeset/*.md", { cwd: root }).length === 0) fail("there is no note in .changeset")

runTool("@changesets/cli/bin.js", "version")
const version = versionOf()
write("package-lock.json", asJson(lockWithVersions()))
write(CHART, read(CHART).replace(/^(version|appVersion): .*$/gm, `$1: ${version}`))

mkdirSync(folder, { recursive: true })
runTool("turbo/bin/turbo", "run", "build", "--cache=local:rw", "--output-logs=errors-only")
const workspaces = published().map(({ name }) => `--workspace=${name}`)
run("npm", "pack", "--silent", "--pack-destination", folder, ...workspaces)
writeFileSync(join(folder, `cairn-${version}.cdx.json`), billOfMaterials(version))
const files = readdirSync(folder).sort()
const sums = files.map((file) => `${sha256(join(folder, file))}  ${basename(file)}\n`)
writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))

process.stdout.write(
  `${version} is in ${folder}: ${published().length} tarballs, a bill of materials, and SHA256SUMS.\n` +
    "Look at the change logs, then:\n\n" +
    `git commit --all --message "Release ${version}" && git tag --sign --message ${version} v${version}\n` +
    `for file in ${folder}/*.tgz; do npm publish --provenance "$file"; done\n`
)
