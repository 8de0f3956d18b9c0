/** The audit log of a program, in a SQLite database. */
import { type AuditLog, type AuditLogWarn, InvalidArgument, makeAuditLog } from "@cairn/core/audit-log"
import { ClockGuard } from "@cairn/core/log"
import { readAuditLogOptions } from "@cairn/storage-sql"
import { Layer } from "effect"
import * as SqliteStorage from "./SqliteStorage.ts"

/** Where the log is. */
export interface SqliteAuditLogOptions {
  /** Path of the database, made with its folder when missing: `data/audit.db`. Three files more lie beside it, see the README. */
  readonly file: string
  /** Is told what the program's operator should know; a warning of the process unless given. */
  readonly warn?: AuditLogWarn | undefined
}

/**
 * Opens the log in a SQLite database, and brings that up to date. Any number of processes of one machine may open the same file. Rejects with
 * an `AuditLogError`.
 */
export const openAuditLog = async (given: SqliteAuditLogOptions): Promise<AuditLog> => {
  const {
    options: { file },
    warn
  } = readAuditLogOptions(given, ["file"])
  if (typeof file !== "string" || file === "") throw new InvalidArgument("file", "must be the path of a file")
  return makeAuditLog(Layer.merge(SqliteStorage.layer({ filename: file }), ClockGuard.layer), warn)
}
