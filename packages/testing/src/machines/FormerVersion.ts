/** The version before this one, from the repository's history, to run beside it. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Schema } from "effect"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const execute = promisify(execFile)
const git = async (...args: ReadonlyArray<string>): Promise<string> =>
  (await execute("git", args, { cwd: root })).stdout.trim()

/** What counts as the former version before there is a release. */
const BEFORE_RELEASES = "72c891b5d74a744a8f6766177844775191fef2a1"

const Manifest = Schema.fromJsonString(Schema.Struct({ name: Schema.String, version: Schema.String }))
const manifestOf = async (folder: string) =>
  Schema.decodeUnknownSync(Manifest)(await readFile(join(folder, "package.json"), "utf8"))

/** The newest release that this version came after, as git names it. Fails without git or the history. */
export const formerCommit = async (): Promise<string> => {
  const { version } = await manifestOf(join(root, "packages/server"))
  const tags = await git("tag", "--list", "v[0-9]*", "--sort=-version:refname", "--merged", "HEAD")
  const commit = tags.split("\n").find((tag) => tag !== "" && tag !== `v${version}`) ?? BEFORE_RELEASES
  return git("rev-parse", "--verify", "--quiet", `${commit}^{commit}`)
}

/** Links to what is installed here, but for the packages of the repository: those are the folder's own. */
const linkModules = async (folder: string): Promise<void> => {
  const own = new Map<string, string>()
  for (const name of await readdir(join(folder, "packages"))) {
    const path = join(folder, "packages", name)
    own.set((await manifestOf(path)).name, path)
  }
  const modules = join(folder, "node_modules")
  await mkdir(join(modules, "@cairn"), { recursive: true })
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== "@cairn") await symlink(join(root, "node_modules", name), join(modules, name))
  }
  for (const [name, path] of own) await symlink(path, join(modules, name))
}

/** The `cairn` command of the former version, or why it is not there. */
export type FormerVersion =
  | { readonly bin: string; readonly remove: () => Promise<void> }
  | { readonly missing: string }

/**
 * Gives the sources of the newest release before this version or, before there is one, of a commit that is
 * named here; they run with the dependencies that are installed here, and without the pages that a build
 * makes. Needs git and the history: a shallow clone lacks it.
 */
export const formerVersion = async (): Promise<FormerVersion> => {
  try {
    const commit = await formerCommit()
    const folder = await mkdtemp(join(tmpdir(), "cairn-former-"))
    const archive = join(folder, "sources.tar")
    await git("archive", `--output=${archive}`, commit, "package.json", "packages")
    await execute("tar", ["--extract", `--file=${archive}`, `--directory=${folder}`])
    await rm(archive)
    await linkModules(folder)
    return {
      bin: join(folder, "packages/server/src/bin.ts"),
      remove: () => rm(folder, { recursive: true, force: true })
    }
  } catch (error) {
    return { missing: `the former version is not there: ${String(error)}` }
  }
}
