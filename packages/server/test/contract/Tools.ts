/**
 * Tools of others that read the OpenAPI document: fetched when a trial first needs them, in the versions that
 * `tools/` names, and kept in node_modules/.cache. Nothing that is installed runs a script.
 */
import { execFile, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { npmFlags, shellEnvironment } from "@cairn/testing/OldestNode"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
/** The manifests of the tools, and the programs that use what they make. */
export const toolsFolder = fileURLToPath(new URL("tools/", import.meta.url))
const FETCH_MILLIS = 600_000

/** How a program ended, and what it wrote. */
export interface Ran {
  readonly code: number | null
  /** Standard output. */
  readonly output: string
  /** Both streams. */
  readonly said: string
}

/** Runs a program to its end. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const env = { ...shellEnvironment, NO_COLOR: "1", ...options.env }
    const child = spawn(program, args, { ...options, env, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text
      said += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, output, said }))
  })

/** Where a set of tools is, or why it is not there. */
export type Fetched = { readonly folder: string } | { readonly missing: string }

/** `manifests` are the paths of the files on which the tools depend. */
const fetched = async (
  name: string,
  manifests: ReadonlyArray<string>,
  install: (folder: string) => Promise<void>
): Promise<Fetched> => {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`)
  for (const file of manifests) hash.update(await readFile(file))
  const cache = join(root, "node_modules", ".cache")
  const kept = join(cache, `tools-${name}-${hash.digest("hex").slice(0, 16)}`)
  if (existsSync(kept)) return { folder: kept }
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(`${kept}-`)
  try {
    await install(folder)
    // Where another process was faster, its folder is in the way, and as good.
    await rename(folder, kept).catch((error: unknown) => {
      if (!existsSync(kept)) throw error
    })
  } catch (error) {
    return { missing: `the tools of ${name} could not be fetched: ${String(error).slice(0, 500)}` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return { folder: kept }
}

const installed = (program: string, args: ReadonlyArray<string>, cwd: string): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env: shellEnvironment, timeout: FETCH_MILLIS }, (error) =>
      error === null ? resolve() : reject(error)
    )
  })

/** What a folder with a manifest and a lock of npm names; its files and `node_modules` are in the folder. */
export const npmToolsOf = (name: string, home: string): Promise<Fetched> =>
  fetched(
    name,
    ["package.json", "package-lock.json"].map((file) => join(home, file)),
    async (folder) => {
      await cp(home, folder, { recursive: true })
      await installed("npm", ["ci", ...npmFlags], folder)
    }
  )

/** The tools of npm: `node_modules/.bin` is in the folder. */
export const npmTools = (): Promise<Fetched> => npmToolsOf("npm", join(toolsFolder, "npm"))

/** Packages of Python that a file of requirements names; the folder is for `PYTHONPATH`. */
export const pythonPackages = (name: string, requirements: string): Promise<Fetched> =>
  fetched(name, [requirements], (folder) =>
    installed(
      "python3",
      ["-m", "pip", "install", "--quiet", "--target", folder, "--requirement", requirements],
      folder
    )
  )

/** The tools of Python: the folder is for `PYTHONPATH`. */
export const pythonTools = (): Promise<Fetched> =>
  pythonPackages("python", join(toolsFolder, "requirements.txt"))

/** The tools of Go: the folder is a module with everything that it needs in Go's own cache. */
export const goTools = (): Promise<Fetched> =>
  fetched("go", [join(toolsFolder, "go/go.mod"), join(toolsFolder, "go/go.sum")], async (folder) => {
    await cp(join(toolsFolder, "go"), folder, { recursive: true })
    await installed("go", ["mod", "download"], folder)
  })
