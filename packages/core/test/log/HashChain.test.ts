import { Micros } from "@cairn/core/encoding"
import type { EventInput } from "@cairn/core/event"
import { contentHash, contentParts, decodeEvent, eventHash, nowhere, parseContent } from "@cairn/core/event"
import { portableSha256, uuid } from "@cairn/core/hashing"
import {
  type ChainContext,
  extendChain,
  extendHistory,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type InboxRow
} from "@cairn/core/log"
import { eventGenerator, hostileGenerator, seededRandomness } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { headerText } from "../../src/event/EventHash.ts"
import { legacyCommitment } from "../../src/log/LegacyHistory.ts"

const NOON = 1_714_564_800_000_000
const sha256 = portableSha256
const nothing: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

const context = (fields: Partial<ChainContext> = {}): ChainContext => ({
  workspaceId: "wsp_1",
  sha256,
  random: seededRandomness(1),
  lookup: () => nowhere,
  now: NOON + Micros.DAY,
  ...fields
})

const random = seededRandomness(2)
let inboxId = 0
const row = (
  acceptedAt: number,
  bodies: ReadonlyArray<EventInput>,
  clientAddress: string | null = null
): InboxRow => ({
  inboxId: ++inboxId,
  acceptedAt,
  events: bodies.map((body) => ({
    id: uuid(random),
    idempotencyKey: null,
    clientAddress,
    content: contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
  }))
})
const plain: EventInput = { actor_id: "a", action: "b" }
const plains = (count: number) => Array.from({ length: count }, () => plain)

/** `created_at` of each event, in microseconds after noon. */
const times = (head: Head, rows: ReadonlyArray<InboxRow>, now = NOON + Micros.DAY) =>
  extendChain(context({ now }), head, rows).events.map(({ createdAt }) => createdAt - NOON)

describe("a chain", () => {
  it("begins at 1 without a predecessor, and each event names the one before", () => {
    const rows = [row(NOON, plains(3)), row(NOON + 10, plains(2))]
    const { events, head } = extendChain(context(), nothing, rows)
    assert.deepStrictEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5]
    )
    assert.deepStrictEqual(
      events.map(({ id }) => id),
      rows.flatMap((each) => each.events.map(({ id }) => id))
    )
    const hashes = events.map((event) => event.eventHash)
    assert.deepStrictEqual(
      events.map((event) => event.previousEventHash),
      [null, ...hashes.slice(0, -1)]
    )
    assert.deepStrictEqual(head, {
      sequence: 5,
      eventHash: hashes[4] ?? null,
      eventId: rows[1]?.events[1]?.id ?? null,
      createdAt: NOON + 11,
      legacy: null
    })
  })

  it("goes on from any head as if it had been made at once", () => {
    const next = hostileGenerator(3)
    const rows = Array.from({ length: 10 }, (_, index) => row(NOON + index, [next(), next()]))
    const whole = extendChain(context(), nothing, rows)
    const shared = context()
    const first = extendChain(shared, nothing, rows.slice(0, 4))
    const rest = extendChain(shared, first.head, rows.slice(4))
    assert.deepStrictEqual([...first.events, ...rest.events], whole.events)
    assert.deepStrictEqual(rest.head, whole.head)
  })

  it("is left as it was by no rows at all", () => {
    const { head } = extendChain(context(), nothing, [row(NOON, plains(1))])
    assert.deepStrictEqual(extendChain(context(), head, []), { events: [], head })
    assert.deepStrictEqual(extendChain(context(), nothing, []), { events: [], head: nothing })
  })

  it("hashes what it stores: salt and content, then the header over them", () => {
    const next = eventGenerator({ seed: 4 })
    const { events } = extendChain(context(), nothing, [row(NOON, Array.from({ length: 50 }, next))])
    const salts = new Set<string>()
    for (const event of events) {
      const { content, salt, id, createdAt, sequence, previousEventHash } = event
      if (content === null || salt === null) return assert.fail("no content")
      assert.match(salt, /^[0-9a-f]{32}$/)
      salts.add(salt)
      const hashOfContent = sha256.hex(`cairn.content.v1\n${salt}\n${content}`)
      assert.strictEqual(event.contentHash, hashOfContent)
      assert.strictEqual(contentHash(sha256, salt, content), hashOfContent)
      const header = {
        contentHash: hashOfContent,
        createdAt,
        id,
        previousEventHash,
        sequence,
        workspaceId: "wsp_1"
      }
      assert.strictEqual(event.eventHash, sha256.hex(`cairn.event.v1\n${headerText(header)}`))
      assert.strictEqual(event.eventHash, eventHash(sha256, header))
    }
    assert.strictEqual(salts.size, events.length)
  })

  it("stores no content that cannot be read", () => {
    const next = hostileGenerator(5)
    const hostile = row(NOON, Array.from({ length: 50 }, next))
    for (const { content } of extendChain(context(), nothing, [hostile]).events)
      assert.isDefined(parseContent(content ?? ""))
    const changed = (change: (part: string) => string): InboxRow => {
      const { events, ...rest } = row(NOON, [{ actor_id: "a", action: "b", metadata: { m: 1 } }])
      return {
        ...rest,
        events: events.map(({ content: { head, tail }, ...event }) => ({
          ...event,
          content: { head: change(head), tail: change(tail) }
        }))
      }
    }
    const extended = (change: (part: string) => string) => () =>
      extendChain(context(), nothing, [changed(change)])
    assert.lengthOf(extended((part) => part)().events, 1)
    const changes: ReadonlyArray<readonly [from: string, to: string]> = [
      ['{"action"', '{"act"'],
      ['{"m":1}', "{m}"],
      ['{"m":1}', "[1]"],
      ['"targets":[]', '"targets":[x]'],
      ['"targets":[]', '"targets":[{}]'],
      ['"targets":[]', '"targets":[{"type":"t","name":1}]'],
      ['"tenant_id":null', '"tenant_id":1'],
      ['"b"', '"\n"'],
      ['"version":null}', '"version":null']
    ]
    for (const [from, to] of changes)
      assert.throws(
        extended((part) => part.replace(from, to)),
        "has no readable content",
        to
      )
  })

  it("puts the place of an event's address into its content, and asks for no address that is not there", () => {
    const asked: Array<string> = []
    const lookup = (address: string) => {
      asked.push(address)
      return { country: "NO", city: 'Å "quoted"' }
    }
    const rows = [row(NOON, plains(1), "192.0.2.1"), row(NOON, plains(1))]
    const { events } = extendChain(context({ lookup }), nothing, rows)
    const places = events.map(({ content }) => {
      const parsed = parseContent(content ?? "")
      return [parsed?.ip_country, parsed?.ip_city]
    })
    assert.deepStrictEqual(places, [
      ["NO", 'Å "quoted"'],
      [null, null]
    ])
    assert.deepStrictEqual(asked, ["192.0.2.1"])
    assert.notInclude(JSON.stringify(events), "192.0.2.1")
  })
})

describe("created_at", () => {
  it("is the moment of acceptance, and 1 µs later for each further event of a request", () => {
    assert.deepStrictEqual(
      times(nothing, [row(NOON, plains(3)), row(NOON + 500, plains(2))]),
      [0, 1, 2, 500, 501]
    )
  })

  it("comes after the head when the clock stands still or steps back", () => {
    const rows = [
      row(NOON, plains(2)),
      row(NOON, plains(1)),
      row(NOON - 3600 * Micros.SECOND, plains(2)),
      row(NOON + 1, plains(1))
    ]
    assert.deepStrictEqual(times(nothing, rows), [0, 1, 2, 3, 4, 5])
    const head = { ...nothing, sequence: 1, eventHash: "00", createdAt: NOON + 99 }
    assert.deepStrictEqual(times(head, [row(NOON, plains(2)), row(NOON + 200, plains(1))]), [100, 101, 200])
  })

  it("of a request that begins within the one before comes after it, still 1 µs apart", () => {
    assert.deepStrictEqual(times(nothing, [row(NOON, plains(3)), row(NOON + 1, plains(2))]), [0, 1, 2, 3, 4])
  })

  it("is not later than the store's clock, when the accepting one ran ahead", () => {
    const rows = [row(NOON + Micros.DAY, plains(2)), row(NOON + 5, plains(1)), row(NOON + 50, plains(1))]
    assert.deepStrictEqual(times(nothing, rows, NOON + 10), [10, 11, 12, 13])
  })

  it("goes on from a head that is later than the store's clock", () => {
    const head = { ...nothing, sequence: 1, eventHash: "00", createdAt: NOON + Micros.DAY }
    assert.deepStrictEqual(times(head, [row(NOON, plains(2))], NOON), [Micros.DAY + 1, Micros.DAY + 2])
  })
})

describe("history before the chain", () => {
  const before = (count: number) =>
    Array.from({ length: count }, (_, index) => row(NOON + index * 10, [plain]))

  it("stands below the chain in the order of import, with no hashes", () => {
    const { events, head } = extendHistory(context(), nothing, before(3))
    assert.deepStrictEqual(
      events.map(({ sequence }) => sequence - FIRST_LEGACY_SEQUENCE),
      [0, 1, 2]
    )
    assert.deepStrictEqual(
      events.map(({ createdAt }) => createdAt - NOON),
      [0, 10, 20]
    )
    for (const event of events) {
      assert.deepStrictEqual(
        [event.contentHash, event.previousEventHash, event.eventHash],
        [null, null, null]
      )
    }
    assert.deepStrictEqual([head.sequence, head.eventHash, head.createdAt - NOON], [0, null, 20])
    assert.strictEqual(head.legacy?.count, 3)
  })

  it("imported in parts is the history imported at once", () => {
    const rows = before(7)
    const whole = extendHistory(context(), nothing, rows)
    const shared = context()
    const first = extendHistory(shared, nothing, rows.slice(0, 3))
    const rest = extendHistory(shared, first.head, rows.slice(3))
    assert.deepStrictEqual([...first.events, ...rest.events], whole.events)
    assert.deepStrictEqual(rest.head, whole.head)
  })

  it("never goes back in time, and never beyond the store's clock", () => {
    const rows = [
      row(NOON, [plain]),
      row(NOON - 5, [plain]),
      row(NOON + Micros.DAY, [plain]),
      row(NOON + 3, [plain])
    ]
    const { events } = extendHistory(context({ now: NOON + 100 }), nothing, rows)
    assert.deepStrictEqual(
      events.map(({ createdAt }) => createdAt - NOON),
      [0, 1, 100, 101]
    )
  })

  it("is committed to by the chain's first event, which stands before the first request", () => {
    const { head } = extendHistory(context(), nothing, before(5))
    const requests = [row(NOON + Micros.SECOND, plains(2))]
    const { events } = extendChain(context(), head, requests)
    assert.deepStrictEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3]
    )
    const started = parseContent(events[0]?.content ?? "")
    assert.strictEqual(started?.action, "cairn.chain.started")
    if (head.legacy === null) return assert.fail("no legacy")
    assert.deepStrictEqual<unknown>(started?.metadata, legacyCommitment(sha256, head.legacy))
    assert.strictEqual(events[0]?.previousEventHash, null)
    assert.isAbove(events[0]?.createdAt ?? 0, head.createdAt)
    assert.deepStrictEqual(
      extendChain(context(), extendChain(context(), head, requests).head, requests).events.length,
      2
    )
  })

  it("that is different in anything is committed to by another root", () => {
    const rows = before(4)
    const root = (each: ReadonlyArray<InboxRow>, workspaceId = "wsp_1") => {
      const { legacy } = extendHistory(context({ workspaceId }), nothing, each).head
      return legacy === null ? "" : legacyCommitment(sha256, legacy).legacy_merkle_root
    }
    const [a, b, ...rest] = rows as [InboxRow, InboxRow, ...Array<InboxRow>]
    const roots = [
      root(rows),
      root(rows.slice(0, 3)),
      root(rows.slice(1)),
      root([{ ...a, events: b.events }, { ...b, events: a.events }, ...rest]),
      root([{ ...a, acceptedAt: NOON - 1 }, b, ...rest]),
      root(rows, "wsp_2")
    ]
    assert.strictEqual(new Set(roots).size, roots.length)
    assert.strictEqual(root(rows), roots[0])
  })
})
