/**
 * The secret keys of a process, which open what is sealed in its database: nothing starts with others, and no
 * key file is made beside a database whose secrets another key has sealed.
 */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { inspectSecrets } from "@cairn/core/management"
import {
  type KeyFileUnusable,
  makeKeyFile,
  readKeyFile,
  readMadeKeyFile,
  secretKeyFile
} from "@cairn/storage-sqlite"
import { Effect, Layer } from "effect"
import { prepareFolder } from "../layers/DatabaseErrors.ts"
import { layerLogging } from "../layers/Logging.ts"
import { layerStorage, type StorageConfig } from "../layers/Storage.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { byKind, nameOf } from "../settings/Database.ts"
import { InvalidConfiguration } from "../settings/SettingDeclaration.ts"
import { SecretKeyNeeded } from "./SecretKeyNeeded.ts"
import { layerSecrets, secretKeyIds } from "./SecretKeys.ts"

type Settings = Pick<
  Configuration,
  "secretKeys" | "database" | "inboxCapacity" | "connections" | "logLevel"
> &
  Pick<StorageConfig, "waitSeconds">

/** Opens nothing; for a look at what is sealed while there is no key. */
const anyKey = () => randomBytes(32).toString("base64")

/** Fails if a key is needed that is not among `keys`. Opens the database briefly. */
const inspect = Effect.fnUntraced(function* (
  settings: Settings,
  keys: ReadonlyArray<string>,
  inFile: string | null
) {
  const { database } = settings
  const { missing, damaged } = yield* inspectSecrets.pipe(
    Effect.provide(Layer.merge(layerStorage(settings), layerSecrets(keys.length === 0 ? [anyKey()] : keys)))
  )
  for (const { kind, owner } of damaged) {
    yield* Effect.logError("A sealed secret was changed, or belongs to something else").pipe(
      Effect.annotateLogs({ kind, owner })
    )
  }
  if (missing.length === 0) return
  return yield* new SecretKeyNeeded({
    database: nameOf(database),
    missing,
    here: secretKeyIds(keys),
    file: byKind(database, { sqlite: ({ filename }) => secretKeyFile(filename), postgres: () => null }),
    inFile
  })
})

const idIn = (key: string | undefined): string | null =>
  key === undefined ? null : (secretKeyIds([key])[0] ?? null)

/**
 * The keys on SQLite: of the variable if it is set, else of the file, which is made beside a database that
 * has nothing sealed.
 */
const onSqlite = Effect.fnUntraced(function* (settings: Settings, filename: string) {
  const file = secretKeyFile(filename)
  const { secretKeys } = settings
  // Before anything is put there: what is wrong with the folder is not the key's fault.
  yield* prepareFolder(settings.database)
  if (secretKeys.length > 0) {
    // A file that cannot be read does not matter to a process that has a key.
    const known = yield* Effect.orElseSucceed(readKeyFile(file), () => undefined)
    yield* inspect(settings, secretKeys, idIn(known))
    return secretKeys
  }
  const known = yield* readKeyFile(file)
  if (known === undefined) {
    if (existsSync(filename)) yield* inspect(settings, [], null)
    yield* makeKeyFile(file)
  } else if (!existsSync(filename)) {
    yield* Effect.logWarning("There is a key file and no database beside it: a new one is made").pipe(
      Effect.annotateLogs({ key: file, database: filename })
    )
  }
  const key = yield* readMadeKeyFile(file)
  yield* inspect(settings, [key], idIn(key))
  return [key]
})

const notSet = () =>
  new InvalidConfiguration({
    variable: "CAIRN_SECRET_KEY",
    value: "",
    allowed:
      "set when the database is PostgreSQL: the base64 of 32 bytes, the same for every process (openssl rand -base64 32)"
  })

const invalidFile = ({ file, found, allowed }: KeyFileUnusable) =>
  Effect.fail(new InvalidConfiguration({ variable: `the file ${file}`, value: found, allowed }))

/** The keys on PostgreSQL: those of the variable, which must be set. */
const onPostgres = Effect.fnUntraced(function* (settings: Settings) {
  const { secretKeys } = settings
  if (secretKeys.length === 0) {
    // If the database can be opened, the error names the key that is missing. Nothing is worth waiting for.
    const { waitSeconds: _, ...now } = settings
    const needed = yield* inspect(now, [], null).pipe(
      Effect.as(undefined),
      Effect.catchTag("SecretKeyNeeded", (error) => Effect.succeed(error)),
      Effect.orElseSucceed(() => undefined)
    )
    return yield* needed ?? notSet()
  }
  yield* inspect(settings, secretKeys, null)
  return secretKeys
})

const keysFor = (settings: Settings) =>
  byKind(settings.database, {
    sqlite: ({ filename }) => Effect.catchTag(onSqlite(settings, filename), "KeyFileUnusable", invalidFile),
    postgres: () => onPostgres(settings)
  })

/**
 * The keys, newest first, each the base64 of 32 bytes. Opens the database briefly, which also brings it up to
 * date.
 */
export const secretKeysFor = (settings: Settings) =>
  Effect.provide(keysFor(settings), layerLogging(settings.logLevel))
