import { assert, describe, it } from "@effect/vitest"
import { ancestorFaults, ancestorsOf, draftOf } from "../../../src/page/pages/viewer/Ancestors.ts"

describe("who may embed, as a form holds it", () => {
  it("is the same setting after a way there and back", () => {
    for (const setting of [null, [], ["https://a.example", "https://*.b.example:8443"]]) {
      assert.deepStrictEqual(ancestorsOf(draftOf(setting)), setting)
    }
  })

  it("leaves out empty lines and spaces", () => {
    const lines = " https://a.example \n\n\thttps://b.example\n"
    assert.deepStrictEqual(ancestorsOf({ choice: "listed", lines }), [
      "https://a.example",
      "https://b.example"
    ])
  })

  it("says which line is wrong, by what stands in it", () => {
    const fields = { "viewer_frame_ancestors[1]": "must be a host source", name: "must be shorter" }
    assert.strictEqual(
      ancestorFaults(["https://a.example", "https://b.example/x"], fields),
      "https://b.example/x: must be a host source"
    )
    assert.strictEqual(ancestorFaults([], { viewer_frame_ancestors: "too many" }), "too many")
    assert.isUndefined(ancestorFaults([], { name: "must be shorter" }))
  })
})
