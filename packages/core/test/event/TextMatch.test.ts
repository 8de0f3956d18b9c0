/** `matchesText` selects by the text of a content what `matches` selects by its value. */
import { naughtyNames, naughtyStrings } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { canonicalize } from "../../src/encoding/CanonicalJson.ts"
import { type EventContent, parseContent } from "../../src/event/EventContent.ts"
import { type EventFilter, matches } from "../../src/event/EventFilter.ts"
import { isReadable, matchesText } from "../../src/event/TextMatch.ts"
import { someContent, someFilter } from "../log/frame/FilteredContents.ts"
import { bare } from "./BareContent.ts"

const generated = generatedTests(import.meta.url)

const NOON = 1_714_564_800_000_000

const someText = FastCheck.oneof(
  FastCheck.constantFrom("a", "A.b", '"', "\\", "}", "\u{1f600}", "\u0000"),
  FastCheck.constantFrom(...naughtyStrings.filter((text) => text.isWellFormed()))
)
const someMetadata = FastCheck.dictionary(FastCheck.constantFrom("a", ...naughtyNames), someText, {
  maxKeys: 3
})

/** A content with texts in every field that is searched, and members of targets that no filter reads. */
const searched: FastCheck.Arbitrary<EventContent> = FastCheck.record({
  content: someContent,
  actorName: FastCheck.option(someText),
  resourceName: FastCheck.option(someText),
  metadata: FastCheck.option(someMetadata),
  target: FastCheck.record({ name: someText, metadata: someMetadata }, { requiredKeys: [] })
}).map(({ content, actorName, resourceName, metadata, target }) => ({
  ...content,
  actor: { ...content.actor, name: actorName },
  resource: { ...content.resource, name: resourceName },
  metadata,
  targets: content.targets.map((one) => ({ ...one, ...target }))
}))

const someBound = FastCheck.constantFrom(NOON - 1, NOON, NOON + 1)
const wholeFilter: FastCheck.Arbitrary<EventFilter> = FastCheck.tuple(
  FastCheck.oneof({ weight: 2, arbitrary: FastCheck.constant({}) }, someFilter),
  FastCheck.record({ search: someText, from: someBound, to: someBound }, { requiredKeys: [] })
).map(([fields, rest]) => ({ ...fields, ...rest }))

const canonical = (content: EventContent): string => Result.getOrThrow(canonicalize(content))

/** The same value with the members of all its objects in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, reversed(member)])
      .toReversed()
  )
}

describe("the text of a content", () => {
  it("is selected as its value is, in canonical form and in any other", () => {
    generated.property(
      FastCheck.property(searched, wholeFilter, (content, filter) => {
        const expected = matches(filter, content, NOON)
        const texts = [
          canonical(content),
          JSON.stringify(content, null, 1),
          JSON.stringify(reversed(content))
        ]
        for (const text of texts) assert.strictEqual(matchesText(filter, text, NOON), expected, text)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is selected by what it says about itself", () => {
    generated.property(
      FastCheck.property(searched, (content) => {
        const text = canonical(content)
        const own: ReadonlyArray<EventFilter> = [
          { action: content.action, actorId: content.actor.id, from: NOON, to: NOON },
          { search: content.action },
          ...(content.actor.name === null ? [] : [{ search: content.actor.name }]),
          ...(content.resource.name === null ? [] : [{ search: content.resource.name }]),
          ...(content.tenant_id === null ? [] : [{ tenantId: content.tenant_id }]),
          ...content.targets.map(({ type, id }) => ({
            targetType: type,
            ...(id === undefined ? {} : { targetId: id })
          }))
        ]
        for (const filter of own) assert.isTrue(matchesText(filter, text, NOON), JSON.stringify(filter))
      })
    )
  })

  it("is selected by nothing, nor readable, if its targets are none", () => {
    const content = canonical({ ...bare, targets: [{ type: "t" }] })
    assert.isTrue(matchesText({}, content, NOON))
    for (const targets of [
      "null",
      "[x]",
      "[1]",
      "[null]",
      "[{}]",
      '[{"id":"t"}]',
      '[{"type":1}]',
      '[{"id":1,"type":"t"}]',
      '[{"name":1,"type":"t"}]',
      '[{"type":"t"}'
    ]) {
      const text = content.replace('[{"type":"t"}]', targets)
      assert.isUndefined(parseContent(text), text)
      assert.isFalse(matchesText({}, text, NOON), text)
      assert.isFalse(isReadable(text), text)
    }
  })

  it("is readable exactly if it can be parsed", () => {
    const pieces = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "null",
      "0",
      '"id":"x",',
      '"type":"y"',
      "é",
      "\n"
    ]
    const change = FastCheck.record({
      at: FastCheck.nat(),
      cut: FastCheck.integer({ min: 0, max: 4 }),
      piece: FastCheck.constantFrom("", ...pieces)
    })
    generated.property(
      FastCheck.property(searched, change, (content, { at, cut, piece }) => {
        const text = canonical(content)
        const start = at % (text.length + 1)
        const changed = text.slice(0, start) + piece + text.slice(start + cut)
        assert.strictEqual(isReadable(changed), parseContent(changed) !== undefined, changed)
      }),
      { numRuns: 2_000 }
    )
  })
})
