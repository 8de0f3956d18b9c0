/** What frames hold of an event is the same from a walk through its text as from its parsed content. */
import { naughtyNames, naughtyStrings } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { canonicalize } from "../../../src/encoding/CanonicalJson.ts"
import * as Micros from "../../../src/encoding/Micros.ts"
import type { EventContent } from "../../../src/event/EventContent.ts"
import { searchTexts } from "../../../src/event/EventFilter.ts"
import { filterColumns } from "../../../src/event/FilterColumns.ts"
import { frameEvent } from "../../../src/log/frame/FrameEvent.ts"
import { textOfFields } from "../../../src/log/frame/FrameTexts.ts"
import { bare } from "../../event/BareContent.ts"

const generated = generatedTests(import.meta.url)

const someText = FastCheck.oneof(
  FastCheck.constantFrom(...naughtyStrings.filter((text) => text.isWellFormed())),
  FastCheck.string({ unit: "binary", maxLength: 12 }).filter((text) => text.isWellFormed())
)
const someObject = FastCheck.dictionary(FastCheck.constantFrom(...naughtyNames), someText, { maxKeys: 3 })

const someContent: FastCheck.Arbitrary<EventContent> = FastCheck.record({
  action: someText,
  name: FastCheck.option(someText),
  resource: FastCheck.option(someText),
  metadata: FastCheck.option(someObject),
  targets: FastCheck.array(
    FastCheck.record(
      { type: someText, id: someText, name: someText, metadata: someObject },
      { requiredKeys: ["type"] }
    ),
    { maxLength: 3 }
  )
}).map(({ action, name, resource, metadata, targets }) => ({
  ...bare,
  action,
  actor: { ...bare.actor, id: action, name },
  resource: { id: resource, name, type: resource },
  session_id: name,
  tenant_id: resource,
  metadata,
  targets
}))

const expected = (content: EventContent) => ({
  sequence: 7,
  createdAt: 9,
  occurredAt: Micros.parse(content.occurred_at),
  columns: filterColumns(content),
  text: textOfFields(searchTexts(content))
})

describe("an event of a frame", () => {
  it("is the same in canonical form as in any other", () => {
    generated.property(
      FastCheck.property(someContent, (content) => {
        const canonical = Result.getOrThrow(canonicalize(content))
        assert.deepStrictEqual(frameEvent(7, 9, canonical), expected(content))
        assert.deepStrictEqual(frameEvent(7, 9, JSON.stringify(content, null, 1)), expected(content))
      })
    )
  })

  it("is none of a text that is no content", () => {
    for (const text of ["", "{}", "null", '{"action":1}']) assert.isUndefined(frameEvent(7, 9, text))
  })
})
