/** A folder in which a process has not all rights. */
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleProgram } from "@cairn/testing/BundledProgram"
import { assert, describe, it } from "@effect/vitest"
import { openSpool } from "../../src/spool/index.ts"
import { eventLine } from "../../src/spool/SegmentLines.ts"
import { diskError, eventOf, filesThrough, keysIn, newFolders, settle } from "./SpoolSteps.ts"

const newFolder = newFolders()
const NOBODY = 65_534
const [OURS, THEIRS] = ["1".repeat(16), "2".repeat(16)].map((owner) => `${owner}-00000001.v1.log`)

/** Runs work as a user who has no rights of its own. */
const asNobody = async (work: () => Promise<void>): Promise<void> => {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

describe("a spool", () => {
  // Root has all rights: a child of another user has not, where that may run Node.
  const user = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const canRun = spawnSync(process.execPath, ["--version"], user).status === 0

  it.skipIf(!canRun)("is not opened in a folder that cannot be written to or read", async () => {
    const place = newFolder()
    chmodSync(place, 0o755)
    const program = await bundleProgram(fileURLToPath(new URL("SpoolingProcess.ts", import.meta.url)), place)
    for (const mode of [0o555, 0o333, 0o666, 0]) {
      const folder = newFolder()
      if ("uid" in user) chownSync(folder, NOBODY, NOBODY)
      chmodSync(folder, mode)
      const { status, stderr } = spawnSync(process.execPath, [program, folder], {
        timeout: 20_000,
        ...user,
        cwd: place,
        encoding: "utf8",
        env: { PATH: process.env.PATH }
      })
      chmodSync(folder, 0o700)
      assert.strictEqual(status, 1, stderr)
      assert.match(stderr, /EACCES/)
      assert.deepStrictEqual(readdirSync(folder), [])
    }
  })

  for (const [what, fails] of [
    ["open", "EACCES"],
    ["rename", "EPERM"]
  ] as const) {
    it(`leaves files of others where they are which it may not ${what}, and counts them`, async () => {
      const folder = newFolder()
      writeFileSync(join(folder, String(OURS)), eventLine(eventOf("a")))
      writeFileSync(join(folder, String(THEIRS)), eventLine(eventOf("b")))
      let isForeign = true
      const files = filesThrough(({ name, path }, run) =>
        isForeign && name === what && path.endsWith(String(THEIRS)) ? Promise.reject(diskError(fails)) : run()
      )
      const spool = await openSpool({ folder, files, adoptEveryMillis: 5 })
      assert.deepStrictEqual([spool.size(), await keysIn(spool)], [1, ["a"]])
      assert.deepInclude(spool.counters, { adopted: 1, left: 1 })
      assert.include(readdirSync(folder), THEIRS)
      await spool.take({ count: 1, bytes: 1e6 })
      await settle(spool, ["a"])
      // Once it has the right it takes them over.
      const told = new Promise<void>((resolve) => spool.watch(resolve))
      isForeign = false
      await told
      assert.deepStrictEqual(await keysIn(spool), ["b"])
      assert.deepInclude(spool.counters, { adopted: 2, left: 0 })
      await spool.close()
    })
  }

  it("puts letters back although it may not open those that another had claimed, and says so", async () => {
    const folder = newFolder()
    const event = JSON.parse(eventOf("a").json)
    const refusal = { error: "validation_failed", message: "no" }
    const letter = { time: "2026-02-03T04:05:06.789Z", key: "a", refusal, event }
    writeFileSync(join(folder, "dead-letter.jsonl"), `${JSON.stringify(letter)}\n`)
    const claimed = `dead-letter.${"2".repeat(16)}-1.requeue`
    writeFileSync(join(folder, claimed), "{}\n")
    const files = filesThrough(({ name, path }, run) =>
      name === "open" && path.endsWith(claimed) ? Promise.reject(diskError("EACCES")) : run()
    )
    const spool = await openSpool({ folder, files })
    const told = new Promise<void>((resolve) => spool.watch(resolve))
    assert.match(String(await spool.requeue().catch((error: unknown) => error)), /EACCES/)
    await told
    assert.deepStrictEqual([spool.size(), await keysIn(spool)], [1, ["a"]])
    assert.include(readdirSync(folder), claimed)
    assert.notInclude(readdirSync(folder), "dead-letter.jsonl")
    await spool.close()
  })

  it("leaves dead letters that it may not read under their name", async () => {
    const folder = newFolder()
    const path = join(folder, "dead-letter.jsonl")
    writeFileSync(path, "{}\n", { mode: 0o600 })
    if (process.geteuid?.() === 0) chownSync(folder, NOBODY, NOBODY)
    else chmodSync(path, 0)
    await asNobody(async () => {
      const spool = await openSpool({ folder })
      assert.match(String(await spool.requeue().catch((error: unknown) => error)), /EACCES/)
      assert.include(readdirSync(folder), "dead-letter.jsonl")
      await spool.close()
    })
  })
})
