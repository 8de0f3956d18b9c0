/** The oldest Node that is supported, and others, fetched once and kept in node_modules/.cache. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const FETCH_MILLIS = 300_000

const RootManifest = Schema.fromJsonString(Schema.Struct({ engines: Schema.Struct({ node: Schema.String }) }))

/**
 * The environment of a person's shell: npm's variables and Node's options of the run that started this
 * process would leak into it.
 */
export const shellEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries({ ...process.env, TURBO_TELEMETRY_DISABLED: "1" }).filter(
    ([name]) => !/^npm_|^NODE_OPTIONS$/i.test(name)
  )
)

/** Flags of npm, without scripts: nothing that is installed with us may need one. */
export const npmFlags: ReadonlyArray<string> = [
  "--no-audit",
  "--no-fund",
  "--prefer-offline",
  "--ignore-scripts",
  "--loglevel=error"
]

/** Its version: `22.19.0`. */
export const oldestNodeVersion = async (): Promise<string> => {
  const manifest = await readFile(join(root, "package.json"), "utf8")
  return `${Schema.decodeUnknownSync(RootManifest)(manifest).engines.node.replace(/^>=/, "")}.0`
}

/** The version that is installed where the machine's own Node is too old: `24.21.0`. */
export const localNodeVersion = async (): Promise<string> =>
  (await readFile(join(root, ".nvmrc"), "utf8")).trim()

/** The program of a Node, or why it is not there. */
export type FetchedNode = { readonly program: string } | { readonly missing: string }

const install = (home: string, specifier: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ["install", "--prefix", home, ...npmFlags, specifier]
    execFile("npm", args, { cwd: home, env: shellEnvironment, timeout: FETCH_MILLIS }, (error) =>
      error === null ? resolve() : reject(error)
    )
  })

/**
 * Gives the Node of a version: this one, the one in the cache or, if it is not there, that of the npm package
 * that holds nothing but its binary. Processes that fetch it at the same time do not disturb each other.
 */
export const fetchNode = async (version: string): Promise<FetchedNode> => {
  if (process.version === `v${version}`) return { program: process.execPath }
  const name = `node-${process.platform}-${process.arch}`
  const cache = join(root, "node_modules", ".cache")
  const kept = join(cache, `${name}-${version}`)
  const program = join(kept, "node_modules", name, "bin", "node")
  if (existsSync(program)) return { program }
  await mkdir(cache, { recursive: true })
  const home = await mkdtemp(`${kept}-`)
  try {
    await writeFile(join(home, "package.json"), JSON.stringify({ private: true }))
    await install(home, `${name}@${version}`)
    // A folder without the program is what is left of a cache that was emptied in part.
    if (!existsSync(program)) await rm(kept, { recursive: true, force: true })
    // Where another process was faster, its folder is in the way, and as good.
    await rename(home, kept).catch((error: unknown) => {
      if (!existsSync(program)) throw error
    })
  } catch (error) {
    return { missing: `Node ${version} could not be fetched: ${String(error)}` }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
  return existsSync(program) ? { program } : { missing: `${name}@${version} holds no Node` }
}

/** Gives the oldest Node that is supported. */
export const fetchOldestNode = async (): Promise<FetchedNode> => fetchNode(await oldestNodeVersion())
