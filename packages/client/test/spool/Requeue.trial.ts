/** Dead letters that are put back: each is in the queue or still a dead letter, whatever happens. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Cairn } from "../../src/index.ts"
import { openSpool, readSpool, type Spool, type SpoolFile, type SpoolOptions } from "../../src/spool/index.ts"
import { type Around, diskError, eventOf, filesThrough, keysIn, newFolders } from "./SpoolSteps.ts"

const newFolder = newFolders()
const open: Array<{ readonly close: () => Promise<unknown> }> = []
const MIB = 1024 * 1024
/** Milliseconds within which events are sent, also on a busy machine. */
const SOON = 60_000

const spoolIn = async (folder: string, options: Partial<SpoolOptions> = {}): Promise<Spool> => {
  const spool = await openSpool({ folder, ...options })
  open.push(spool)
  return spool
}

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const refusal = { error: "validation_failed", message: "no" }

const letterOf = (key: string, more: object = {}): string =>
  JSON.stringify({
    time: "2026-02-03T04:05:06.789Z",
    key,
    refusal,
    event: JSON.parse(eventOf(key, more).json)
  })

/** A letter that three others leave no room for in a spool of a MiB. */
const large = (key: string): string => letterOf(key, { metadata: { text: "x".repeat(300_000) } })
const larger = (key: string): string => letterOf(key, { metadata: { text: "x".repeat(2 * MIB) } })
const DAMAGED =
  '{"time":"2026-02-03T04:05:06.789Z","key":null,"refusal":{"error":"damaged_record"},"line":"x"}'

/** Lines that stay: cut off, mended wrongly, of another shape, too large, without an event. */
const HOPELESS = [
  '{"time":"2026-02-',
  `${letterOf("mended")},`,
  "[1]",
  "TODO: ask Ada",
  larger("huge"),
  DAMAGED
]

const write = (folder: string, lines: ReadonlyArray<string>): void =>
  writeFileSync(join(folder, "dead-letter.jsonl"), lines.map((line) => `${line}\n`).join(""))

/** The lines of all files of dead letters in a folder. */
const linesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => name.startsWith("dead-letter"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")

const keyOf = (line: string): string | undefined => /"key":"([^"]+)"/.exec(line)?.[1]

/** Each line is a dead letter still, or its event waits; and nothing else does. */
const assertNothingLost = (lines: ReadonlyArray<string>, folder: string, waiting: ReadonlyArray<string>) => {
  const there = new Set(linesIn(folder))
  for (const line of lines) {
    const isThere = there.has(line) || waiting.includes(keyOf(line) ?? "")
    assert.isTrue(isThere, `lost: ${line.slice(0, 80)}`)
  }
  for (const key of waiting) assert.isTrue(lines.some((line) => keyOf(line) === key))
}

describe("requeue", () => {
  const lines = [...HOPELESS, large("a"), large("b"), large("c"), large("d"), letterOf("e")]

  it("leaves what there is no room for and what cannot be read, and counts it", async () => {
    const folder = newFolder()
    write(folder, lines)
    const spool = await spoolIn(folder, { maxBytes: MIB })
    const { requeued, left } = await spool.requeue()
    const waiting = await keysIn(spool)
    assert.deepStrictEqual([requeued + left, requeued], [lines.length, waiting.length])
    assert.isAtLeast(requeued, 3)
    assertNothingLost(lines, folder, waiting)
    assert.strictEqual(linesIn(folder).length, left)
    // Once there is room the rest follows; what is hopeless is left however often it is tried.
    await spool.take({ count: 100, bytes: 2 ** 30 })
    await spool.settle(waiting.map((key) => ({ key, status: "queued", id: key })))
    const again = await spool.requeue()
    assert.deepStrictEqual(again, { requeued: 5 - requeued, left: HOPELESS.length })
    assert.deepStrictEqual([...linesIn(folder)].sort(), [...HOPELESS].sort())
  })

  it("leaves them also where others have filled the file meanwhile", async () => {
    const folder = newFolder()
    write(folder, lines)
    let isClaimed = false
    const others = ["f", "g"].map((key) => large(key))
    const spool = await spoolIn(folder, {
      maxBytes: MIB,
      maxDeadLetterBytes: 1000,
      files: filesThrough(async ({ name, path }, run) => {
        const result = await run()
        if (name === "rename" && path.endsWith("dead-letter.jsonl") && !isClaimed) {
          isClaimed = true
          write(folder, others)
        }
        return result
      })
    })
    await spool.requeue()
    assert.isTrue(isClaimed)
    assertNothingLost([...lines, ...others], folder, await keysIn(spool))
  })

  it("loses none where several ask at once, in one process and in two", async () => {
    const folder = newFolder()
    write(folder, lines)
    const [spool, other] = [await spoolIn(folder), await spoolIn(folder)]
    const results = await Promise.all([spool.requeue(), spool.requeue(), other.requeue(), other.requeue()])
    assert.isAtLeast(
      results.reduce((sum, { requeued }) => sum + requeued, 0),
      6
    )
    const waiting = [...(await keysIn(spool)), ...(await keysIn(other))]
    assert.deepStrictEqual([...waiting].sort(), ["a", "b", "c", "d", "e", "huge"])
    assertNothingLost(lines, folder, waiting)
  })

  it("loses none where the spool is closed meanwhile, or another takes the file for that of a dead process", async () => {
    for (const meanwhile of ["close", "rename"] as const) {
      const folder = newFolder()
      write(folder, lines)
      const spool: Spool = await spoolIn(folder, {
        files: filesThrough(async ({ name, path }, run) => {
          const result = await run()
          if (name !== "read" || !path.endsWith(".requeue")) return result
          if (meanwhile === "close") void spool.close()
          else renameSync(path, join(folder, "dead-letter.0123456789abcdef-1.requeue"))
          return result
        })
      })
      await spool.requeue()
      await spool.close()
      assertNothingLost(lines, folder, await keysIn(await spoolIn(folder)))
    }
  })

  for (const where of ["before", "within", "after"] as const) {
    for (const end of ["kills the process", "fails"] as const) {
      it(`loses none where the disk ${end} ${where} any of its operations`, async () => {
        const at = async (number: number): Promise<boolean> => {
          const folder = newFolder()
          write(folder, lines)
          let isOn = false
          let isDead = false
          let count = 0
          const around: Around = async ({ bytes }, run) => {
            if (isDead) throw diskError("EIO")
            if (!isOn || count++ !== number) return run()
            isDead = end === "kills the process"
            isOn = false
            if (where === "within" && bytes !== undefined) await run(bytes.subarray(0, bytes.length / 2))
            if (where === "after") await (((await run()) ?? {}) as Partial<SpoolFile>).close?.()
            isOn = true
            throw diskError("EIO")
          }
          const spool = await spoolIn(folder, { maxBytes: MIB, files: filesThrough(around) })
          isOn = true
          await spool.requeue().catch(() => {})
          const isReached = count > number
          isOn = isDead
          await spool.close().catch(() => {})
          const next = await openSpool({ folder })
          assertNothingLost(lines, folder, await keysIn(next))
          await next.requeue()
          assertNothingLost(lines, folder, await keysIn(next))
          await next.close()
          return isReached
        }
        let number = 0
        while (await at(number)) number++
        assert.isAbove(number, 10)
      })
    }
  }

  it("has its events sent without another one", async () => {
    const folder = newFolder()
    const sent: Array<unknown> = []
    const service = async (_: unknown, request?: RequestInit) => {
      const body = JSON.parse(String(request?.body))
      const events: ReadonlyArray<{ readonly idempotency_key: string }> = body.events ?? [body]
      sent.push(...events.map(({ idempotency_key }) => idempotency_key))
      const items = events.map(({ idempotency_key: id }) => ({ id, status: "queued" }))
      return Response.json(body.events ? { events: items } : items[0], { status: 202 })
    }
    const queue = await spoolIn(folder)
    const cairn = new Cairn({ url: "http://localhost", apiKey: "key", fetch: service, queue })
    open.push(cairn)
    write(folder, [letterOf("a"), letterOf("b"), DAMAGED])
    await queue.requeue()
    const until = performance.now() + SOON
    while (sent.length < 2) {
      assert.isBelow(performance.now(), until, `of two events ${sent.length} were sent`)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    assert.deepStrictEqual(sent.sort(), ["a", "b"])
    assert.strictEqual((await readSpool(folder)).deadLetters.length, 1)
  })
})
