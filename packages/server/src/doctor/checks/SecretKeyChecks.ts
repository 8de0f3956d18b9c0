/** Whether the secret key opens what is sealed in the database. */
import { randomBytes } from "node:crypto"
import { inspectSecrets } from "@cairn/core/management"
import { CheckpointRows, CollectionRows, WorkspaceIds } from "@cairn/storage-sql"
import { type KeyFileUnusable, readKeyFile, secretKeyFile } from "@cairn/storage-sqlite"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { keyRemedy, sealedWith } from "../../secret/SecretKeyNeeded.ts"
import { layerSecrets, secretKeyIds } from "../../secret/SecretKeys.ts"
import { byKind, nameOf } from "../../settings/Database.ts"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, fault } from "../Check.ts"
import type { OpenedDatabase } from "../OpenedDatabase.ts"
import type { Patient } from "../Patient.ts"
import { upToDate } from "../WholeDatabase.ts"

/** What people set up and what signs, over the open database. */
export const layerSealed = ({ log }: OpenedDatabase) =>
  Layer.mergeAll(CollectionRows.layer, CheckpointRows.layer).pipe(
    Layer.provide(WorkspaceIds.layer),
    Layer.provide(Layer.succeed(SqlClient.SqlClient, log))
  )

/** The keys that are here. */
interface AvailableKeys {
  readonly keys: ReadonlyArray<string>
  /** The file beside the database; null for a database that has none. */
  readonly file: string | null
  /** The id of the key in that file; null when there is none. */
  readonly inFile: string | null
}

/** The keys that a server would have: of the variable, or of the file beside a SQLite database. */
const keysOf = ({ settings: { secretKeys, database } }: Patient) =>
  byKind<Effect.Effect<AvailableKeys, KeyFileUnusable>>(database, {
    sqlite: ({ filename }) =>
      Effect.gen(function* () {
        const file = secretKeyFile(filename)
        const inFile = yield* readKeyFile(file)
        const keys = secretKeys.length > 0 ? secretKeys : inFile === undefined ? [] : [inFile]
        return { keys, file, inFile: inFile === undefined ? null : (secretKeyIds([inFile])[0] ?? null) }
      }),
    postgres: () => Effect.succeed({ keys: secretKeys, file: null, inFile: null })
  })

const secretKey: Check = {
  id: "secret-key",
  title: "Secret key",
  looks:
    "Whether it is there, and opens every webhook secret, log stream secret, viewer key and checkpoint key",
  needs: [SETTINGS.secretKey.name, SETTINGS.database.name],
  run: (patient) =>
    Effect.gen(function* () {
      const { keys, file, inFile } = yield* keysOf(patient)
      if (keys.length === 0 && file === null)
        return [
          fault(
            "CAIRN_SECRET_KEY is not set, which PostgreSQL needs",
            "set CAIRN_SECRET_KEY to the key of the other processes; for a new database, openssl rand -base64 32 makes one"
          )
        ]
      const database = yield* upToDate(patient)
      const inspected = yield* inspectSecrets.pipe(
        Effect.provide(
          Layer.merge(
            layerSealed(database),
            // Opens nothing.
            layerSecrets(keys.length === 0 ? [randomBytes(32).toString("base64")] : keys)
          )
        )
      )
      const { missing, damaged } = inspected
      const needed = {
        database: nameOf(patient.settings.database),
        missing,
        here: secretKeyIds(keys),
        file,
        inFile
      }
      return [
        ...(missing.length === 0
          ? []
          : [
              fault(
                `no key that is here opens what was sealed with ${missing.map(sealedWith).join(", and ")}`,
                keyRemedy(needed)
              )
            ]),
        ...damaged.map(({ kind, owner }) =>
          fault(
            `a ${kind} was changed in the database, or belongs to something else`,
            `make it again (${REMAKE[kind]}), and find out who changed the database`,
            [owner]
          )
        )
      ]
    }).pipe(
      Effect.catchTag("KeyFileUnusable", ({ file, found, allowed }) =>
        Effect.succeed([
          fault(
            `the key file ${file} is ${found}, and must be ${allowed}`,
            `put the file ${file} back as it was, readable for the server's user; or set CAIRN_SECRET_KEY`
          )
        ])
      )
    )
}

const REMAKE = {
  "webhook secret": "POST /api/v1/webhooks/ID/rotate-secret",
  "log stream secret": "PATCH /api/v1/log-streams/ID with its secrets",
  "viewer key": "cairn viewer-key rotate",
  "checkpoint key": "cairn checkpoint-key rotate"
} as const

/** Checks of the secret key. */
export const SECRET_KEY_CHECKS: ReadonlyArray<Check> = [secretKey]
