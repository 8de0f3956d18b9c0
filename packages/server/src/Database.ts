/** Which database the server stands on: `CAIRN_DATABASE_URL`, read. */
import { Schema } from "effect"

/** A database, as it also crosses to the log thread. */
export const Database = Schema.Struct({
  kind: Schema.Literal("sqlite"),
  /** Path of the log's file. */
  filename: Schema.String
})
export type Database = typeof Database.Type

const SQLITE = /^sqlite:(?:\/\/(?=\/))?(.+)$/

/** Reads `sqlite:PATH`; `undefined` for anything else. */
export const readDatabase = (url: string): Database | undefined => {
  const filename = SQLITE.exec(url)?.[1]
  return filename === undefined ? undefined : { kind: "sqlite", filename }
}

/** What a person is told of it. */
export const nameOf = (database: Database): string => database.filename
