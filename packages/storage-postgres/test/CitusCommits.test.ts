/** In how many phases what is written over several machines is committed. */
import { Anchors } from "@cairn/core/anchor"
import { Consumers } from "@cairn/core/consumer"
import { SearchIndexer } from "@cairn/core/log"
import { citusUrl, unlessCitus } from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Places } from "../src/Places.ts"
import { workers } from "./CitusMachines.ts"
import { clientOf, emptyCitus, usesCluster } from "./CitusStorage.ts"
import { accept, cairnOn, drain, makeWorkspace } from "./support.ts"

const IDS = Array.from({ length: 8 }, (_, at) => `wsp_${at + 1}`)
const AT = 1_700_000_000_000_000

/** How many machines have prepared something to commit, since Citus last looked after them. */
const prepared = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<{ readonly count: number }>`SELECT count(*) AS count FROM pg_dist_transaction`,
    ([row]) => row?.count ?? 0
  )
)

/** Runs over an empty database, beside a client of it. */
const over = <A, E>(
  body: Effect.Effect<A, E, PgClient.PgClient | Layer.Success<ReturnType<typeof cairnOn>>>
) =>
  Effect.gen(function* () {
    const url = yield* emptyCitus
    yield* Effect.forEach(IDS, makeWorkspace).pipe(
      Effect.andThen(body),
      Effect.provide(Layer.fresh(cairnOn(url))),
      Effect.provide(clientOf(url))
    )
  }).pipe(Effect.scoped)

/** A message about something of a workspace. */
const messageOf = (workspaceId: string) => ({
  id: "dlv_1",
  workspaceId,
  channel: "webhook" as const,
  target: "whk_1",
  type: "alert.triggered" as const,
  payload: "{}",
  createdAt: AT
})

const hashOf = (digit: string): string => digit.repeat(64)

describe.skipIf(citusUrl === "")(`A commit, over several machines${unlessCitus}`, () => {
  usesCluster("together")

  it.live("of events is of one machine, and has one phase", () =>
    over(
      Effect.gen(function* () {
        assert.isAbove((yield* workers).length, 1)
        const before = yield* prepared
        for (let round = 0; round < 5; round++) {
          const body = { actor_id: "ada", action: "x.y", idempotency_key: `${round}` }
          yield* Effect.forEach(IDS, (id) => accept(id, [body]), { concurrency: "unbounded" })
          yield* drain
          yield* Effect.repeat((yield* SearchIndexer).advance, { while: (count) => count > 0 })
          assert.isAtMost(yield* prepared, before)
        }
      })
    )
  )

  it.live("is of workspaces in one shard", () =>
    over(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const places = yield* Places
        const rows = yield* sql<{ readonly number: number; readonly shard: number }>`
          SELECT number, get_shard_id_for_distribution_column('head', number) AS shard FROM workspace`
        const groups = yield* Effect.forEach(rows, ({ number }) => places.of(number))
        assert.deepStrictEqual(
          groups.map(({ group }) => group),
          rows.map(({ shard }) => shard)
        )
      }).pipe(Effect.provide(Places.layer))
    )
  )

  it.live("that writes messages, or what is sent to a chain, has two: all of it or nothing", () =>
    over(
      Effect.gen(function* () {
        const [id = ""] = IDS
        const consumers = yield* Consumers
        const position = yield* consumers.open({ workspaceId: id, consumer: "alerts" }, 0, AT)
        const committed = { sequence: 1, rows: [], raised: [], expiredBy: null, at: AT }
        const before = yield* prepared
        yield* consumers.commit(position, { ...committed, deliveries: [messageOf(id)] })
        const sent = yield* prepared
        assert.isAbove(sent, before)

        const anchors = yield* Anchors
        const period = { id: "anc_1", workspaceId: id, ordinal: 1, start: AT, end: AT + 1 }
        const ends = { firstSequence: 1, lastSequence: 1 }
        const hashes = { firstEventHash: hashOf("1"), lastEventHash: hashOf("2"), merkleRoot: hashOf("3") }
        yield* anchors.close([{ ...period, ...ends, ...hashes }])
        yield* anchors.create([
          { workspaceId: id, ordinal: 1, previousAnchorHash: null, chainId: 1, createdAt: AT }
        ])
        const created = yield* prepared
        const transaction = {
          hash: `0x${hashOf("4")}`,
          raw: "0x02",
          nonce: 0,
          maxFeePerGas: 1n,
          maxPriorityFeePerGas: 1n,
          signedAt: AT
        }
        const submission = { id: "sub_1", chainId: 1, account: `0x${"ab".repeat(20)}` }
        assert.isTrue(yield* anchors.submit(submission, transaction, [period.id]))
        assert.isAbove(yield* prepared, created)
      })
    )
  )
})
