/** What checks of PostgreSQL work with. */
import type * as Postgres from "@cairn/storage-postgres"
import { Effect } from "effect"
import type { Finding } from "./Check.ts"
import type { Patient } from "./Patient.ts"
import { Skipped } from "./Skipped.ts"
import { opened } from "./WholeDatabase.ts"

const ofOther = new Skipped({ reason: "the database is not PostgreSQL" })

/** A check of how the server is set. */
export const ofFacts =
  (judge: (facts: Postgres.ServerFacts, patient: Patient) => ReadonlyArray<Finding>) => (patient: Patient) =>
    Effect.gen(function* () {
      const { postgres } = yield* opened(patient)
      if (postgres === null) return yield* ofOther
      return judge(yield* postgres.facts, patient)
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
