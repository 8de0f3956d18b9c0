/**
 * A process that ends before, within and after each of its file operations: what `add` had confirmed waits,
 * is in the dead letters, or had been taken by the service.
 */
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSpool, readSpool, type Spool, type SpoolFile } from "../../src/spool/index.ts"
import { eventLine } from "../../src/spool/SegmentLines.ts"
import { type Around, eventOf, filesThrough, keysIn, newFolders } from "./SpoolSteps.ts"

const newFolder = newFolders()

/** What a process knows when it ends. */
interface Known {
  readonly added: Set<string>
  readonly confirmed: Set<string>
  /** What the service has, or has refused. */
  readonly answered: Set<string>
}

const MIB = 1024 * 1024
const large = { metadata: { text: "x".repeat(30_000) } }

/** All that a spool does: it adopts, adds, begins further segments, settles, buries, requeues and closes. */
const work = async (spool: Spool, known: Known): Promise<void> => {
  const add = async (keys: ReadonlyArray<string>) => {
    for (const key of keys) known.added.add(key)
    await Promise.allSettled(
      keys.map(async (key) => {
        await spool.add(eventOf(key, large))
        known.confirmed.add(key)
      })
    )
  }
  const send = async (count: number, refused: ReadonlyArray<string>) => {
    const taken = await spool.take({ count, bytes: MIB })
    for (const { key } of taken) known.answered.add(key)
    await spool.settle(
      taken.map(({ key }) =>
        refused.includes(key)
          ? { key, status: "refused", refusal: { error: "validation_failed", message: "no" } }
          : { key, status: "queued", id: `evt_${key}` }
      )
    )
  }
  await add(["a", "b"])
  await add(["c", "d", "e"])
  await send(3, ["left 2", "a"])
  await add(["f", "g"])
  await send(3, [])
  await spool.requeue()
  for (const key of ["left 2", "a"]) known.answered.delete(key)
  await send(2, ["f"])
  await add(["h"])
  await spool.close()
}

/** Runs the work, and ends it at the operation of this number. Whether there was one. */
const killedAt = async (number: number, where: "before" | "within" | "after"): Promise<boolean> => {
  const folder = newFolder()
  const known: Known = {
    added: new Set(["left 1", "left 2"]),
    confirmed: new Set(["left 1", "left 2"]),
    answered: new Set()
  }
  writeFileSync(
    join(folder, "0123456789abcdef-00000001.v1.log"),
    ["left 1", "left 2"].map((key) => eventLine(eventOf(key))).join("")
  )
  let count = 0
  let isDead = false
  const killed = () => {
    isDead = true
    return new Error("killed")
  }
  /** What it opened goes with the process. */
  const abandon = async (opened: unknown) => {
    const close = (opened as Partial<SpoolFile> | undefined)?.close
    await close?.()
  }
  const around: Around = async ({ bytes }, run) => {
    if (isDead) throw new Error("killed")
    if (count++ !== number) {
      const result = await run()
      if (!isDead) return result
      // The process ended while this ran.
      await abandon(result)
      throw new Error("killed")
    }
    if (where === "within" && bytes !== undefined) await run(bytes.subarray(0, bytes.length / 2))
    if (where === "after") await abandon(await run().catch(() => undefined))
    throw killed()
  }
  const spool = await openSpool({ folder, maxBytes: MIB, files: filesThrough(around) }).catch(() => undefined)
  if (spool !== undefined) {
    await work(spool, known).catch(() => {})
    // Its lock socket goes with the process.
    await spool.close().catch(() => {})
  }
  const next = await openSpool({ folder })
  const title = `${where} operation ${number}`
  const waiting = await keysIn(next)
  assert.strictEqual(next.size(), waiting.length, title)
  const { deadLetters } = await readSpool(folder)
  const there = new Set([...waiting, ...deadLetters.map(({ key }) => key)])
  for (const key of known.confirmed) {
    assert.isTrue(there.has(key) || known.answered.has(key), `${key} is lost, ${title}`)
  }
  for (const key of waiting) assert.isTrue(known.added.has(key), `${key} is new, ${title}`)
  await next.close()
  const names = readdirSync(folder).filter((name) => !/^dead-letter|\.log$/.test(name))
  assert.deepStrictEqual(names, [], title)
  return isDead
}

describe("a process killed at each of its file operations", () => {
  for (const where of ["before", "within", "after"] as const) {
    it(`${where} it loses nothing that was confirmed`, async () => {
      let number = 0
      while (await killedAt(number, where)) number++
      assert.isAbove(number, 50)
    })
  }
})
