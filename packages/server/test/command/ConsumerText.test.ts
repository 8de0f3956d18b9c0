import { BEFORE_FIRST_EVENT } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { consumerLine, consumerView } from "../../src/command/ConsumerText.ts"

const at = Micros.parse("2026-01-31T12:00:00Z") ?? 0
const position = {
  workspaceId: "wsp_1",
  consumer: "stream:str_1",
  sequence: BEFORE_FIRST_EVENT,
  paused: false,
  version: 1,
  updatedAt: at
}
const failing = { reason: "ENOTFOUND (a.example: has none)", since: at, nextAttempt: at + Micros.SECOND }

describe("a consumer", () => {
  it.each([
    [{}, null, "at 0, 3 behind  running"],
    [{ sequence: 7 }, null, "at 7, 3 behind  running"],
    [{ paused: true }, failing, "at 0, 3 behind  paused"],
    [
      {},
      failing,
      "at 0, 3 behind  retrying: ENOTFOUND (a.example: has none) (since 2026-01-31T12:00:00.000000Z, next try 2026-01-31T12:00:01.000000Z)"
    ]
  ])("%j that fails so: %j", (changes, how, says) => {
    const standing = { position: { ...position, ...changes }, lag: 3, failing: how }
    assert.strictEqual(consumerLine(standing), `stream:str_1  ${says}  2026-01-31T12:00:00.000000Z`)
    assert.deepStrictEqual(consumerView(standing), {
      consumer: "stream:str_1",
      sequence: "sequence" in changes ? 7 : 0,
      lag: 3,
      paused: "paused" in changes,
      failing:
        how === null
          ? null
          : {
              reason: how.reason,
              since: "2026-01-31T12:00:00.000000Z",
              next_attempt_at: "2026-01-31T12:00:01.000000Z"
            },
      updated_at: "2026-01-31T12:00:00.000000Z"
    })
  })
})
