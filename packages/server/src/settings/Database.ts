/** Which database the server stands on: `CAIRN_DATABASE_URL`, read. */
import { readDatabaseUrl } from "@cairn/storage-postgres/database-url"
import { Result, Schema } from "effect"

/** A database, as it also crosses to the log thread. */
export const Database = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("sqlite"),
    /** Path of the log's file. */
    filename: Schema.String
  }),
  Schema.Struct({
    kind: Schema.Literal("postgres"),
    /** With its password: never to be shown. */
    url: Schema.String,
    /** Its read replicas, with their password; none where it is missing. */
    readUrl: Schema.optionalKey(Schema.String)
  })
])
export type Database = typeof Database.Type

/** What a database is by its kind, and what is made of each: a kind that is left out does not compile. */
type ByKind<A> = { readonly [Kind in Database["kind"]]: (database: Extract<Database, { kind: Kind }>) => A }

/** What differs from kind to kind of database. */
export const byKind = <A>(database: Database, { sqlite, postgres }: ByKind<A>): A => {
  switch (database.kind) {
    case "sqlite":
      return sqlite(database)
    case "postgres":
      return postgres(database)
  }
}

const SQLITE = /^sqlite:(?:\/\/(?=\/))?(.+)$/

/** Reads `sqlite:PATH` or `postgres://…`; `undefined` for anything else. */
export const readDatabase = (url: string): Database | undefined => {
  const filename = SQLITE.exec(url)?.[1]
  if (filename !== undefined) return { kind: "sqlite", filename }
  return Result.isSuccess(readDatabaseUrl(url)) ? { kind: "postgres", url } : undefined
}

/** Whether it is the URL of read replicas, of which each is used as it is. */
export const isReplicas = (url: string): boolean =>
  Result.match(readDatabaseUrl(url), {
    onFailure: () => false,
    onSuccess: ({ hosts: [first] }) => {
      const needs = new URL(first?.url ?? url).searchParams.get("target_session_attrs")
      return needs === null || needs === "any"
    }
  })

const withoutSecrets = (url: string): string =>
  Result.match(readDatabaseUrl(url), { onSuccess: ({ name }) => name, onFailure: () => "postgres" })

/** The name of a database in messages: a path, or a URL without its secrets. */
export const nameOf = (database: Database): string =>
  byKind(database, { sqlite: ({ filename }) => filename, postgres: ({ url }) => withoutSecrets(url) })
