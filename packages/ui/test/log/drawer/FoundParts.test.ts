import { assert, describe, it } from "@effect/vitest"
import { foundParts } from "../../../src/log/drawer/FoundParts.ts"

const event = {
  action: "door.opened",
  actor: { id: "user_1", name: "Ada Quartz", type: "user" },
  resource: { type: "door", id: "d-1", name: "Back door" },
  metadata: { badge: "Quartz-9", ip: "198.51.100.7", user_agent: "Opened/1" }
}

describe("where a search finds an event", () => {
  it.each([
    ["ada", ["actor"]],
    ["OPENED", ["action", "technical"]],
    ["ed/1", ["technical"]],
    ["door", ["action", "resource"]],
    ["quartz-9", ["readable"]],
    ["198.51.100", ["readable"]],
    ["1", ["readable", "technical"]],
    // Over both, in the text that the service searches.
    ['"quartz-9","ip"', ["readable"]],
    ["user_1", []]
  ] as const)("%s is %j", (words, parts) => {
    assert.deepStrictEqual(foundParts(event, [words]), parts)
  })

  it("names the parts of all words, and none without a search", () => {
    assert.deepStrictEqual(foundParts(event, ["ada", "ed/1"]), ["actor", "technical"])
    assert.deepStrictEqual(foundParts(event, []), [])
    assert.deepStrictEqual(foundParts({ ...event, metadata: { badge: 7 } }, ["{"]), ["readable"])
    assert.deepStrictEqual(foundParts({ ...event, metadata: null }, ["quartz"]), ["actor"])
  })
})
