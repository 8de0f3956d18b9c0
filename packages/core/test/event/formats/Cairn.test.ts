import { assert, describe, it } from "@effect/vitest"
import { EVENT_FORMATS } from "../../../src/event/formats/FormatTable.ts"
import { origin, samples } from "./Samples.ts"

describe("the format cairn", () => {
  it.each(samples)("%s is the event of the interface", (_, event) => {
    assert.deepStrictEqual(JSON.parse(EVENT_FORMATS.cairn.encode(event, origin)), event)
  })
})

describe("every format", () => {
  it.each(Object.entries(EVENT_FORMATS))("%s writes one line", (_, { encode, json }) => {
    for (const [what, event] of samples) {
      const text = encode(event, origin)
      assert.notMatch(text, /[\r\n]/, what)
      if (json) assert.isObject(JSON.parse(text))
    }
  })
})
