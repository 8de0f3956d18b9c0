/** The audit log of a program, in a PostgreSQL database. */
import { type AuditLog, type AuditLogWarn, InvalidArgument, makeAuditLog } from "@cairn/core/audit-log"
import { ClockGuard } from "@cairn/core/log"
import { evidenceMachine, readAuditLogOptions } from "@cairn/storage-sql"
import { Layer, Redacted, Result } from "effect"
import { readDatabaseUrl } from "./DatabaseUrl.ts"
import * as PostgresStorage from "./PostgresStorage.ts"

/** Where the log is. */
export interface PostgresAuditLogOptions {
  /**
   * `postgres://user:password@host:port/database?sslmode=require`, in libpq's form. Several servers are
   * `one:5432,two:5432`; see `docs/Operations.md` for TLS and failover. It must lead to PostgreSQL itself or
   * to a pooler in session mode.
   */
  readonly url: string
  /** Most connections of this process; 10 by default, at least 2. */
  readonly maxConnections?: number | undefined
  /**
   * Encrypts the keys that sign evidence; without it no evidence can be written. The base64 of 32 bytes
   * (`openssl rand -base64 32`), permanently the same in every process; or several, separated by commas,
   * newest first. Keep it apart from the database and its backups.
   */
  readonly secretKey?: string | undefined
  /** Called with warnings for the program's operator; by default, a warning of the process. */
  readonly warn?: AuditLogWarn | undefined
}

const readUrl = (url: unknown): string => {
  const read = readDatabaseUrl(typeof url === "string" ? url : "")
  if (typeof url === "string" && Result.isSuccess(read)) return url
  // It may contain a password, so it is not shown.
  throw new InvalidArgument("url", `must ${Result.isFailure(read) ? read.failure : "be a text"}`)
}

const readConnections = (count: unknown): { readonly maxConnections?: number } => {
  if (count === undefined) return {}
  if (typeof count === "number" && Number.isSafeInteger(count) && count >= 2) return { maxConnections: count }
  throw new InvalidArgument("maxConnections", "must be a whole number, 2 or greater")
}

/**
 * Opens the log in a PostgreSQL database, and brings the database up to date. Any number of processes, on any
 * machines, may open the same database. Rejects with an `AuditLogError`.
 */
export const openAuditLog = async (given: PostgresAuditLogOptions): Promise<AuditLog> => {
  const { options, warn } = readAuditLogOptions(given, ["url", "maxConnections", "secretKey"])
  const storage = PostgresStorage.layer({
    url: Redacted.make(readUrl(options.url)),
    ...readConnections(options.maxConnections)
  })
  return makeAuditLog({
    ports: ClockGuard.layerAgainstStore.pipe(Layer.provideMerge(storage)),
    machine: evidenceMachine(options.secretKey, () => undefined),
    warn
  })
}
