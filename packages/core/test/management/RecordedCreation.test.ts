import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Result } from "effect"
import { StorageUnavailable } from "../../src/log/StorageUnavailable.ts"
import {
  COMMAND_LINE,
  type ManagementChange,
  ManagementEvents
} from "../../src/management/ManagementEvent.ts"
import { createRecorded, makeTurns } from "../../src/management/RecordedCreation.ts"

class Taken extends Data.TaggedError("Taken")<{ readonly message: string }> {}

const CHANGE = {
  workspaceId: "wsp_1",
  action: "cairn.member.created",
  resource: { type: "member", id: "mem_1", name: null },
  metadata: { email: "ada@example.com" }
}

describe("a creation that is recorded first", () => {
  it.effect.each([
    ["whose place another process takes", new Taken({ message: "no place is left" }), true],
    ["whose end is not known", new StorageUnavailable({ operation: "create", cause: "gone" }), false]
  ] as const)("%s", ([, failure, isTakenBack]) =>
    Effect.gen(function* () {
      const changes: Array<ManagementChange> = []
      const events = ManagementEvents.of({
        record: (_, change) => {
          changes.push(change)
          return Effect.succeed({ id: "evt_1" } as never)
        }
      })
      const creating = createRecorded({ events, turns: makeTurns() }, COMMAND_LINE, CHANGE, {
        things: { list: () => Effect.succeed([]), create: () => Effect.fail(failure as never) },
        item: {},
        admit: () => Result.void
      })
      const error: unknown = yield* Effect.flip(creating)
      assert.strictEqual(error, failure)
      const refused = {
        ...CHANGE,
        action: "cairn.member.creation_refused",
        metadata: { reason: "no place is left" }
      }
      assert.deepStrictEqual(changes, isTakenBack ? [CHANGE, refused] : [CHANGE])
    })
  )
})
