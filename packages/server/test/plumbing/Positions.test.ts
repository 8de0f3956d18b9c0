import { formatPosition, type ReachedPosition, Replicas, StorageUnavailable } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AuthorizedRequest } from "../../src/http/gate/Endpoint.ts"
import { type Answer, jsonAnswer } from "../../src/http/plumbing/Answer.ts"
import type { Exchange } from "../../src/http/plumbing/Exchange.ts"
import { makePositions, type Positions } from "../../src/http/plumbing/Positions.ts"
import { makePositionSeal } from "../../src/secret/PositionSeal.ts"
import { ReadNeeds } from "../../src/thread/ReadNeeds.ts"

const HEADER = "x-cairn-position"
const INGEST = "/api/v1/events"
const KEY = Buffer.alloc(32, 7).toString("base64")
const sealing = makePositionSeal([KEY])

const at = (written: number, system = "00000000000000aa", timeline = 1): ReachedPosition => ({
  system,
  timeline,
  written,
  at: 1_800_000_000_000_000
})

/** The positions of a server whose database is written so far, or does not say how far. */
const makeWorld = Effect.fnUntraced(function* () {
  const store = { written: 10 as number | undefined, asked: 0 }
  const position = Effect.suspend(() => {
    store.asked++
    return store.written === undefined
      ? Effect.fail(new StorageUnavailable({ operation: "ask", cause: new Error("gone") }))
      : Effect.succeed(at(store.written))
  })
  const positions = yield* Effect.provideService(makePositions([KEY]), Replicas, {
    position,
    reading: (_needed, work) => work,
    streaming: (_needed, stream) => stream
  })
  return { store, ...over(positions) }
})

const over = ({ confirmed, reading }: Positions) => ({
  /** The position of an answer to a change, opened. */
  change: (
    route = "/api/v1/webhooks",
    method = "POST",
    status = 200,
    { workspaceId }: { readonly workspaceId?: string } = { workspaceId: "one" }
  ) =>
    Effect.map(
      confirmed({ route, method, workspaceId } as Exchange, { ...jsonAnswer({}), status }),
      ({ headers }) => {
        const text = headers?.[HEADER]
        const opened = text === undefined ? undefined : sealing.open(text)
        return text === undefined ? undefined : formatPosition(typeof opened === "object" ? opened : at(0))
      }
    ),
  /** What the reads of a request need. */
  needs: (query = "", headers: Record<string, string> = {}, workspaceId = "one") => {
    let found = ""
    const endpoint = reading(() =>
      Effect.map(ReadNeeds, (needs) => {
        found = needs
        return jsonAnswer({})
      })
    )
    const profile = { workspace: { id: workspaceId } }
    const request = { query, profile, response: { req: { headers } } } as AuthorizedRequest
    return Effect.map(endpoint(request), () => found)
  }
})

describe("the position of an answer", () => {
  it.effect("is that of the database once a change is made, and of nothing else", () =>
    Effect.gen(function* () {
      const { store, change } = yield* makeWorld()
      assert.strictEqual(yield* change(INGEST), formatPosition(at(10)))
      assert.strictEqual(yield* change("/api/v1/webhooks", "DELETE", 204), formatPosition(at(10)))
      assert.strictEqual(store.asked, 2)
      for (const [method, status] of [
        ["GET", 200],
        ["HEAD", 200],
        ["POST", 400],
        ["POST", 503]
      ] as const) {
        assert.isUndefined(yield* change(INGEST, method, status), `${method} ${status}`)
      }
      assert.strictEqual(store.asked, 2)
      store.written = undefined
      assert.isUndefined(yield* change(INGEST))
    })
  )

  it.effect("is not asked for where there are no replicas: the answer stays the same one", () =>
    Effect.gen(function* () {
      const { confirmed, reading } = yield* makePositions([KEY])
      const given: Answer = jsonAnswer({})
      assert.strictEqual(yield* confirmed({ route: INGEST, method: "POST" } as Exchange, given), given)
      assert.strictEqual(yield* over({ confirmed, reading }).needs("cursor=a"), "")
    })
  )
})

describe("what a read needs", () => {
  it.effect("is what it names, what this server has changed, and all where it follows another", () =>
    Effect.gen(function* () {
      const { store, change, needs } = yield* makeWorld()
      const named = (position: ReachedPosition) => needs("limit=1", { [HEADER]: sealing.seal(position) })
      assert.strictEqual(yield* needs(), "")
      assert.strictEqual(yield* named(at(5)), formatPosition(at(5)))
      for (const query of ["cursor=a", "limit=1&cursor=a"]) assert.strictEqual(yield* needs(query), "now")
      assert.strictEqual(yield* needs("no_cursor=a"), "")
      assert.strictEqual(yield* needs("", { "if-none-match": '"a"' }), "now")
      // Whoever ingests names the position.
      yield* change(INGEST)
      yield* change(`${INGEST}/batch`)
      assert.strictEqual(yield* needs(), "")
      yield* change()
      assert.strictEqual(yield* needs(), formatPosition(at(10)))
      assert.strictEqual(yield* named(at(5)), formatPosition(at(10)))
      assert.strictEqual(yield* named(at(15)), formatPosition(at(15)))
      const foreign = at(5, "00000000000000bb")
      assert.strictEqual(yield* named(foreign), formatPosition(foreign))
      const later = at(5, "00000000000000aa", 2)
      assert.strictEqual(yield* named(later), formatPosition(later))
      store.written = undefined
      yield* change()
      assert.strictEqual(yield* needs(), "now")
      store.written = 20
      yield* change()
      assert.strictEqual(yield* needs(), formatPosition(at(20)))
    })
  )

  it.effect("is nothing that another workspace has changed, or somebody without one", () =>
    Effect.gen(function* () {
      const { store, change, needs } = yield* makeWorld()
      const own = (workspaceId: string) => needs("", {}, workspaceId)
      yield* change("/sign-in/link", "POST", 200, {})
      yield* change("/api/v1/webhooks", "POST", 200, { workspaceId: "other" })
      assert.strictEqual(yield* own("one"), "")
      assert.strictEqual(yield* own("other"), formatPosition(at(10)))
      store.written = undefined
      yield* change("/sign-in/link", "POST", 200, {})
      yield* change("/api/v1/webhooks", "POST", 200, { workspaceId: "other" })
      assert.strictEqual(yield* own("one"), "")
      assert.strictEqual(yield* own("other"), "now")
    })
  )

  it.effect("is all where it names a position of another key: that may be replaced at one server first", () =>
    Effect.gen(function* () {
      const { change, needs } = yield* makeWorld()
      const headers = { [HEADER]: makePositionSeal([Buffer.alloc(32, 8).toString("base64")]).seal(at(5)) }
      assert.strictEqual(yield* needs("", headers), "now")
      yield* change()
      assert.strictEqual(yield* needs("", headers), "now")
      assert.strictEqual(yield* over(yield* makePositions([KEY])).needs("", headers), "")
    })
  )

  it.effect("is refused where it is no position, with the header's name", () =>
    Effect.gen(function* () {
      const { needs } = yield* makeWorld()
      const plain = over(yield* makePositions([KEY]))
      for (const of of [needs, plain.needs]) {
        for (const wrong of ["", "1", formatPosition(at(5)), `${sealing.seal(at(5))}0`]) {
          const { code, message } = yield* Effect.flip(of("", { [HEADER]: wrong }))
          assert.strictEqual(code, "invalid_parameter")
          assert.strictEqual(message, "X-Cairn-Position: must be the value of a previous response")
        }
      }
    })
  )
})
