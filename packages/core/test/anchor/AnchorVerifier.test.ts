import { AnchorVerifier, type StoredAnchor } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { contentHash, eventHash } from "@cairn/core/event"
import { Sha256, type Sha256Shape } from "@cairn/core/hashing"
import type { LogEntry } from "@cairn/core/log"
import {
  addEvents,
  anchoringRound,
  MemoryAnchors,
  MemoryStorage,
  manualClock,
  newWorkspace
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { anchorsOf, NOON, service } from "../support/AnchorService.ts"

/** What an attacker holds in his hands: the tables. Events 1 to 9, in three anchors of three. */
interface Tables {
  readonly sha256: Sha256Shape
  readonly workspaceId: string
  /** Changes the event of a sequence; undefined deletes it. */
  readonly event: (sequence: number, f: (event: LogEntry) => LogEntry | undefined) => void
  /** Changes the anchor of a number; null deletes it. */
  readonly anchor: (ordinal: number, f: (anchor: StoredAnchor) => StoredAnchor | null) => void
  readonly insert: (event: LogEntry) => void
}

const open = Effect.fnUntraced(function* (
  workspaceId: string
): Effect.fn.Return<Tables, never, MemoryStorage.MemoryTables | MemoryAnchors.MemoryAnchorTables | Sha256> {
  const { log } = yield* MemoryStorage.MemoryTables
  const { periods } = yield* MemoryAnchors.MemoryAnchorTables
  const table = log(workspaceId)
  return {
    sha256: yield* Sha256,
    workspaceId,
    event: (sequence, f) => {
      table.events = table.events.flatMap((event) =>
        event.sequence === sequence ? (f(event) ?? []) : [event]
      )
    },
    anchor: (ordinal, f) => {
      for (const entry of periods.get(workspaceId) ?? []) {
        if (entry.anchor?.ordinal === ordinal) entry.anchor = f(entry.anchor)
      }
    },
    insert: (event) => {
      table.events = [...table.events, event].sort((a, b) => a.sequence - b.sequence)
    }
  }
})

/** The event with its hashes made to fit what it says now, as a careful attacker leaves it. */
const rehashed = ({ sha256, workspaceId }: Tables, event: LogEntry): LogEntry => {
  const hash = event.content === null ? "" : contentHash(sha256, event.salt ?? "", event.content)
  const { id, createdAt, previousEventHash, sequence } = event
  const header = { contentHash: hash, createdAt, id, previousEventHash, sequence, workspaceId }
  return { ...event, contentHash: hash, eventHash: eventHash(sha256, header) }
}

const edited = (event: LogEntry): LogEntry => ({
  ...event,
  content: event.content?.replace('"ada"', '"eve"') ?? null
})

/** Tampering with the second anchor's events, 4 to 6. */
const withEvents: Record<string, (tables: Tables) => void> = {
  "a content is changed": ({ event }) => event(5, edited),
  "a content is changed and its hashes with it": (tables) =>
    tables.event(5, (event) => rehashed(tables, edited(event))),
  "a salt is changed": ({ event }) => event(5, (one) => ({ ...one, salt: "0".repeat(32) })),
  "a time is changed": ({ event }) => event(5, (one) => ({ ...one, createdAt: one.createdAt + 1 })),
  "an id is changed": ({ event }) =>
    event(5, (one) => ({ ...one, id: "00000000-0000-4000-8000-000000000000" })),
  "a link is changed": ({ event }) => event(5, (one) => ({ ...one, previousEventHash: "0".repeat(64) })),
  "a stored hash is changed": ({ event }) => event(5, (one) => ({ ...one, eventHash: "0".repeat(64) })),
  "a stored hash is no hash": ({ event }) => event(5, (one) => ({ ...one, eventHash: null })),
  "the first event is deleted": ({ event }) => event(4, () => undefined),
  "the last event is deleted": ({ event }) => event(6, () => undefined),
  "all events are deleted": ({ event }) => {
    for (const sequence of [4, 5, 6]) event(sequence, () => undefined)
  },
  "an event is put in another's place": (tables) => {
    tables.event(5, () => undefined)
    tables.event(4, (four) => {
      tables.insert(rehashed(tables, { ...four, sequence: 5, id: "b", createdAt: four.createdAt + 1 }))
      return four
    })
  },
  "a content is removed without a record of it": ({ event }) =>
    event(5, (one) => ({ ...one, content: null, salt: null })),
  "an event is moved to the place of the next": (tables) => {
    tables.event(4, (four) => ({ ...four, sequence: 5 }))
  },
  "the anchor's own root is changed": ({ anchor }) =>
    anchor(2, (one) => ({ ...one, merkleRoot: "0".repeat(64) }))
}

/** Tampering with what the second anchor is linked to. */
const withAnchors: Record<string, (tables: Tables) => void> = {
  "the anchor before is deleted": ({ anchor }) => anchor(1, () => null),
  "the root of the anchor before is changed": ({ anchor }) =>
    anchor(1, (one) => ({ ...one, merkleRoot: "0".repeat(64) })),
  "a transaction is given to the anchor before": ({ anchor }) =>
    anchor(1, (one) => ({
      ...one,
      place: { hash: `0x${"1".repeat(64)}`, blockNumber: 1, blockHash: `0x${"2".repeat(64)}` }
    })),
  "the link itself is changed": ({ anchor }) =>
    anchor(2, (one) => ({ ...one, previousAnchorHash: "0".repeat(64) })),
  "the link itself is cut": ({ anchor }) => anchor(2, (one) => ({ ...one, previousAnchorHash: null }))
}

/** Three anchors over nine events, tampered with, and the verification of one. */
const verifyAfter = (ordinal: number, tamper: (tables: Tables) => void) => {
  const clock = manualClock(NOON)
  return Effect.gen(function* () {
    const workspaceId = yield* newWorkspace
    for (let day = 0; day < 3; day++) {
      yield* addEvents(workspaceId, 3)
      clock.advance(Micros.DAY)
      yield* anchoringRound
    }
    const anchor = (yield* anchorsOf(workspaceId))[ordinal - 1]
    tamper(yield* open(workspaceId))
    const { verify } = yield* AnchorVerifier
    return { anchor, verification: Option.getOrThrow(yield* verify(workspaceId, anchor?.id ?? "")) }
  }).pipe(Effect.provide(service(clock)))
}

const assertVerdict = (
  found: { readonly valid: boolean; readonly chain_valid: boolean },
  valid: boolean,
  chainValid: boolean
) => assert.deepStrictEqual([found.valid, found.chain_valid], [valid, chainValid])

describe("verification of an anchor", () => {
  for (const ordinal of [1, 2, 3]) {
    it.effect(`finds number ${ordinal} of an intact log valid, with the one before it`, () =>
      Effect.gen(function* () {
        const { anchor, verification } = yield* verifyAfter(ordinal, () => undefined)
        assert.deepStrictEqual(verification, {
          anchor_id: anchor?.id ?? "",
          merkle_root: anchor?.merkleRoot ?? "",
          valid: true,
          chain_valid: true,
          expected: anchor?.merkleRoot ?? "",
          actual: anchor?.merkleRoot ?? "",
          events_count: 3,
          tx_hash: null,
          explorer_url: null,
          on_chain: { status: "not_checked", detail: "It is not confirmed" }
        })
      })
    )
  }

  for (const [name, tamper] of Object.entries(withEvents)) {
    it.effect(`finds the events not to be those that were anchored when ${name}`, () =>
      Effect.gen(function* () {
        const { verification } = yield* verifyAfter(2, tamper)
        assertVerdict(verification, false, true)
        assert.notStrictEqual(verification.expected, verification.actual)
        assert.strictEqual(verification.actual, verification.merkle_root)
      })
    )

    it.effect(`finds the anchor before that as it was when ${name}`, () =>
      Effect.gen(function* () {
        const { verification } = yield* verifyAfter(1, tamper)
        assertVerdict(verification, true, true)
      })
    )
  }

  for (const [name, tamper] of Object.entries(withAnchors)) {
    it.effect(`finds the chain of anchors broken, and the events intact, when ${name}`, () =>
      Effect.gen(function* () {
        const { verification } = yield* verifyAfter(2, tamper)
        assertVerdict(verification, true, false)
      })
    )

    it.effect(`finds both when ${name} and a content is changed`, () =>
      Effect.gen(function* () {
        const { verification } = yield* verifyAfter(2, (tables) => {
          tamper(tables)
          tables.event(5, edited)
        })
        assertVerdict(verification, false, false)
      })
    )
  }

  it.effect("never finds the chain broken before a workspace's first anchor", () =>
    Effect.gen(function* () {
      const linked = yield* verifyAfter(1, ({ anchor }) =>
        anchor(1, (one) => ({ ...one, previousAnchorHash: "0".repeat(64) }))
      )
      assertVerdict(linked.verification, true, true)
    })
  )

  it.effect("believes a content to be removed if the log has it on record", () =>
    Effect.gen(function* () {
      const remove =
        (metadata: string, action: string, record = 9, hashes = rehashed) =>
        (tables: Tables) => {
          tables.event(5, (one) => ({ ...one, content: null, salt: null }))
          tables.event(record, (one) =>
            hashes(tables, {
              ...one,
              content:
                one.content
                  ?.replace('"document.created"', `"${action}"`)
                  .replace('"metadata":null', `"metadata":${metadata}`) ?? null
            })
          )
        }
      const erased = yield* verifyAfter(2, remove('{"sequences":[5]}', "cairn.event.erased"))
      assertVerdict(erased.verification, true, true)
      const another = yield* verifyAfter(2, remove('{"sequences":[4]}', "cairn.event.erased"))
      assertVerdict(another.verification, false, true)
      const retained = yield* verifyAfter(2, remove('{"below_sequence":6}', "cairn.retention.applied"))
      assertVerdict(retained.verification, true, true)
      const later = yield* verifyAfter(2, remove('{"below_sequence":5}', "cairn.retention.applied"))
      assertVerdict(later.verification, false, true)
      // A record that was put there later is not the one its hash is of, or not the one its neighbours know.
      const record = ['{"sequences":[5]}', "cairn.event.erased"] as const
      const unhashed = yield* verifyAfter(
        2,
        remove(...record, 9, (_, event) => event)
      )
      assertVerdict(unhashed.verification, false, true)
      const unlinked = yield* verifyAfter(2, remove(...record, 8))
      assertVerdict(unlinked.verification, false, true)
    })
  )

  it.effect("answers nothing of an anchor that is not there, or another workspace's", () => {
    const clock = manualClock(NOON)
    return Effect.gen(function* () {
      const [one, other] = [yield* newWorkspace, yield* newWorkspace]
      yield* addEvents(one)
      clock.advance(Micros.DAY)
      yield* anchoringRound
      const { verify } = yield* AnchorVerifier
      const [anchor] = yield* anchorsOf(one)
      assert.deepStrictEqual(yield* verify(one, "anc_none"), Option.none())
      assert.deepStrictEqual(yield* verify(other, anchor?.id ?? ""), Option.none())
    }).pipe(Effect.provide(service(clock)))
  })
})
