/**
 * The image without a container engine: what its Dockerfile copies is copied into a clean folder, each of its
 * RUN steps runs there, and the root of the last stage is put together. Then the server starts in that root
 * as the image's user, where nothing but /data can be written.
 */
import { execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chown, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, matchesGlob } from "node:path"
import { promisify } from "node:util"
import { shellEnvironment } from "@cairn/testing/OldestNode"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { instructions, lastTexts, root, variables, wordsOf } from "./Dockerfile.ts"

const MINUTE = 60_000
const execute = promisify(execFile)

/** Why none of this runs here; empty where it does. */
const missing = [
  ...(process.platform === "linux" && process.getuid?.() === 0 ? [] : ["it takes root on Linux"]),
  ...["/usr/bin/apt-get", "/usr/bin/unshare", "/usr/sbin/chroot"]
    .filter((program) => !existsSync(program))
    .map((program) => `no ${program}`)
].join(", ")

/** Whether a step failed for want of a registry. */
const isOffline = (error: unknown): boolean =>
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED|Temporary failure|Unable to fetch/.test(
    String(error)
  )

/** The files that the builder is given. */
const givenFiles = async (): Promise<ReadonlyArray<string>> => {
  const lines = (await readFile(join(root, ".dockerignore"), "utf8"))
    .split("\n")
    .filter((line) => /^[^#*]/.test(line))
  const isBelow = (file: string, pattern: string) =>
    matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`)
  const { stdout } = await execute("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 1e8
  })
  // As with .dockerignore, the last line that speaks of a file decides.
  return stdout
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)))
    .filter((file) => lines.findLast((line) => isBelow(file, line.replace(/^!/, "")))?.startsWith("!"))
}

/** Mounts, in a namespace of its own, and runs what follows in the root as a user: `sh -c` with its words. */
const IN_ROOT = `
set -eu
root="$1" data="$2" user="$3"; shift 3
mount --bind "$root" "$root"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
mount --bind "$data" "$root/data"
exec /usr/sbin/chroot --userspec="$user" --groups= "$root" "$@"
`

describe.skipIf(missing !== "")(`the image${missing === "" ? "" : ` (skipped: ${missing})`}`, () => {
  const [user = ""] = lastTexts("USER")
  let folder = ""
  let image = ""
  let offline: string | undefined

  const words = (command: ReadonlyArray<string>): Array<string> => [
    ...["--mount", "sh", "-c", IN_ROOT, "sh", image, join(folder, "data"), user],
    ...command
  ]
  const env = { ...variables(), CAIRN_PORT: "0", CAIRN_DRAIN_SECONDS: "0" }
  /** Runs a command in the root to its end. */
  const inside = (...command: ReadonlyArray<string>) =>
    execute("unshare", words(command), { env, timeout: MINUTE })

  /** Runs a RUN step, in a folder in place of /source, into a folder in place of /image. */
  const runStep = (text: string, target: string) => {
    const [program = "", ...args] = text
      .replace(/^(?:--\S+ )+/, "")
      .split(" ")
      .map((word) => word.replace(/^\/image$/, target).replace(/^\/source\/(.*)$/, "ops/image/$1"))
    const PATH = [dirname(process.execPath), shellEnvironment.PATH].join(delimiter)
    return execute(program, args, {
      cwd: join(folder, "source"),
      env: { ...shellEnvironment, PATH, npm_config_prefer_offline: "true" },
      timeout: 5 * MINUTE,
      maxBuffer: 1e8
    })
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cairn-image-"))
    image = join(folder, "last")
    for (const file of await givenFiles()) await cp(join(root, file), join(folder, "source", file))
    const steps = instructions.filter(({ name }) => name === "RUN")
    try {
      for (const { stage, text } of steps) {
        await mkdir(join(folder, `stage${stage}`))
        await runStep(text, join(folder, `stage${stage}`))
      }
    } catch (error) {
      if (!isOffline(error)) throw error
      offline = `a registry is not reached: ${String(error).slice(0, 300)}`
      return
    }
    const stages = instructions.flatMap(({ name, text, stage }) =>
      name === "FROM" ? [{ stage, title: / AS (\w+)$/.exec(text)?.[1] }] : []
    )
    for (const text of lastTexts("COPY")) {
      const [, title, source = "", target = ""] =
        /--from=(\w+) (?:--chown=\S+ )?\/image(\S*) (\S+)$/.exec(text) ?? []
      const stage = stages.find((one) => one.title === title)?.stage
      await cp(join(folder, `stage${stage}`, source), join(image, target), {
        recursive: true,
        verbatimSymlinks: true
      })
    }
    // What an engine makes, and a volume of the user's own.
    for (const name of ["dev", "proc"]) await mkdir(join(image, name))
    await mkdir(join(folder, "data"), { mode: 0o700 })
    const [uid, gid] = user.split(":").map(Number)
    await chown(join(folder, "data"), uid ?? 0, gid ?? 0)
  }, 10 * MINUTE)

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it(
    "serves as its user from a root that is read-only, and ends when asked",
    async ({ skip }) => {
      if (offline !== undefined) return skip(offline)
      await inside("cairn", "workspace", "create", "Acme")
      const made = await inside("cairn", "key", "create", "--workspace", "Acme", "--json")
      const key: unknown = JSON.parse(made.stdout).key
      const child = spawn("unshare", words([...wordsOf("ENTRYPOINT"), ...wordsOf("CMD")]), { env })
      let said = ""
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
      try {
        const port = await new Promise<string>((resolve, reject) => {
          child.stderr.on("data", (text: Buffer) => {
            said += text
            const [, found] = /Cairn listens on \S+?:(\d+)"/.exec(said) ?? []
            if (found !== undefined) resolve(found)
          })
          void ended.then(() => reject(new Error(said)))
        })
        const sent = await fetch(`http://127.0.0.1:${port}/api/v1/events`, {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          body: '{"actor_id":"ada","action":"invoice.paid"}'
        })
        assert.strictEqual(sent.status, 202)
        const check = wordsOf("HEALTHCHECK")
        await inside("/usr/bin/env", `CAIRN_PORT=${port}`, ...check)
        const unhealthy = await inside("/usr/bin/env", "CAIRN_PORT=9", ...check).catch((error) => error.code)
        assert.strictEqual(unhealthy, 1)
        assert.include(
          (await readFile(`/proc/${child.pid}/status`, "utf8")).replaceAll("\t", " "),
          `Uid: ${user.split(":")[0]} `
        )
      } finally {
        child.kill("SIGTERM")
      }
      assert.strictEqual(await ended, 0, said)
      assert.include(said, "Cairn has stopped")
      assert.isTrue(existsSync(join(folder, "data/cairn.db")))
      const { stdout } = await inside("cairn", "verify", "--workspace", "Acme")
      assert.match(stdout, /^valid: \d events checked, no break$/m)
    },
    3 * MINUTE
  )

  it(
    "holds nothing that can be written, and no shell or package manager",
    async ({ skip }) => {
      if (offline !== undefined) return skip(offline)
      const written = (path: string) =>
        inside("node", "--eval", `fs.writeFileSync("${path}", "")`).then(
          () => "written",
          (error: unknown) => /E[A-Z]+(?=:)/.exec(String(error))?.[0]
        )
      assert.deepStrictEqual(
        [await written("/app/x"), await written("/tmp/x"), await written("/x"), await written("/data/x")],
        ["EROFS", "EROFS", "EROFS", "written"]
      )
      for (const name of ["sh", "bash", "npm", "apt-get", "dpkg"]) {
        assert.notStrictEqual(await inside("env", name).catch((error) => error.code), 0, name)
      }
    },
    MINUTE
  )
})
