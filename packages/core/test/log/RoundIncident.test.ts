import { makeRoundIncident, StorageUnavailable } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

const old = new StorageUnavailable({
  operation: "claim an export",
  cause: Object.assign(new Error("the database is on an older timeline than 2"), { code: "CN001" })
})
const away = new StorageUnavailable({ operation: "claim an export", cause: new Error("ECONNREFUSED") })

interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: object
}

/** A test of an incident and of the lines that it gives. */
const test = (says: string, body: (lines: ReadonlyArray<Line>) => Effect.Effect<unknown>) => {
  it.effect(says, () => {
    const lines: Array<Line> = []
    const logger = Logger.make<unknown, void>((options) => {
      lines.push(JSON.parse(Logger.formatJson.log(options)))
    })
    return Effect.provide(body(lines), Layer.merge(Logger.layer([logger]), Layer.empty))
  })
}

const start = makeRoundIncident({ begins: "Nothing could be made", over: "All is made again" })

const messages = (lines: ReadonlyArray<Line>) => lines.map(({ level, message }) => `${level} ${message}`)

describe("rounds that fail", () => {
  test("have a line with the cause and no stack when that begins, and one when it is over", (lines) =>
    Effect.gen(function* () {
      const incident = yield* start
      const round = (effect: Effect.Effect<string, StorageUnavailable>) =>
        Effect.andThen(incident.around(effect, Effect.succeed("rest")), TestClock.adjust("1 second"))
      yield* round(Effect.succeed("made"))
      for (let count = 0; count < 100; count++) yield* round(Effect.fail(old))
      const begin = "ERROR Nothing could be made: the database is an old primary, which another has replaced"
      assert.deepStrictEqual(messages(lines), [`${begin}: stop it, or see cairn recover`])
      assert.deepStrictEqual(lines[0]?.annotations, {
        operation: "claim an export",
        cause: "CN001; the database is on an older timeline than 2"
      })
      assert.notInclude(JSON.stringify(lines), ".test.ts")
      // One that succeeds between two that fail ends nothing.
      for (let count = 0; count < 9; count++) yield* round(Effect.succeed("made"))
      yield* round(Effect.fail(old))
      assert.lengthOf(lines, 1)
      yield* TestClock.adjust("9 seconds")
      yield* round(Effect.succeed("made"))
      assert.deepStrictEqual(messages(lines).slice(1), ["INFO All is made again"])
      assert.deepStrictEqual(lines[1]?.annotations, { failures: 101, seconds: 109 })
      yield* round(Effect.succeed("made"))
      assert.lengthOf(lines, 2)
      yield* round(Effect.fail(old))
      assert.lengthOf(lines, 3)
    }))

  test("tell each cause once, and each thing that they are about, up to a hundred", (lines) =>
    Effect.gen(function* () {
      const incident = yield* start
      for (let count = 0; count < 300; count++) {
        yield* incident.failed(Cause.fail(count % 2 === 0 ? old : away), { workspaceId: `wsp_${count}` })
        yield* incident.failed(Cause.die(new Error("a defect")), { workspaceId: `wsp_${count % 2}` })
      }
      assert.lengthOf(lines, 4)
      assert.deepStrictEqual(
        lines.map(
          ({ annotations }) => Object.entries(annotations).find(([key]) => key === "workspaceId")?.[1]
        ),
        ["wsp_0", "wsp_0", "wsp_1", "wsp_1"]
      )
      for (let count = 0; count < 300; count++)
        yield* incident.failed(Cause.die(new Error("a defect")), { workspaceId: `wsp_${count}` })
      assert.lengthOf(lines, 100)
    }))

  test("give what stands for them, and are not what is interrupted", (lines) =>
    Effect.gen(function* () {
      const incident = yield* start
      assert.strictEqual(yield* incident.around(Effect.succeed("made"), Effect.succeed("rest")), "made")
      assert.strictEqual(yield* incident.around(Effect.fail(away), Effect.succeed("rest")), "rest")
      assert.lengthOf(lines, 1)
      const interrupted = yield* Effect.exit(incident.around(Effect.interrupt, Effect.succeed("rest")))
      assert.isTrue(Exit.hasInterrupts(interrupted))
      assert.lengthOf(lines, 1)
    }))
})
