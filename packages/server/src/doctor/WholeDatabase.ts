/** The database for checks of what is in it, which have nothing to say of how it is opened. */
import { FILE_NAMES } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import type { Finding } from "./Check.ts"
import type { OpenedDatabase } from "./OpenedDatabase.ts"
import type { Patient } from "./Patient.ts"
import { Skipped } from "./Skipped.ts"

/** The database, whatever its tables are. */
export const opened = ({ opening }: Patient) =>
  Effect.mapError(opening, (error) =>
    error instanceof Skipped ? error : new Skipped({ reason: "the database cannot be opened" })
  )

/** The check that names a machine of the database that is away. */
export const MACHINE_CHECK = "postgres-machines"

/** Why what is spread over machines cannot be read; undefined if it can. */
const awayReason = ({ postgres }: OpenedDatabase): string | undefined => {
  const away = postgres?.machines.filter(({ facts }) => facts === null) ?? []
  return away.length === 0
    ? undefined
    : `${away.map(({ name }) => name).join(", ")} does not answer, see ${MACHINE_CHECK}`
}

/** The database with the tables of this version, whole. */
export const upToDate = Effect.fnUntraced(function* (patient: Patient) {
  const database = yield* opened(patient)
  if (database.versions.some(({ found, known }) => found !== known))
    return yield* new Skipped({ reason: "the database is not at the migration of this version" })
  const isSqlite = Object.keys(database.files).length > 0
  if (isSqlite && FILE_NAMES.some((name) => database.files[name] === undefined))
    return yield* new Skipped({ reason: "a file of the database is missing" })
  return database
})

/** A check of the database as it is when it is whole. */
export const ofDatabase =
  <E, R>(
    judge: (database: OpenedDatabase, patient: Patient) => Effect.Effect<ReadonlyArray<Finding>, E, R>
  ) =>
  (patient: Patient) =>
    Effect.gen(function* () {
      const database = yield* upToDate(patient)
      const reason = awayReason(database)
      if (reason !== undefined) return yield* new Skipped({ reason })
      return yield* judge(database, patient)
    })
