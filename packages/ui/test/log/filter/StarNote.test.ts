import { assert, describe, it } from "@effect/vitest"
import { starNote } from "../../../src/log/filter/StarNote.ts"

describe("a * in a filter", () => {
  it.each(["", "user.created", "user.*", " user.* ", "*", "a.b.*", "*.deleted", "*.a.b"])(
    "is right in the action %j",
    (text) => {
      assert.isUndefined(starNote("action", text))
    }
  )

  it.each(["*export", "user*", "user.*.*", "**", "a*.*", "*.a.*", "a.*.b"])(
    "is wrong in the action %j",
    (text) => {
      assert.strictEqual(starNote("action", text), "action")
    }
  )

  it("is never needed in the search, and has no meaning in what is compared as a whole", () => {
    assert.strictEqual(starNote(undefined, "export*"), "search")
    assert.strictEqual(starNote("resource", "doc*"), "whole")
    assert.isUndefined(starNote("actor", "ada"))
  })
})
