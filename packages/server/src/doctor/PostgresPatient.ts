/** What checks of PostgreSQL work with. */
import type * as Postgres from "@cairn/storage-postgres"
import { Effect } from "effect"
import type { Finding } from "./Check.ts"
import type { Patient } from "./Patient.ts"
import { Skipped } from "./Skipped.ts"
import { opened } from "./WholeDatabase.ts"

const ofOther = new Skipped({ reason: "the database is not PostgreSQL" })

/** What is wrong on a machine beside the server, and mended there. */
export const onMachine =
  (name: string) =>
  ({ cause, mend, ...rest }: Finding): Finding => ({
    ...rest,
    cause: `on ${name}, ${cause}`,
    mend: `on ${name}: ${mend}`
  })

/** A check of how the server is set, and each machine over which the log is spread. */
export const ofFacts =
  (judge: (facts: Postgres.ServerFacts, patient: Patient) => ReadonlyArray<Finding>) => (patient: Patient) =>
    Effect.gen(function* () {
      const { postgres } = yield* opened(patient)
      if (postgres === null) return yield* ofOther
      const own = judge(yield* postgres.facts, patient)
      const others = postgres.machines.flatMap(({ name, facts }) =>
        facts === null ? [] : judge(facts, patient).map(onMachine(name))
      )
      return [...own, ...others]
    })

/** A check of the machines beside the server over which the log is spread; skipped where there is none. */
export const ofMachines =
  (
    judge: (
      machines: ReadonlyArray<Postgres.MachineFacts>,
      facts: Postgres.ServerFacts
    ) => ReadonlyArray<Finding>
  ) =>
  (patient: Patient) =>
    Effect.gen(function* () {
      const { postgres } = yield* opened(patient)
      if (postgres === null) return yield* ofOther
      const { machines } = postgres
      if (machines.length === 0) return yield* new Skipped({ reason: "the log is not spread over machines" })
      return judge(machines, yield* postgres.facts)
    })

/** A check of the shards on every machine; finds nothing where the log is not spread. */
export const ofShards =
  (judge: (standing: Postgres.ShardStanding) => ReadonlyArray<Finding>) => (patient: Patient) =>
    Effect.gen(function* () {
      const { postgres } = yield* opened(patient)
      if (postgres === null) return yield* ofOther
      const all = yield* postgres.shards
      return all.flatMap((standing) => judge(standing).map(onMachine(standing.name)))
    })

/** The servers that the URL names; skips a check where that is one. */
export const severalHosts = (patient: Patient) =>
  Effect.gen(function* () {
    const { postgres } = yield* opened(patient)
    if (postgres === null) return yield* ofOther
    const hosts = yield* postgres.hosts
    if (hosts.length < 2) return yield* new Skipped({ reason: "CAIRN_DATABASE_URL names one server" })
    return hosts
  })

/** A check of the servers that the URL names, where it names several. */
export const ofHosts =
  (judge: (hosts: ReadonlyArray<Postgres.HostFacts>) => ReadonlyArray<Finding>) => (patient: Patient) =>
    Effect.map(severalHosts(patient), judge)

type Client = Parameters<typeof Postgres.schemaStanding>[0]

/** A check that asks the server; the adapter is loaded only where it is used. */
export const ofPostgres =
  <E>(ask: (sql: Client, adapter: typeof Postgres) => Effect.Effect<ReadonlyArray<Finding>, E>) =>
  (patient: Patient) =>
    Effect.gen(function* () {
      const { postgres } = yield* opened(patient)
      if (postgres === null) return yield* ofOther
      return yield* ask(postgres.sql, postgres.adapter)
    })
