import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { print } from "../../src/command/Shared.ts"

describe("what a command prints", () => {
  for (const asJson of [true, false]) {
    it.live(`holds nothing that a terminal would obey, as ${asJson ? "JSON" : "text"}`, () => {
      const printed: Array<string> = []
      const name = "x\b\u001b[2K\u009b1G\u007f\u202ecairn.x"
      return print(asJson, { name }, `name  ${name}\n`).pipe(
        Effect.provideService(Console.Console, {
          ...console,
          log: (text: string) => void printed.push(text)
        }),
        Effect.andThen(
          Effect.sync(() => {
            assert.lengthOf(printed, 1)
            for (const one of "\b\u001b\u009b\u007f\u202e") assert.notInclude(printed[0], one)
            if (asJson) assert.deepStrictEqual(JSON.parse(printed[0] ?? ""), { name })
          })
        )
      )
    })
  }
})
