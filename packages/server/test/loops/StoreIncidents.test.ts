import { MeterSet, Meters, StorageUnavailable } from "@cairn/core/log"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StoreIncidents, storeFailed } from "../../src/loops/StoreIncidents.ts"

const failure = (text: string) =>
  new StorageUnavailable({
    operation: "accept events",
    cause: new Error("wrapped", { cause: new Error(text) })
  })

describe("the log of a store that fails", () => {
  const lines: Array<{ readonly level: string; readonly message: string; readonly annotations: object }> = []
  const logger = Logger.make<unknown, void>((options) => {
    const { level, message, annotations } = JSON.parse(Logger.formatJson.log(options))
    lines.push({ level, message, annotations })
  })

  it.effect("has a line when an incident begins and one when it is over, however often the store fails", () =>
    Effect.gen(function* () {
      for (let count = 0; count < 1_000; count++) {
        yield* storeFailed("The store failed", failure("database or disk is full"))
        if (count % 100 === 0) yield* TestClock.adjust("5 seconds")
      }
      // Another cause is another incident.
      yield* storeFailed("The store failed", failure("connect ECONNREFUSED 10.0.0.7:5432"))
      const metered = (cause: string) => meteredValue("cairn_database_failures_total", { cause })
      assert.strictEqual(yield* metered("disk full"), 1_000)
      assert.strictEqual(yield* metered("no connection"), 1)
      yield* TestClock.adjust("20 seconds")
      assert.lengthOf(lines, 2)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(lines.map(({ level, message }) => `${level} ${message}`).sort(), [
        "ERROR The store failed: the database cannot be reached",
        "ERROR The store failed: the disk is full",
        "INFO The store has not failed for 30 seconds: the database cannot be reached",
        "INFO The store has not failed for 30 seconds: the disk is full"
      ])
      const [begin] = lines
      assert.deepStrictEqual(begin?.annotations, {
        operation: "accept events",
        cause: "wrapped; database or disk is full"
      })
      const over = lines.find(({ level, message }) => level === "INFO" && message.endsWith("full"))
      assert.deepInclude(over?.annotations, { failures: 1_000 })

      // It is told again when it happens again.
      yield* storeFailed("The store failed", failure("database or disk is full"))
      assert.lengthOf(lines, 5)
    }).pipe(
      Effect.provide(StoreIncidents.layer),
      Effect.provide(Layer.merge(Logger.layer([logger]), Layer.empty)),
      Effect.provideService(Meters, new MeterSet())
    )
  )
})
