import { assert, describe, it } from "@effect/vitest"
import { isAccessAction, namesAccess } from "../../src/event/AccessAction.ts"

describe("an action", () => {
  it.each(["cairn.access.events", "cairn.access.events.count", "cairn.access."])(
    "is an access event's: %s",
    (action) => assert.isTrue(isAccessAction(action))
  )

  it.each(["cairn.access", "cairn.accessory.added", "Cairn.access.events", "my.cairn.access.events", ""])(
    "is no access event's: %s",
    (action) => assert.isFalse(isAccessAction(action))
  )
})

describe("a pattern", () => {
  it.each([
    "cairn.access.*",
    "cairn.access.events",
    "CAIRN.Access.*",
    "cairn.access*",
    "cairn.access.*.count",
    "cairn.access"
  ])("names access events: %s", (pattern) => assert.isTrue(namesAccess(pattern)))

  it.each([
    "*",
    "cairn.*",
    "cairn.acces*",
    "cairn.*access.*",
    "*cairn.access.*",
    "*access*",
    "my.cairn.access.*",
    "document.*",
    ""
  ])("does not name access events: %s", (pattern) => assert.isFalse(namesAccess(pattern)))
})
