import { Outbox } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { explained, explaining } from "./ExplainedPlans.ts"
import { cairnOn, postgresServer } from "./support.ts"

const RECEIVERS = 100
/** Deliveries of each of a hundred receivers that have arrived, and of one receiver that wait. */
const ARRIVED = 2_000
const BACKLOG = 100_000

const server = postgresServer(explaining)

describe("an outbox with a long backlog at one receiver", () => {
  let url: string
  let cairn: ManagedRuntime.ManagedRuntime<
    import("effect").Layer.Success<ReturnType<typeof cairnOn>>,
    unknown
  >
  const query = (statement: string) => server().query(url, statement)

  beforeAll(async () => {
    url = await server().newDatabase()
    cairn = ManagedRuntime.make(cairnOn(url))
    await cairn.runPromise(Effect.asVoid(Outbox))
    const rows = (prefix: string, target: string, due: string, count: number) =>
      query(`INSERT INTO outbox (id, workspace_id, channel, target, type, payload, created_at, status, attempts, due_at)
        SELECT '${prefix}' || n, 'wsp_' || n % 7, 'webhook', ${target}, 'alert.triggered', '{}', n,
          CASE WHEN ${due} IS NULL THEN 'delivered' ELSE 'pending' END, 0, ${due} FROM generate_series(1, ${count}) n`)
    await rows("arrived", `'whk_' || n % ${RECEIVERS}`, "NULL::bigint", RECEIVERS * ARRIVED)
    await rows("waiting", "'whk_hangs'", "n", BACKLOG)
    await rows("fresh", `'whk_' || n % ${RECEIVERS}`, "n", 7 * RECEIVERS)
  }, 120_000)
  afterAll(() => cairn.dispose())

  const look = Effect.gen(function* () {
    const outbox = yield* Outbox
    const receivers = yield* outbox.receivers("webhook", BACKLOG)
    assert.lengthOf(receivers, 7 + 7 * RECEIVERS)
    const claimed = yield* outbox.claim({
      channel: "webhook",
      shares: receivers.slice(0, 64).map((receiver) => ({ ...receiver, limit: 4 })),
      now: BACKLOG,
      until: BACKLOG + 1,
      claim: "test"
    })
    assert.isAtLeast(claimed.length, 64)
    // So that the next look finds what this one found.
    yield* outbox.keep(claimed, 1)
  })

  for (const [when, before] of [
    ["before the database knows how large it is", "SELECT 1"],
    ["when it does", "ANALYZE outbox"]
  ] as const) {
    it(`the look for what to send touches a few rows of each receiver, ${when}`, {
      timeout: 120_000
    }, async () => {
      await query(before)
      const statements = await explained(server(), url, () => cairn.runPromise(look))
      assert.isAbove(statements.length, 0)
      for (const { text, nodes } of statements) {
        const touched = nodes
          .filter((node) => node["Relation Name"] === "outbox" && node["Node Type"] !== "ModifyTable")
          .reduce(
            (rows, node) =>
              rows +
              ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) *
                (node["Actual Loops"] ?? 0),
            0
          )
        assert.isAtMost(touched, 10 * 7 * (RECEIVERS + 1), text)
      }
    })
  }
})
