import { MeterSet, Meters, StorageUnavailable } from "@cairn/core/log"
import { StoreCheck, storeFindings } from "@cairn/core/verification"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { storeCheckLoop } from "../../src/loops/StoreCheckLoop.ts"

const damage = (where: string) => ({ where, what: "3 rows of its table are not in it" })
const found = (...where: ReadonlyArray<string>) =>
  storeFindings({ damages: where.map(damage), checked: ["everything"], not_checked: [] })

describe("the service's own check of its database", () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>((options) => {
    const { level, message, annotations } = JSON.parse(Logger.formatJson.log(options))
    lines.push(`${level} ${message} ${JSON.stringify(annotations)}`)
  })

  it.effect("tells each damage once, and when it is over; one that fails is made again sooner", () =>
    Effect.gen(function* () {
      const answers = [
        found(),
        found("index event_id"),
        found("index event_id"),
        undefined,
        found("index event_id", "index event_created_at"),
        found()
      ]
      let checks = 0
      const meters = new MeterSet()
      const shown = (name: string) => meters.samples().find((sample) => sample.name === name)?.state
      const check = Effect.suspend(() => {
        const answer = answers[checks++]
        return answer === undefined
          ? Effect.fail(
              new StorageUnavailable({ operation: "check the store", cause: new Error("ECONNREFUSED") })
            )
          : Effect.succeed(answer)
      })
      yield* Effect.forkChild(
        storeCheckLoop({ everySeconds: 86_400 }).pipe(
          Effect.provideService(StoreCheck, StoreCheck.of({ check })),
          Effect.provideService(Meters, meters)
        )
      )
      yield* TestClock.adjust("299 seconds")
      assert.strictEqual(checks, 0)
      assert.isUndefined(shown("cairn_store_check_age_seconds"))
      const told: Array<number> = []
      const damages: Array<unknown> = []
      const ages: Array<unknown> = []
      for (const wait of ["1 second", "1 day", "1 day", "1 day", "1 hour", "1 day"] as const) {
        yield* TestClock.adjust(wait)
        told.push(lines.length)
        damages.push(shown("cairn_store_check_damages"))
        ages.push(shown("cairn_store_check_age_seconds"))
      }
      assert.strictEqual(checks, answers.length)
      const gauge = (value: number) => ({ type: "gauge", value })
      assert.deepStrictEqual(damages, [0, 1, 1, 1, 2, 0].map(gauge))
      // The check that failed was no check.
      assert.deepStrictEqual(ages, [0, 0, 0, 86_400, 0, 0].map(gauge))
      assert.deepStrictEqual(told, [0, 1, 1, 2, 3, 4], lines.join("\n"))
      assert.match(lines[0] ?? "", /^ERROR The database is damaged.*index event_id: 3 rows/)
      assert.match(lines[1] ?? "", /^ERROR The database could not be checked for damage/)
      assert.match(lines[2] ?? "", /^ERROR The database is damaged.*event_created_at/)
      assert.match(lines[3] ?? "", /^INFO The database is no longer damaged/)
    }).pipe(Effect.provide(Logger.layer([logger])))
  )
})
