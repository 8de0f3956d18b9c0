/**
 * The client of a replica. Before each statement the server of its connection says where it is: behind one
 * address there may be several servers, and another one tomorrow.
 */
import type { StorePosition } from "@cairn/core/log"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { clientOver } from "./FencedClient.ts"
import { REPLICA_STATE, type ReplicaState, unfitness } from "./ReplicaState.ts"

/** What the statements of a work must see; null for those that say nothing, which fail. */
export const StatementNeeds = Context.Reference<StorePosition | null>(
  "@cairn/storage-postgres/StatementNeeds",
  { defaultValue: () => null }
)

const unfit = (reason: string): SqlError => {
  const message = `the replica ${reason}`
  return new SqlError({
    reason: new UnknownError({ cause: new Error(message), message, operation: "read from a replica" })
  })
}

const check = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(StatementNeeds, (needed) => {
    if (needed === null) return Effect.fail(unfit("is asked by nobody who says what it must have"))
    return Effect.flatMap(connection.execute(REPLICA_STATE, [], undefined), ([row]) => {
      const reason = unfitness(row as ReplicaState, needed)
      return reason === undefined ? Effect.void : Effect.fail(unfit(reason))
    })
  })

/** `PgClient` and `SqlClient` over a pool of connections to a replica. */
export const layer = Layer.effectContext(
  Effect.flatMap(PgClient.PgClient, (pool) => clientOver(pool, (reserved) => Effect.tap(reserved, check)))
).pipe(Layer.provide(Reactivity.layer))
