/** The audit log of a program, in a SQLite database. */
import { resolve } from "node:path"
import {
  type AuditLog,
  AuditLogError,
  type AuditLogWarn,
  InvalidArgument,
  makeAuditLog
} from "@cairn/core/audit-log"
import { ClockGuard } from "@cairn/core/log"
import { evidenceMachine, readAuditLogOptions } from "@cairn/storage-sql"
import { Effect, Layer, Result } from "effect"
import {
  type KeyFileUnusable,
  makeKeyFile,
  readKeyFile,
  readMadeKeyFile,
  secretKeyFile
} from "./SecretKeyFile.ts"
import * as SqliteStorage from "./SqliteStorage.ts"

/** Where the log is. */
export interface SqliteAuditLogOptions {
  /**
   * Path of the database, created with its folder if missing: `data/audit.db`. Three more files are next to
   * it. A relative path is resolved once, when the log is opened.
   */
  readonly file: string
  /**
   * Encrypts the keys that sign evidence: the base64 of 32 bytes (`openssl rand -base64 32`), permanently the
   * same in every process; or several, separated by commas, newest first. By default it is in a file next to
   * the database, `data/audit-secret.key`, which is created when evidence is first written. Keep it apart
   * from the database and its backups.
   */
  readonly secretKey?: string | undefined
  /** Called with warnings for the program's operator; by default, a warning of the process. */
  readonly warn?: AuditLogWarn | undefined
}

/**
 * The key in the file next to the database. It is created, unless something is already sealed, which a new
 * key could not open.
 */
const keyInFile = (file: string, sealed: boolean): string => {
  const found: Effect.Effect<string, KeyFileUnusable | AuditLogError> = Effect.gen(function* () {
    const known = yield* readKeyFile(file)
    if (known !== undefined) return known
    if (sealed) {
      return yield* Effect.fail(
        new AuditLogError(
          "secret_key_needed",
          `the keys that sign evidence are sealed with the key of ${file}, which is not there: put it back, or open the log with it as \`secretKey\``
        )
      )
    }
    yield* makeKeyFile(file)
    return yield* readMadeKeyFile(file)
  })
  const key = Effect.runSync(Effect.result(found))
  if (Result.isSuccess(key)) return key.success
  if (key.failure instanceof AuditLogError) throw key.failure
  throw new AuditLogError("secret_key_needed", key.failure.message, { cause: key.failure })
}

/** `:memory:` is rejected: a log in memory would be lost with its process. */
const isPath = (file: unknown): file is string =>
  typeof file === "string" && file !== "" && file !== ":memory:" && !file.includes("\0")

/**
 * Opens the log in a SQLite database, and brings the database up to date. Any number of processes on one
 * machine may open the same file. Rejects with an `AuditLogError`.
 */
export const openAuditLog = async (given: SqliteAuditLogOptions): Promise<AuditLog> => {
  const { options, warn } = readAuditLogOptions(given, ["file", "secretKey"])
  const { secretKey } = options
  if (!isPath(options.file)) throw new InvalidArgument("file", "must be the path of a file")
  const file = resolve(options.file)
  return makeAuditLog({
    ports: Layer.merge(SqliteStorage.layer({ filename: file }), ClockGuard.layer),
    machine: evidenceMachine(secretKey, (sealed) => keyInFile(secretKeyFile(file), sealed)),
    warn
  })
}
