import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { ClosedError, type PreparedEvent, QueueFullError } from "../../src/index.ts"
import { openSpool, readSpool, type Spool, type SpoolOptions } from "../../src/spool/index.ts"
import { eventLine } from "../../src/spool/SegmentLines.ts"
import {
  type Around,
  diskError,
  eventOf,
  filesThrough,
  keysIn,
  newFolders,
  type Operation,
  settle
} from "./SpoolSteps.ts"

const newFolder = newFolders()
const open: Array<Spool> = []

const spoolIn = async (folder: string, options: Partial<SpoolOptions> = {}): Promise<Spool> => {
  const spool = await openSpool({ folder, ...options })
  open.push(spool)
  return spool
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((spool) => spool.close()))
})

const segmentsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => name.endsWith(".log"))

const refusal = (key: string) => ({
  key,
  status: "refused" as const,
  refusal: { error: "validation_failed", message: "no" },
  requestId: "req_1"
})

const keys = (count: number, prefix = "e"): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe("a spool", () => {
  it("has what was added and not settled, after each opening", async () => {
    const folder = newFolder()
    const first = await spoolIn(folder)
    await Promise.all(keys(5).map((key) => first.add(eventOf(key))))
    assert.deepStrictEqual(await keysIn(first), keys(5))
    await first.take({ count: 2, bytes: 1e6 })
    await settle(first, ["e0"])
    await first.release([eventOf("e1")])
    assert.strictEqual(first.size(), 4)
    await first.close()
    const second = await spoolIn(folder)
    assert.strictEqual(second.size(), 4)
    assert.deepStrictEqual(await keysIn(second), ["e1", "e2", "e3", "e4"])
    assert.deepStrictEqual(
      (await readSpool(folder)).waiting,
      keys(5)
        .slice(1)
        .map((key) => eventOf(key))
    )
    await second.take({ count: 100, bytes: 1e6 })
    await settle(second, keys(5))
    await second.close()
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("gives no event twice before it is released, and keeps to the limits of a batch", async () => {
    const spool = await spoolIn(newFolder())
    await Promise.all(keys(5).map((key) => spool.add(eventOf(key))))
    const each = Buffer.byteLength(eventOf("e0").json)
    const keysOf = (events: ReadonlyArray<PreparedEvent>) => events.map(({ key }) => key)
    assert.deepStrictEqual(keysOf(await spool.take({ count: 2, bytes: 1e6 })), ["e0", "e1"])
    assert.deepStrictEqual(keysOf(await spool.take({ count: 9, bytes: 1 })), ["e2"])
    assert.deepStrictEqual(keysOf(await spool.take({ count: 9, bytes: each * 2 - 1 })), ["e3"])
    await spool.release([eventOf("e1"), eventOf("e3")])
    assert.deepStrictEqual(keysOf(await spool.take({ count: 9, bytes: 1e6 })), ["e1", "e3", "e4"])
    assert.deepStrictEqual(await spool.take({ count: 9, bytes: 1e6 }), [])
  })

  it("resolves only after one write and one sync for all that waited, in a file whose name is synced", async () => {
    const done: Array<string> = []
    const written: Array<string> = []
    let held: (() => void) | undefined
    const folder = newFolder()
    const spool = await spoolIn(folder, {
      files: filesThrough(async ({ name, bytes }, run) => {
        if (name === "datasync") await new Promise<void>((resolve) => (held = resolve))
        const result = await run()
        done.push(name)
        if (bytes !== undefined) written.push(Buffer.from(bytes).toString())
        return result
      })
    })
    done.length = 0
    const free = async () => {
      while (held === undefined) await new Promise(setImmediate)
      held()
      held = undefined
    }
    const add = (key: string) => spool.add(eventOf(key)).then(() => done.push(key))
    const first = add("a")
    await new Promise(setImmediate)
    const others = ["b", "c", "d"].map(add)
    await free()
    await first
    await free()
    await Promise.all(others)
    assert.deepStrictEqual(
      done.filter((name) => name !== "stat"),
      ["create", "syncFolder", "write", "datasync", "a", "write", "datasync", "b", "c", "d"]
    )
    assert.deepStrictEqual(
      written,
      [["a"], ["b", "c", "d"]].map((of) => of.map((key) => eventLine(eventOf(key))).join(""))
    )
    assert.deepStrictEqual(
      [...readdirSync(folder).filter((name) => name.endsWith(".log"))].map(
        (name) => statSync(join(folder, name)).mode & 0o777
      ),
      [0o600]
    )
  })

  it("says when it is full, and when there is room again", async () => {
    const spool = await spoolIn(newFolder(), { maxBytes: 1024 * 1024 })
    const large = (index: number) => eventOf(`e${index}`, { metadata: { text: "x".repeat(200_000) } })
    for (let index = 0; index < 5; index++) await spool.add(large(index))
    const refused = await spool.add(large(5)).catch((error: unknown) => error)
    assert.instanceOf(refused, QueueFullError)
    let hasRoom = false
    const room = spool.room(new AbortController().signal).then(() => (hasRoom = true))
    const stopped = new AbortController()
    const never = spool.room(stopped.signal).catch((error: unknown) => error)
    stopped.abort("enough")
    assert.strictEqual(await never, "enough")
    assert.isFalse(hasRoom)
    await spool.take({ count: 1, bytes: 1e6 })
    await settle(spool, ["e0"])
    await room
    await spool.add(large(5))
    assert.deepStrictEqual(await keysIn(spool), ["e1", "e2", "e3", "e4", "e5"])
    assert.instanceOf(await spool.add(large(6)).catch((error: unknown) => error), QueueFullError)
    const closed = spool.room(new AbortController().signal).catch((error: unknown) => error)
    await spool.close()
    assert.instanceOf(await closed, ClosedError)
    assert.instanceOf(await spool.add(large(6)).catch((error: unknown) => error), ClosedError)
  })

  it("removes a segment once all of it is settled, and keeps events in memory of no more than two", async () => {
    const folder = newFolder()
    const spool = await spoolIn(folder, { maxBytes: 1024 * 1024 })
    const all = keys(600)
    const body = { metadata: { text: "x".repeat(1000) } }
    for (let from = 0; from < 600; from += 50) {
      await Promise.all(all.slice(from, from + 50).map((key) => spool.add(eventOf(key, body))))
    }
    const before = segmentsIn(folder).length
    assert.isAbove(before, 5)
    const sent: Array<string> = []
    for (;;) {
      const taken = await spool.take({ count: 100, bytes: 1e6 })
      if (taken.length === 0) break
      sent.push(...taken.map(({ key }) => key))
      await settle(
        spool,
        taken.map(({ key }) => key)
      )
      assert.isAtMost(segmentsIn(folder).length, before - Math.floor(sent.length / 120))
    }
    assert.deepStrictEqual(sent, all)
    assert.isAtMost(segmentsIn(folder).length, 1)
  })
})

describe("a disk that fails", () => {
  /** Fails the given operations on segments while it is told to. */
  const failing = (
    fails: (operation: Operation) => string | undefined
  ): { isBroken: boolean; readonly around: Around } => {
    const disk = {
      isBroken: false,
      around: async (operation: Operation, run: (bytes?: Uint8Array) => Promise<unknown>) => {
        const code = disk.isBroken ? fails(operation) : undefined
        if (code === undefined) return run()
        // A full disk takes a part.
        if (operation.bytes !== undefined) await run(operation.bytes.subarray(0, operation.bytes.length / 2))
        throw diskError(code)
      }
    }
    return disk
  }

  for (const [what, names, code] of [
    ["is full", ["write"], "ENOSPC"],
    ["is full and cannot be cut", ["write", "truncate"], "ENOSPC"],
    ["fails to sync", ["datasync"], "EIO"],
    ["fails to sync and to cut", ["datasync", "truncate"], "EIO"],
    ["is read-only", ["write", "truncate", "create", "open", "unlink", "rename"], "EROFS"]
  ] as const) {
    it(`${what}: what is rejected is not kept, what was confirmed is, and later adds work`, async () => {
      const folder = newFolder()
      const disk = failing(({ name }) => (names.some((each) => each === name) ? code : undefined))
      const spool = await spoolIn(folder, { files: filesThrough(disk.around) })
      await spool.add(eventOf("before"))
      disk.isBroken = true
      for (const key of ["lost 1", "lost 2"]) {
        const error = await spool.add(eventOf(key)).catch((failure: unknown) => failure)
        assert.match(String(error), new RegExp(`could not keep the event: ${code}`))
      }
      disk.isBroken = false
      await Promise.all(["after 1", "after 2"].map((key) => spool.add(eventOf(key))))
      const kept = ["before", "after 1", "after 2"]
      assert.deepStrictEqual(await keysIn(spool), kept)
      assert.strictEqual(spool.size(), 3)
      // After a sync that failed nothing can be said of the file: it gets no more events.
      if (names.some((name) => name === "datasync")) assert.isAbove(segmentsIn(folder).length, 1)
      await spool.close()
      const found = await keysIn(await spoolIn(folder))
      // Where not even cutting works, a record that was written whole and not synced may be there.
      const isCut = !names.some((name) => name === "truncate") || code === "EROFS"
      assert.deepStrictEqual(isCut ? found : found.filter((key) => !key.startsWith("lost")), kept)
    })
  }

  it("taken away by somebody else: its events are written again, under a name that is still its own", async () => {
    const folder = newFolder()
    for (const take of [
      // Somebody who takes this owner for dead.
      (path: string) => renameSync(path, join(folder, "0123456789abcdef-00000001.v1.log")),
      (path: string) => rmSync(path),
      (path: string) => {
        for (const name of readdirSync(folder)) rmSync(join(folder, name))
        writeFileSync(path, "another file of this name\n")
      }
    ]) {
      let isToBeTaken = false
      const files = filesThrough(async ({ name, path }, run) => {
        const result = await run()
        if (name === "datasync" && isToBeTaken) {
          isToBeTaken = false
          take(path)
        }
        return result
      })
      const spool = await spoolIn(folder, { files })
      await spool.add(eventOf("before"))
      isToBeTaken = true
      await spool.add(eventOf("while"))
      await spool.add(eventOf("after"))
      assert.deepStrictEqual(await keysIn(spool), ["before", "while", "after"])
      // The copy that is on the disk is what counts: an opening that knows nothing else has all three.
      await spool.close()
      const next = await spoolIn(folder)
      assert.deepStrictEqual([...new Set(await keysIn(next))].sort(), ["after", "before", "while"])
      await next.take({ count: 100, bytes: 1e6 })
      await settle(next, ["before", "while", "after"])
      await next.close()
    }
  })

  it("whose folder is gone rejects, and takes events again when it is back", async () => {
    const folder = join(newFolder(), "spool")
    const spool = await spoolIn(folder)
    await spool.add(eventOf("before"))
    renameSync(folder, `${folder}.away`)
    assert.match(String(await spool.add(eventOf("lost")).catch((error: unknown) => error)), /ENOENT/)
    mkdirSync(folder)
    await spool.add(eventOf("after"))
    // What had been confirmed is in the new folder too, since nobody knows whether the old one returns.
    assert.deepStrictEqual(
      (await readSpool(folder)).waiting.map(({ key }) => key),
      ["before", "after"]
    )
    assert.deepStrictEqual(await keysIn(spool), ["before", "after"])
  })
})

describe("dead letters", () => {
  const lettersIn = async (folder: string) => (await readSpool(folder)).deadLetters

  it("keep what is refused, with the reason, before it leaves the queue", async () => {
    const folder = newFolder()
    const spool = await spoolIn(folder, { now: () => Date.parse("2026-02-03T04:05:06.789Z") })
    await Promise.all(keys(3).map((key) => spool.add(eventOf(key))))
    await spool.take({ count: 3, bytes: 1e6 })
    await spool.settle([{ key: "e0", status: "queued", id: "evt_1" }, refusal("e1")])
    await spool.release([eventOf("e2")])
    assert.deepStrictEqual(await keysIn(spool), ["e2"])
    assert.deepStrictEqual(
      readFileSync(join(folder, "dead-letter.jsonl"), "utf8"),
      `{"time":"2026-02-03T04:05:06.789Z","key":"e1","request_id":"req_1","refusal":{"error":"validation_failed","message":"no"},"event":${eventOf("e1").json}}\n`
    )
    assert.strictEqual(statSync(join(folder, "dead-letter.jsonl")).mode & 0o777, 0o600)
    assert.deepInclude(spool.counters, { deadLetters: 1, deadLettersDropped: 0 })
  })

  it("are bounded: the oldest stay, and others are counted", async () => {
    const folder = newFolder()
    const spool = await spoolIn(folder, { maxDeadLetterBytes: 500 })
    await Promise.all(keys(5).map((key) => spool.add(eventOf(key))))
    await spool.take({ count: 5, bytes: 1e6 })
    await spool.settle(keys(5).map(refusal))
    assert.deepInclude(spool.counters, { damaged: 0, deadLetters: 2, deadLettersDropped: 3 })
    assert.deepStrictEqual(
      (await lettersIn(folder)).map(({ key }) => key),
      ["e0", "e1"]
    )
    assert.strictEqual(spool.size(), 0)
  })

  it("that cannot be written leave the event in the queue", async () => {
    const folder = newFolder()
    let isFull = true
    const spool = await spoolIn(folder, {
      files: filesThrough(async ({ name, path, bytes }, run) => {
        if (!isFull || name !== "write" || !path.endsWith("jsonl")) return run()
        await run(bytes?.subarray(0, 20))
        throw diskError("ENOSPC")
      })
    })
    await Promise.all(keys(2).map((key) => spool.add(eventOf(key))))
    await spool.take({ count: 2, bytes: 1e6 })
    const both = [refusal("e0"), { key: "e1", status: "duplicate" as const, id: "evt_1" }]
    assert.match(String(await spool.settle(both).catch((error: unknown) => error)), /ENOSPC/)
    assert.deepStrictEqual(await keysIn(spool), ["e0"])
    isFull = false
    await spool.take({ count: 2, bytes: 1e6 })
    await spool.settle([refusal("e0")])
    assert.strictEqual(spool.size(), 0)
    // The torn line of the first try costs nothing but itself.
    assert.deepStrictEqual(
      (await lettersIn(folder)).map(({ key }) => key),
      ["e0"]
    )
  })

  it("that somebody puts back while they are written are written again", async () => {
    const folder = newFolder()
    let isToBeClaimed = true
    const spool = await spoolIn(folder, {
      files: filesThrough(async ({ name, path }, run) => {
        const result = await run()
        if (name !== "datasync" || !path.endsWith("jsonl") || !isToBeClaimed) return result
        isToBeClaimed = false
        return renameSync(path, join(folder, "claimed"))
      })
    })
    await spool.add(eventOf("e0"))
    await spool.take({ count: 1, bytes: 1e6 })
    await spool.settle([refusal("e0")])
    assert.strictEqual(readFileSync(join(folder, "dead-letter.jsonl"), "utf8").split("\n").length, 2)
  })

  it("can be put back, also those of a process that ended while it did so", async () => {
    const folder = newFolder()
    const spool = await spoolIn(folder)
    await Promise.all(keys(4).map((key) => spool.add(eventOf(key))))
    await spool.take({ count: 4, bytes: 1e6 })
    await spool.settle(keys(2).map(refusal))
    renameSync(join(folder, "dead-letter.jsonl"), join(folder, "dead-letter.0123456789abcdef-1.requeue"))
    await spool.settle(keys(4).slice(2).map(refusal))
    assert.deepStrictEqual(
      (await lettersIn(folder)).map(({ key }) => String(key)),
      keys(4)
    )
    assert.deepStrictEqual(await spool.requeue(), { requeued: 4, left: 0 })
    assert.deepStrictEqual([...(await keysIn(spool))].sort(), keys(4))
    assert.deepStrictEqual(await spool.requeue(), { requeued: 0, left: 0 })
    // The marks of the first refusals do not settle what was put back.
    await spool.close()
    assert.deepStrictEqual([...(await keysIn(await spoolIn(folder)))].sort(), keys(4))
    assert.deepStrictEqual(await lettersIn(folder), [])
  })

  it("have what is left of damaged records, before their segment is removed", async () => {
    const folder = newFolder()
    const [a, b] = [eventLine(eventOf("a")), eventLine(eventOf("b"))]
    const torn = b.replace("spool", "speel")
    writeFileSync(join(folder, "0123456789abcdef-00000001.v1.log"), `${a}${torn}${b}${a.slice(0, 40)}`)
    const spool = await spoolIn(folder)
    assert.deepStrictEqual(await keysIn(spool), ["a", "b"])
    assert.deepInclude(spool.counters, { adopted: 1, damaged: 1 })
    await spool.take({ count: 1, bytes: 1e6 })
    await settle(spool, ["a"])
    // The mark is legible although the file ended in a torn record, of which no damaged one was made.
    const { waiting, damaged } = await readSpool(folder)
    assert.deepStrictEqual([waiting, damaged], [[eventOf("b")], 1])
    await spool.take({ count: 1, bytes: 1e6 })
    await settle(spool, ["b"])
    assert.deepStrictEqual(segmentsIn(folder), [])
    const [letter] = await lettersIn(folder)
    assert.deepStrictEqual([letter?.refusal.error, letter?.line], ["damaged_record", torn.trimEnd()])
    assert.deepStrictEqual(await spool.requeue(), { requeued: 0, left: 1 })
    assert.strictEqual((await lettersIn(folder)).length, 1)
  })
})
