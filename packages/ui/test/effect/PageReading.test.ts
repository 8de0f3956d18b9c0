/** The page is built with a few hundred lines in place of Effect: it reads and verifies as with Effect. */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import type { Event } from "@cairn/core/event"
import { provenEvent, testCheckpoint, testLog } from "@cairn/testing"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { build, type InlineConfig, mergeConfig, type Rolldown } from "vite"
import { pageConfig, small } from "../../vite.ts"
import { encodeProof, eventOf, hostileLog, signer } from "./HostileLog.ts"
import * as withEffect from "./PageReading.ts"

type Reading = typeof withEffect

const ENTRY = fileURLToPath(new URL("PageReading.ts", import.meta.url))

/** The same sources as the page has them. */
const asBuilt = async (): Promise<Reading> => {
  const page = pageConfig({ root: dirname(ENTRY), outDir: "unused", address: (file) => file })
  const result = await build(
    mergeConfig(page, {
      configFile: false,
      plugins: [small()],
      build: {
        write: false,
        rolldownOptions: { input: ENTRY, preserveEntrySignatures: "strict" }
      }
    } satisfies InlineConfig)
  )
  const [{ output }] = [result].flat() as [Rolldown.RolldownOutput]
  const code = Buffer.from(output[0].code).toString("base64")
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What stands in a place in which something else should. */
const OTHERS: ReadonlyArray<unknown> = [
  null,
  "",
  "pending",
  "f".repeat(64),
  0,
  1,
  -0,
  1.5,
  2 ** 53,
  Number.NaN,
  undefined,
  1n,
  true,
  [],
  [null],
  [1],
  {},
  { a: 1 },
  JSON.parse('{"__proto__":{"id":"a"}}')
]

/** A value with each place of it, and of what it holds, changed in every way. */
function* changesOf(value: unknown): Generator<unknown> {
  yield* OTHERS
  if (Array.isArray(value)) {
    yield [...value, ...value]
    yield [...value, null]
    for (const [index, item] of value.entries()) {
      yield value.toSpliced(index, 1)
      for (const changed of changesOf(item)) yield value.with(index, changed)
    }
  } else if (isObject(value)) {
    yield { ...value, unknown: 1 }
    yield { ...value, ...JSON.parse('{"__proto__":1}') }
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...others } = value
      yield others
      for (const changed of changesOf(member)) yield { ...value, [name]: changed }
    }
  } else if (typeof value === "string") {
    yield value.toUpperCase()
    yield `${value} `
    yield value.slice(0, -1)
  }
}

const answers = (event: Event) => ({
  page: { data: [event], pagination: { has_more: true, next_cursor: "c", total: null } },
  event,
  proofs: { checkpoint: "c", events: [{}, 1] },
  count: { data: { total: 1 } },
  histogram: { data: { bucket_seconds: 60, buckets: [{ start: "2024-05-01T12:00:00Z", count: 3 }] } },
  settings: { data: { sentences: { "document.*": { en: "{actor}" } } } },
  facets: {
    data: { values: [{ value: "a", label: null, type: "user", count: 1 }], events: 1, complete: true }
  }
})

const { log, events: shown, proofs, checkpoint, key } = hostileLog()
const [first, firstProof] = [eventOf(log.events[0]), proofs[0]]
const NOTHING = { keys: [], workspaceId: undefined }

describe("the page without Effect", () => {
  let built: Reading
  beforeAll(async () => {
    built = await asBuilt()
  })

  it("takes the answers that Effect takes, and no other", () => {
    const event = shown.find(({ targets, metadata }) => targets.length > 0 && metadata !== null)
    if (event === undefined) return assert.fail("no event has all")
    let taken = 0
    let refused = 0
    for (const [name, answer] of Object.entries(answers(event))) {
      const asked = name as keyof Reading["isAnswer"]
      for (const given of [answer, ...changesOf(answer)]) {
        const expected = withEffect.isAnswer[asked](given)
        if (expected) taken++
        else refused++
        if (built.isAnswer[asked](given) !== expected)
          assert.fail(`${name}: ${expected} for ${inspect(given, { depth: 5 })}`)
      }
    }
    assert.isAbove(taken, 200)
    assert.isAbove(refused, 1_000)
    for (const event of shown) assert.isTrue(built.isAnswer.event(event))
    const inherited = Object.create(event)
    assert.strictEqual(built.isAnswer.event(inherited), withEffect.isAnswer.event(inherited))
  })

  /** The marks of one event by both. */
  const marks = (
    known: { readonly keys: ReadonlyArray<string>; readonly workspaceId: string | undefined },
    ...claim: Parameters<InstanceType<Reading["EventVerifier"]>["mark"]>
  ) => {
    const expected = new withEffect.EventVerifier(known).mark(...claim)
    assert.deepStrictEqual(new built.EventVerifier(known).mark(...claim), expected)
    return expected.kind
  }

  it("verifies each event of a hostile log", () => {
    const known = { keys: [key], workspaceId: log.workspaceId }
    assert.isAbove(shown.length, 70)
    for (const [index, event] of shown.entries()) {
      assert.strictEqual(marks(known, event, proofs[index], checkpoint), "proven")
      assert.strictEqual(marks(known, event, proofs.at(index - 1), checkpoint), "broken")
    }
  })

  it("says the same of every proof that was changed", () => {
    const anchored = testLog({ events: 6, periods: [5] })
    const note = testCheckpoint(anchored, 6, signer)
    const event = eventOf(anchored.events[2])
    const read = provenEvent(anchored, 3, 6)
    for (const changed of [read, { ...read, inclusion: [[1]] }, { ...read, inclusion: [new Uint8Array(31)] }])
      assert.strictEqual(built.isReadProof(changed), withEffect.isReadProof(changed))
    const proof = encodeProof(read)
    assert.isFalse(built.isReadProof(proof))
    const kinds = new Map<string, number>()
    for (const changed of [proof, ...changesOf(proof)]) {
      const kind = marks({ keys: [], workspaceId: anchored.workspaceId }, event, changed, note)
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    }
    assert.deepStrictEqual([...kinds.keys()].toSorted(), ["broken", "proven", "unchecked"])
    assert.isAbove(kinds.get("broken") ?? 0, 500)
  })

  it("says the same of every checkpoint and key that was changed", () => {
    const changed = (text: string) =>
      Array.from(text, (_, at) =>
        ["", "\n", "A", "=", " ", "\u2014"].map((by) => text.slice(0, at) + by + text.slice(at + 1))
      ).flat()
    const notes = [checkpoint, "", "\n\n", checkpoint.replace("\n\n", "\n"), ...changed(checkpoint)]
    const kinds = new Set(notes.map((note) => marks(NOTHING, first, firstProof, note)))
    assert.deepStrictEqual([...kinds].toSorted(), ["broken", "proven"])
    for (const one of changed(key)) marks({ ...NOTHING, keys: [one] }, first, firstProof, checkpoint)
  })

  it("reads what is nested deeper than calls can be", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`) as Event["metadata"]
    for (const { isAnswer, isProof } of [withEffect, built]) {
      assert.isTrue(isAnswer.event({ ...first, metadata: deep }))
      assert.isTrue(isProof({ ...firstProof, content: deep }))
    }
  })
})
