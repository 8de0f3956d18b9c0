/**
 * How the shards of the log are on each machine: somebody with access to one machine can change its shards
 * alone.
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import { isGoneWhereSpread, SPREAD_TABLES } from "../Distribution.ts"
import { addressOf, askMachine, type Machine, machinesOf } from "../Machines.ts"
import {
  type ExpectedFunction,
  type ExpectedObject,
  expectedFunctions,
  expectedObjects
} from "./ExpectedSchema.ts"
import { home } from "./Home.ts"
import {
  type FoundObject,
  foundIn,
  loggedTables,
  oneLine,
  progress,
  type SchemaStanding,
  standingOf
} from "./SchemaFacts.ts"

/** What is on a machine, by the names that it has there. */
export interface ShardStanding extends SchemaStanding {
  /** Host and port by which Citus knows it. */
  readonly name: string
  /** Functions that are there and are not as the migrations made them. */
  readonly functions: ReadonlyArray<ExpectedFunction>
  /** Shards without a write-ahead log that should have one. */
  readonly unlogged: ReadonlyArray<string>
  /** Shards that are never vacuumed. */
  readonly unvacuumed: ReadonlyArray<string>
}

interface Shard {
  readonly id: number
  readonly table: string
  readonly group: number
}

const shardsOf = (sql: PgClient.PgClient) => sql<Shard>`
  SELECT s.shardid AS id, c.relname::text AS table, p.groupid AS "group"
  FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_class c ON c.oid = s.logicalrelid
  WHERE c.relnamespace = ${home(sql)} AND c.relname = ANY (${SPREAD_TABLES}::text[])
  ORDER BY 1`

/** What should be there of a table's object on a shard: Citus adds the shard's number to every name. */
const onShard =
  (id: number) =>
  ({ type, name, table, sql }: ExpectedObject): ExpectedObject => ({
    type,
    name: `${name}_${id}`,
    table: `${table}_${id}`,
    sql: sql.replace(` ${name} `, ` ${name}_${id} `).replace(` ON ${table}`, ` ON ${table}_${id}`)
  })

interface FoundFunction {
  readonly name: string
  readonly body: string
}

interface FoundShard {
  readonly name: string
  readonly unlogged: boolean
  readonly unvacuumed: boolean
}

const functionsIn = (schema: string): string =>
  `SELECT proname::text AS name, prosrc AS body FROM pg_proc WHERE pronamespace = ${schema}`

const tablesIn = (schema: string): string => `
  SELECT relname::text AS name, relpersistence = 'u' AS unlogged,
    coalesce('autovacuum_enabled=false' = ANY (reloptions), false) AS unvacuumed
  FROM pg_class WHERE relkind = 'r' AND relnamespace = ${schema}`

/** What is on a machine; undefined if it does not say. */
const ask = Effect.fnUntraced(function* (sql: PgClient.PgClient, machine: Machine, schema: string) {
  const objects = yield* askMachine<FoundObject>(sql, machine, foundIn(schema))
  const functions = yield* askMachine<FoundFunction>(sql, machine, functionsIn(schema))
  const tables = yield* askMachine<FoundShard>(sql, machine, tablesIn(schema))
  return Result.getOrUndefined(Result.all({ objects, functions, tables }))
})

/** What is wrong on each of the machines that say it; there is none where the log is not spread. */
export const shardStandings = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const machines = yield* machinesOf(sql)
  if (machines.length === 0) return []
  const { at, isNewer } = yield* progress(sql)
  const shards = yield* shardsOf(sql)
  const [place] = yield* sql<{ readonly schema: string }>`
    SELECT format('(SELECT oid FROM pg_namespace WHERE nspname = %L)', nspname) AS schema
    FROM pg_namespace WHERE oid = ${home(sql)}`
  const objects = expectedObjects(at).filter((object) => !isGoneWhereSpread(object))
  const logged = new Set(loggedTables())
  const standings = yield* Effect.forEach(machines, (machine) =>
    Effect.map(ask(sql, machine, place?.schema ?? "0"), (there): ReadonlyArray<ShardStanding> => {
      if (there === undefined) return []
      const own = shards.filter(({ group }) => group === machine.group)
      const names = new Map(own.map(({ id, table }) => [`${table}_${id}`, table]))
      const ids = new Set(own.map(({ id }) => `${id}`))
      const expected = own.flatMap(({ id, table }) =>
        objects.filter((object) => object.table === table).map(onShard(id))
      )
      const bodies = new Map(there.functions.map(({ name, body }) => [name, oneLine(body)]))
      return [
        {
          name: addressOf(machine),
          ...standingOf(
            expected,
            there.objects.filter(({ name }) => ids.has(name.slice(name.lastIndexOf("_") + 1))),
            isNewer
          ),
          functions: expectedFunctions(at).filter(
            ({ name, body }) => !isNewer && bodies.has(name) && bodies.get(name) !== oneLine(body)
          ),
          unlogged: there.tables.flatMap(({ name, unlogged }) =>
            unlogged && logged.has(names.get(name) ?? "") ? [name] : []
          ),
          unvacuumed: there.tables.flatMap(({ name, unvacuumed }) =>
            unvacuumed && names.has(name) ? [name] : []
          )
        }
      ]
    })
  )
  return standings.flat()
})
