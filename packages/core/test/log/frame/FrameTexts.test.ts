/** The frames of the search index find what `matches` finds, no event more and none less. */
import { naughtyNames, naughtyStrings, ordinaryEvents } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import type { EventContent } from "../../../src/event/EventContent.ts"
import { matches, type OneOrSeveral, searchTexts } from "../../../src/event/EventFilter.ts"
import { DamagedFrame } from "../../../src/log/frame/ByteReader.ts"
import { gramSignature, mayHold } from "../../../src/log/frame/FrameSignature.ts"
import {
  decodeTexts,
  encodeTexts,
  type FrameTexts,
  findInTexts,
  type IndexOf,
  textEntries,
  textOfFields
} from "../../../src/log/frame/FrameTexts.ts"
import { searchTerm } from "../../../src/log/frame/SearchTerm.ts"
import { bare } from "../../event/BareContent.ts"

const generated = generatedTests(import.meta.url)

const indexOf: IndexOf = (bytes, wanted, from) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(wanted, from)

const wellFormed = FastCheck.string({ unit: "binary", maxLength: 12 }).filter((text) => text.isWellFormed())
const someText = FastCheck.oneof(FastCheck.constantFrom(...naughtyStrings), wellFormed)

const someContent: FastCheck.Arbitrary<EventContent> = FastCheck.record({
  action: someText,
  actor: FastCheck.option(someText),
  resource: FastCheck.option(someText),
  metadata: FastCheck.option(
    FastCheck.dictionary(FastCheck.constantFrom(...naughtyNames), someText, { maxKeys: 3 })
  )
}).map(({ action, actor, resource, metadata }) => ({
  ...bare,
  action,
  actor: { ...bare.actor, name: actor },
  resource: { ...bare.resource, name: resource },
  metadata
}))

/** Events with gaps between their sequences, as where contents were removed. */
const FIRST = -1_000
const entriesOf = (contents: ReadonlyArray<EventContent>) =>
  contents.map((content, index) => ({
    sequence: FIRST + index * 3,
    text: textOfFields(searchTexts(content))
  }))

const expected = (contents: ReadonlyArray<EventContent>, search: OneOrSeveral) =>
  contents.flatMap((content, index) => (matches({ search }, content, 0) ? [FIRST + index * 3] : []))

/** Some characters of the first event. */
const partOf = ([content]: ReadonlyArray<EventContent>, from: number, length: number): string => {
  const own = [...(content?.actor.name ?? content?.action ?? "")]
  const at = from % (own.length + 1)
  return own.slice(at, at + length).join("")
}

const found = (frame: FrameTexts, search: OneOrSeveral): ReadonlyArray<number> =>
  searchTerm(search)
    .texts.map((text) => findInTexts(frame, text, indexOf))
    .reduce((some, others) => some.filter((sequence) => others.includes(sequence)))

describe("a frame", () => {
  it("finds what matches finds, and is not passed over where it finds something", () => {
    const part = FastCheck.tuple(FastCheck.nat(), FastCheck.integer({ min: 1, max: 8 }))
    generated.property(
      FastCheck.property(
        FastCheck.array(someContent, { minLength: 1, maxLength: 8 }),
        FastCheck.array(FastCheck.oneof(someText, part), { minLength: 1, maxLength: 3 }),
        (contents, wanted) => {
          const entries = entriesOf(contents)
          const frame = decodeTexts(FIRST, encodeTexts(FIRST, entries))
          assert.deepStrictEqual(textEntries(frame), entries)
          const search = wanted
            .map((one) => (typeof one === "string" ? one : partOf(contents, ...one)))
            .filter((text) => text !== "")
          if (search.length === 0) return
          const sequences = expected(contents, search)
          assert.deepStrictEqual(found(frame, search), sequences)
          if (sequences.length > 0) assert.isTrue(mayHold(gramSignature(entries), searchTerm(search).buckets))
        }
      )
    )
  })

  it("finds no term across two fields, nor across two events", () => {
    const contents = [
      { ...bare, action: "ab", actor: { ...bare.actor, name: "cd" } },
      { ...bare, action: "ef", metadata: { a: "gh" } }
    ]
    const frame = decodeTexts(FIRST, encodeTexts(FIRST, entriesOf(contents)))
    for (const search of ["abcd", "bc", "cdef", "de", "ab\ncd", "ef{", "}"]) {
      assert.deepStrictEqual(found(frame, search), expected(contents, search), search)
    }
  })

  it("holds nothing of an event that it was written without", () => {
    const secret = { ...bare, metadata: { note: "a secret word" } }
    const [kept, removed] = entriesOf([bare, secret])
    if (kept === undefined || removed === undefined) return assert.fail("two entries")
    const frame = decodeTexts(FIRST, encodeTexts(FIRST, [kept]))
    assert.deepStrictEqual(found(frame, "secret"), [])
    assert.deepStrictEqual(gramSignature([kept]), gramSignature(textEntries(frame)))
    assert.isFalse(mayHold(gramSignature([kept]), searchTerm("secret").buckets))
  })

  it("that is cut short or changed in its head is told from a frame", () => {
    const bytes = encodeTexts(FIRST, entriesOf([bare, { ...bare, action: "x".repeat(300) }]))
    for (let length = 0; length < bytes.length; length += 7) {
      assert.throws(() => decodeTexts(FIRST, bytes.subarray(0, length)), DamagedFrame)
    }
    for (let at = 0; at < 2; at++) {
      const changed = bytes.slice()
      changed[at] = 0xff
      assert.throws(() => decodeTexts(FIRST, changed), DamagedFrame)
    }
  })
})

describe("a signature", () => {
  it("of 256 ordinary events passes over nineteen of twenty frames that do not have a word of four letters", () => {
    const frames = Array.from({ length: 20 }, (_, seed) =>
      ordinaryEvents(256, { seed }).map((event) =>
        textOfFields(searchTexts({ ...bare, action: event.action, metadata: event.metadata ?? null }))
      )
    )
    const signatures = frames.map((texts) =>
      gramSignature(texts.map((text, sequence) => ({ sequence, text })))
    )
    // Words that no event has.
    const words = Array.from({ length: 200 }, (_, n) =>
      `${String.fromCharCode(97 + (n % 26))}q${(n * 7919).toString(36)}zx`.slice(0, 4)
    )
    let wrong = 0
    for (const word of words) {
      const { texts, buckets } = searchTerm(word)
      for (const [index, signature] of signatures.entries()) {
        const isThere =
          frames[index]?.some((text) => texts.every((one) => indexOf(text, one, 0) >= 0)) === true
        if (!isThere && mayHold(signature, buckets)) wrong++
      }
    }
    assert.isBelow(wrong / (words.length * signatures.length), 0.08)
  })
})
