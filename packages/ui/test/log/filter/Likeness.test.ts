import { assert, describe, it } from "@effect/vitest"
import { onlyLike } from "../../../src/log/filter/Likeness.ts"

const event = {
  actor: { id: "usr_1", name: "Ada", type: null },
  action: "document.deleted",
  resource: { type: "document", id: "doc_1", name: "List" },
  session_id: "ses_1"
}

describe("what an event has in common with others", () => {
  const filter = { actor_id: ["usr_2", "usr_3"], from: "2026-01-01", resource_name: ["Other"] }

  it("takes the place of what was set of the same kind, and leaves the rest", () => {
    assert.deepStrictEqual(onlyLike(filter, event, "actor"), { ...filter, actor_id: ["usr_1"] })
    assert.deepStrictEqual(onlyLike({}, event, "action"), { action: ["document.deleted"] })
  })

  it("is a session as a whole, whatever was set", () => {
    assert.deepStrictEqual(onlyLike(filter, event, "session"), { session_id: ["ses_1"] })
  })

  it("is a resource by type and id, or by type and name where it has no id", () => {
    assert.deepStrictEqual(onlyLike({ resource_name: ["Other"] }, event, "resource"), {
      resource: ["document"],
      resource_id: ["doc_1"]
    })
    const named = { ...event, resource: { type: null, id: null, name: "List" } }
    assert.deepStrictEqual(onlyLike({ resource_id: ["x"] }, named, "resource"), { resource_name: ["List"] })
  })

  it("is nothing where the event names none", () => {
    const bare = { ...event, resource: { type: "document", id: "", name: null }, session_id: null }
    assert.isUndefined(onlyLike({}, bare, "resource"))
    assert.isUndefined(onlyLike({}, bare, "session"))
  })
})
