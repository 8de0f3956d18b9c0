/** What each machine over which Citus spreads the log says of itself. */
import { Micros } from "@cairn/core/encoding"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import { addressOf, askMachine, isWorker, type Machine, machinesOf } from "../Machines.ts"
import { FACTS, type IdleSlot, type ServerFacts, slotsOver } from "./ServerFacts.ts"

/** A machine beside the coordinator. */
export interface MachineFacts {
  /** As Citus numbers it. */
  readonly node: number
  /** Host and port by which Citus knows it. */
  readonly name: string
  /** How it is set; null if it does not say. */
  readonly facts: ServerFacts | null
  /** The version of its extension. */
  readonly citus: string
  /** That of the coordinator. */
  readonly coordinator: string
  /** Why it says nothing; empty if it does. */
  readonly silence: string
}

const CITUS = "(SELECT extversion FROM pg_extension WHERE extname = 'citus')"

const STATEMENT = `
  SELECT *, ${CITUS} AS citus, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS clock
  FROM (${FACTS}) f`

interface Told extends Omit<ServerFacts, "clock_ahead"> {
  readonly citus: string
  readonly clock: number
}

const ask = Effect.fnUntraced(function* (sql: PgClient.PgClient, machine: Machine, coordinator: string) {
  const before = yield* Micros.now
  const answer = yield* askMachine<Told>(sql, machine, STATEMENT)
  const after = yield* Micros.now
  const is = { node: machine.node, name: addressOf(machine), coordinator }
  return Result.match(answer, {
    onFailure: (silence): MachineFacts => ({ ...is, facts: null, citus: "", silence }),
    onSuccess: ([told]): MachineFacts => {
      if (told === undefined) return { ...is, facts: null, citus: "", silence: "it has no such database" }
      const { citus, clock, ...facts } = told
      const clock_ahead = Math.round((before + after) / 2) - clock
      return { ...is, facts: { ...facts, clock_ahead }, citus, silence: "" }
    }
  })
})

/** Asks each of them, two at a time; there is none where the log is not spread. */
export const machineFacts = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const machines = (yield* machinesOf(sql)).filter(isWorker)
  if (machines.length === 0) return []
  const [row] = yield* sql<{ readonly version: string }>`SELECT ${sql.literal(CITUS)} AS version`
  return yield* Effect.forEach(machines, (machine) => ask(sql, machine, row?.version ?? ""), {
    concurrency: 2
  })
})

/** Slots that nobody reads on each of them that says it, for which more than so many bytes are kept. */
export const machineSlots = Effect.fnUntraced(function* (sql: PgClient.PgClient, bytes: number) {
  const machines = (yield* machinesOf(sql)).filter(isWorker)
  return yield* Effect.forEach(machines, (machine) =>
    Effect.map(askMachine<IdleSlot>(sql, machine, slotsOver(bytes)), (answer) => ({
      name: addressOf(machine),
      slots: Result.getOrElse(answer, (): ReadonlyArray<IdleSlot> => [])
    }))
  )
})
