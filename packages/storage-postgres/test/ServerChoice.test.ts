import { storeErrorText } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Result } from "effect"
import type { DatabaseHost, Needs } from "../src/DatabaseUrl.ts"
import { type Asked, type Choosing, chooseServer, type ServerState } from "../src/ServerChoice.ts"
import { leftWithPool } from "../src/Servers.ts"
import { noConnection } from "../src/SqlState.ts"

const [one, two, three] = ["one", "two", "three"].map((name) => ({
  name,
  url: `postgres://${name}/x`
})) as unknown as readonly [DatabaseHost, DatabaseHost, DatabaseHost]

const primary = (timeline: number | null, system = "7"): ServerState => ({
  standby: false,
  read_only: false,
  timeline,
  system
})
const standby: ServerState = { standby: true, read_only: true, timeline: null, system: "7" }
const readOnly: ServerState = { ...primary(1), read_only: true }

const said = (host: DatabaseHost, answer: ServerState | string): Asked => ({
  host,
  answer: typeof answer === "string" ? Result.fail(noConnection(answer)) : Result.succeed(answer)
})

const choosing = (needs: Needs = "read-write", more: Partial<Choosing> = {}): Choosing => ({
  needs,
  system: null,
  current: undefined,
  ...more
})

const chosen = (asked: ReadonlyArray<Asked>, by = choosing()) => Result.getOrThrow(chooseServer(asked, by))
const refusal = (asked: ReadonlyArray<Asked>, by = choosing()) =>
  storeErrorText(Result.getOrThrow(Result.flip(chooseServer(asked, by))))

describe("the choice between servers", () => {
  it("leaves out standbys, those that take no writes, and those that do not answer", () => {
    const asked = [said(one, standby), said(two, "ECONNREFUSED"), said(three, primary(1))]
    assert.strictEqual(chosen(asked).host, three)
    assert.strictEqual(chosen([said(one, readOnly), said(two, primary(1))]).host, two)
    assert.strictEqual(chosen([said(one, readOnly), said(two, standby)], choosing("primary")).host, one)
    assert.strictEqual(chosen([said(one, standby), said(two, primary(1))], choosing("any")).host, one)
  })

  it("takes the newest timeline, and names who takes writes on an older one", () => {
    const { host, replaced } = chosen([said(one, primary(1)), said(two, primary(3)), said(three, primary(2))])
    assert.strictEqual(host, two)
    assert.deepStrictEqual(replaced, [
      { host: three, timeline: 2 },
      { host: one, timeline: 1 }
    ])
  })

  it("stays with the server in use where nothing speaks against it", () => {
    const asked = [said(one, primary(null)), said(two, primary(null))]
    assert.strictEqual(chosen(asked).host, one)
    const { host, replaced } = chosen(asked, choosing("read-write", { current: two }))
    assert.strictEqual(host, two)
    assert.deepStrictEqual(replaced, [])
  })

  it("takes no server of another database system", () => {
    const asked = [said(one, primary(9, "8")), said(two, primary(1))]
    const by = choosing("read-write", { system: "7" })
    assert.strictEqual(chosen(asked, by).host, two)
    assert.include(refusal([said(one, primary(9, "8"))], by), "one belongs to another database system")
  })

  it("says of each server why there is none", () => {
    const message = refusal([said(one, standby), said(two, readOnly), said(three, "ECONNREFUSED")])
    for (const part of ["one is a standby", "two takes no writes", "three: ECONNREFUSED"])
      assert.include(message, part)
  })
})

describe("a wait for a server that is left", () => {
  it.effect("fails, and is not interrupted with its pool", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(leftWithPool(Effect.interrupt))
      assert.isTrue(Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause))
    })
  )
})
