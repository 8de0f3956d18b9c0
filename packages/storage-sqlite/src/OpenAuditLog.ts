/** The audit log of a program, in a SQLite database. */
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
   * Path of the database, made with its folder when missing: `data/audit.db`. Three files more lie beside
   * it.
   */
  readonly file: string
  /**
   * Seals the keys that sign evidence: the base64 of 32 bytes (`openssl rand -base64 32`), the same in
   * every process and for good; or several, with commas between them, newest first. Unless it is given, it
   * is kept in a file beside the database, `data/audit-secret.key`, which is made when evidence is first
   * asked for. Keep it apart from the database and its backups.
   */
  readonly secretKey?: string | undefined
  /** Is told what the program's operator should know; a warning of the process unless given. */
  readonly warn?: AuditLogWarn | undefined
}

/**
 * The key in the file beside the database, which is made unless keys are sealed already that no new one
 * opens.
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
 * Opens the log in a SQLite database, and brings that up to date. Any number of processes of one machine
 * may open the same file. Rejects with an `AuditLogError`.
 */
export const openAuditLog = async (given: SqliteAuditLogOptions): Promise<AuditLog> => {
  const { options, warn } = readAuditLogOptions(given, ["file", "secretKey"])
  const { file, secretKey } = options
  if (!isPath(file)) throw new InvalidArgument("file", "must be the path of a file")
  return makeAuditLog({
    ports: Layer.merge(SqliteStorage.layer({ filename: file }), ClockGuard.layer),
    machine: evidenceMachine(secretKey, (sealed) => keyInFile(secretKeyFile(file), sealed)),
    warn
  })
}
