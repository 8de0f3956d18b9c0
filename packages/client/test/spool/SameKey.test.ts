/** Events with one key in a spool: each has a fate of its own, through a crash too. */
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Cairn, type PreparedEvent } from "../../src/index.ts"
import { openSpool, readSpool, type Spool } from "../../src/spool/index.ts"
import { eventLine } from "../../src/spool/SegmentLines.ts"
import { eventOf, newFolders, settle } from "./SpoolSteps.ts"

const newFolder = newFolders()
const open: Array<Spool> = []

const spoolIn = async (folder: string): Promise<Spool> => {
  const spool = await openSpool({ folder })
  open.push(spool)
  return spool
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((spool) => spool.close()))
})

const [first, second, third] = [1, 2, 3].map((turn) => eventOf("k", { metadata: { turn } }))
assert(first && second && third)
const other = eventOf("other")

const take = (spool: Spool) => spool.take({ count: 100, bytes: 1e6 })

const refusal = {
  key: "k",
  status: "refused" as const,
  refusal: { error: "validation_failed", message: "no" }
}

/** What waits for whoever opens the folder after a crash at this moment, which is opened. */
const afterCrash = async (folder: string): Promise<ReadonlyArray<PreparedEvent>> => {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") })
  const spool = await spoolIn(copy)
  const found: Array<PreparedEvent> = []
  for (let taken = await take(spool); taken.length > 0; taken = await take(spool)) {
    found.push(...taken)
    await settle(
      spool,
      taken.map(({ key }) => key)
    )
  }
  return found
}

describe("events with one key in a spool", () => {
  it("are given one after the other, each once the one before is settled", async () => {
    const spool = await spoolIn(newFolder())
    await Promise.all([first, second, other, third].map((event) => spool.add(event)))
    assert.deepStrictEqual(await take(spool), [first, other])
    assert.deepStrictEqual(await take(spool), [])
    await spool.release([first])
    assert.deepStrictEqual(await take(spool), [first])
    await settle(spool, ["k"])
    assert.deepStrictEqual(await take(spool), [second])
    await settle(spool, ["other"])
    assert.strictEqual(spool.size(), 2)
    await settle(spool, ["k"])
    assert.deepStrictEqual(await take(spool), [third])
    await settle(spool, ["k"])
    assert.strictEqual(spool.size(), 0)
  })

  it("stay through a crash after the first is settled, and are gone once the last is", async () => {
    const folder = newFolder()
    const spool = await spoolIn(folder)
    await Promise.all([first, other].map((event) => spool.add(event)))
    assert.deepStrictEqual(await spool.take({ count: 1, bytes: 1e6 }), [first])
    // It comes while the first is on its way.
    await spool.add(second)
    await settle(spool, ["k"])
    assert.deepInclude(await afterCrash(folder), second)
    assert.deepStrictEqual(await spool.take({ count: 9, bytes: 1e6 }), [other, second])
    await settle(spool, ["k"])
    assert.deepStrictEqual((await readSpool(folder)).waiting, [other])
    // A mark of the first two does not settle what comes later.
    await spool.add(third)
    assert.deepStrictEqual(await afterCrash(folder), [other, third])
  })

  it("stay in a file that was taken over", async () => {
    const folder = newFolder()
    const lines = [first, second, other].map(eventLine).join("")
    writeFileSync(join(folder, "0123456789abcdef-00000001.v1.log"), lines)
    const spool = await spoolIn(folder)
    assert.deepStrictEqual(await take(spool), [first, other])
    await settle(spool, ["k"])
    assert.deepInclude(await afterCrash(folder), second)
    assert.deepStrictEqual(await take(spool), [second])
    await settle(spool, ["k"])
    assert.deepStrictEqual(await afterCrash(folder), [other])
  })

  it("go to the dead letters each by its own answer", async () => {
    const folder = newFolder()
    const spool = await spoolIn(folder)
    await Promise.all([first, second].map((event) => spool.add(event)))
    await take(spool)
    await spool.settle([refusal])
    assert.strictEqual(spool.size(), 1)
    assert.deepInclude(await afterCrash(folder), second)
    await take(spool)
    await settle(spool, ["k"])
    assert.strictEqual(spool.size(), 0)
    const { deadLetters } = await readSpool(folder)
    assert.deepStrictEqual(
      deadLetters.map(({ event }) => event),
      [JSON.parse(first.json)]
    )
  })

  it("are answered each for itself by the service: the mended one is recorded", async () => {
    const folder = newFolder()
    const recorded: Array<string> = []
    const fetch = async (_: unknown, init: { readonly body: string }) => {
      const body = JSON.parse(init.body)
      const items = (body.events ?? [body]).map(({ actor_id }: { readonly actor_id: string }) => {
        if (actor_id === "bad") return { status: "rejected", error: "validation_failed", message: "no" }
        recorded.push(actor_id)
        return { id: actor_id, status: "queued" }
      })
      if (body.events) return new Response(JSON.stringify({ events: items }), { status: 202 })
      const isBad = items[0].status === "rejected"
      return new Response(JSON.stringify(items[0]), { status: isBad ? 422 : 202 })
    }
    const cairn = new Cairn({
      url: "https://audit.test",
      apiKey: "key",
      queue: await spoolIn(folder),
      fetch: fetch as unknown as typeof globalThis.fetch,
      handleExit: false,
      onError: () => {}
    })
    for (const actor_id of ["bad", "ada"]) {
      await cairn.enqueue({ actor_id, action: "a.b", idempotency_key: "k" })
    }
    await cairn.flush()
    assert.deepStrictEqual(recorded, ["ada"])
    assert.deepInclude(cairn.counters, { kept: 2, refused: 1, queued: 1, waiting: 0 })
    const { deadLetters } = await readSpool(folder)
    assert.deepStrictEqual(
      deadLetters.map(({ event }) => event?.actor_id),
      ["bad"]
    )
    await cairn.close()
  })
})
