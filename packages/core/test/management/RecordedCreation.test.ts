import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Option, Result } from "effect"
import { StorageUnavailable } from "../../src/log/StorageUnavailable.ts"
import {
  COMMAND_LINE,
  type ManagementChange,
  ManagementEvents
} from "../../src/management/ManagementEvent.ts"
import { NotFound } from "../../src/management/NotFound.ts"
import { changeRecorded, createRecorded, makeTurns } from "../../src/management/RecordedCreation.ts"

class Taken extends Data.TaggedError("Taken")<{ readonly message: string }> {}

const CHANGE = {
  workspaceId: "wsp_1",
  action: "cairn.member.created",
  resource: { type: "member", id: "mem_1", name: null },
  metadata: { email: "ada@example.com" }
}

/** Keeps what is recorded. */
const recorder = () => {
  const changes: Array<ManagementChange> = []
  const events = ManagementEvents.of({
    record: (_, change) => {
      changes.push(change)
      return Effect.succeed({ id: "evt_1" } as never)
    }
  })
  return { changes, events }
}

describe("a creation that is recorded first", () => {
  it.effect.each([
    ["whose place another process takes", new Taken({ message: "no place is left" }), true],
    ["whose end is not known", new StorageUnavailable({ operation: "create", cause: "gone" }), false]
  ] as const)("%s", ([, failure, isTakenBack]) =>
    Effect.gen(function* () {
      const { changes, events } = recorder()
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

describe("a change that is recorded first", () => {
  it.effect.each([
    ["member.updated", "member.update_refused"],
    ["webhook.secret_rotated", "webhook.secret_rotation_refused"],
    ["session.ended", "session.end_refused"],
    ["alert.acknowledged", "alert.acknowledged_refused"]
  ] as const)("of what another process removed: %s", ([action, refusal]) =>
    Effect.gen(function* () {
      const { changes, events } = recorder()
      const change = { ...CHANGE, action: `cairn.${action}` }
      const gone = Effect.succeed(Option.none<object>())
      const error = yield* Effect.flip(changeRecorded({ events }, COMMAND_LINE, change, "member", gone))
      assert.instanceOf(error, NotFound)
      const refused = {
        ...change,
        action: `cairn.${refusal}`,
        metadata: { reason: "There is no such member" }
      }
      assert.deepStrictEqual(changes, [change, refused])
    })
  )
})
