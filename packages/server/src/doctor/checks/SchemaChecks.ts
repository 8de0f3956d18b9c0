/** Checks of the tables in PostgreSQL: what is there, and what the role may do with it. */
import type { ExpectedFunction, SchemaStanding } from "@cairn/storage-postgres"
import { Effect } from "effect"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault } from "../Check.ts"
import { ofFacts, ofPostgres, ofShards } from "../PostgresPatient.ts"
import { ofSessions } from "./DatabaseChecks.ts"

const needs = [SETTINGS.database.name]
const database = "postgres" as const

const rights: Check = {
  id: "postgres-rights",
  title: "Rights of the role",
  looks: "Whether the role may read and write every table, and make tables in the schema",
  needs,
  database,
  run: ofPostgres((sql, { lackingRights }) =>
    Effect.map(lackingRights(sql), (lacking) => {
      const byPlace = new Map<string, Array<string>>()
      for (const { right, on } of lacking) byPlace.set(on, [...(byPlace.get(on) ?? []), right])
      return Array.from(byPlace, ([on, names]) =>
        fault(
          `the role has no ${names.join(", ")} on ${on.toLowerCase()}`,
          `GRANT ${names.join(", ")} ON ${on} TO cairn, as the owner`
        )
      )
    })
  )
}

const partitions: Check = {
  id: "postgres-partitions",
  title: "Partitions",
  looks: "Whether a part of a table that is split by hash is missing: events for it are refused",
  needs,
  database,
  run: ofPostgres((sql, { missingPartitions }) =>
    Effect.map(missingPartitions(sql), (missing) =>
      missing.map(({ table, modulus, remainder }) =>
        fault(
          `the part ${remainder} of ${modulus} of the table ${table} is missing: rows for it are refused`,
          `put the part back: ALTER TABLE ${table} ATTACH PARTITION NAME FOR VALUES WITH (MODULUS ${modulus}, REMAINDER ${remainder}), or restore a backup; for an empty one CREATE TABLE ${table}_${remainder} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${modulus}, REMAINDER ${remainder})`
        )
      )
    )
  )
}

const objects: Check = {
  id: "schema-objects",
  title: "Tables, indexes and triggers",
  looks: "Whether something that the migrations made is missing, or an index is not valid",
  needs,
  database,
  run: (patient) =>
    Effect.zipWith(objectsOfAll(patient), ofShards(judgeObjects)(patient), (one, other) => [...one, ...other])
}

const judgeObjects = ({ missing, idle, unusable }: SchemaStanding): ReadonlyArray<Finding> => [
  ...missing
    .filter(({ type }) => type !== "trigger")
    .map(({ type, name, sql: statement }) =>
      fault(
        `the ${type} ${name} is missing`,
        type === "table"
          ? "restore a backup, or the table from one: pg_restore --table"
          : statement.replaceAll(/\s+/g, " ").replace(" INDEX ", " INDEX CONCURRENTLY ")
      )
    ),
  ...[...idle, ...unusable]
    .filter(({ type }) => type === "index")
    .map(({ name }) =>
      fault(`the index ${name} is not valid: queries do not use it`, `REINDEX INDEX CONCURRENTLY ${name}`)
    )
]

const objectsOfAll = ofPostgres((sql, { schemaStanding }) => Effect.map(schemaStanding(sql), judgeObjects))

const NOTHING_KEEPS = "nothing keeps a statement from changing the log"

const judgeTriggers = ({ missing, idle, altered: others }: SchemaStanding): ReadonlyArray<Finding> => {
  const isTrigger = ({ type }: { readonly type: string }) => type === "trigger"
  return [
    ...missing
      .filter(isTrigger)
      .map(({ name, table, sql: statement }) =>
        fault(`the trigger ${name} on ${table} is missing: ${NOTHING_KEEPS}`, oneLine(statement))
      ),
    ...idle
      .filter(isTrigger)
      .map(({ name, table }) =>
        fault(
          `the trigger ${name} on ${table} is disabled: ${NOTHING_KEEPS}`,
          `ALTER TABLE ${table} ENABLE TRIGGER ${name}`
        )
      ),
    ...others.map(({ name, table, sql: statement }) =>
      fault(
        `the trigger ${name} on ${table} is not as the migrations made it: it may let a change of the log pass`,
        `DROP TRIGGER ${name} ON ${table}; ${oneLine(statement)}`
      )
    )
  ]
}

const triggers = ofPostgres((sql, { schemaStanding }) => Effect.map(schemaStanding(sql), judgeTriggers))

const oneLine = (statement: string): string => statement.replaceAll(/\s+/g, " ")

const judgeFunctions = (others: ReadonlyArray<ExpectedFunction>): ReadonlyArray<Finding> =>
  others.map(({ name, sql: statement }) =>
    fault(
      `the function ${name} is not as the migrations made it: it may let pass what it should refuse`,
      oneLine(statement)
    )
  )

const functions = ofPostgres((sql, { alteredFunctions }) => Effect.map(alteredFunctions(sql), judgeFunctions))

/** The same on every machine over which the log is spread. */
const onShards = ofShards((standing) => [...judgeTriggers(standing), ...judgeFunctions(standing.functions)])

const replicationRole = ofFacts((facts) =>
  facts.session_replication_role === "replica"
    ? [
        fault(
          `sessions begin with session_replication_role = replica, in which no trigger runs: ${NOTHING_KEEPS}`,
          `${ofSessions(facts, "session_replication_role", "origin")}, as a superuser`
        )
      ]
    : []
)

const appendOnly: Check = {
  id: "append-only",
  title: "The log only grows",
  looks: "Whether the triggers that protect the log from accidental changes exist, are enabled and unaltered",
  needs,
  database,
  run: (patient) =>
    Effect.map(
      Effect.all([triggers(patient), functions(patient), onShards(patient), replicationRole(patient)]),
      (found) => found.flat()
    )
}

const schema: Check = {
  id: "postgres-schema",
  title: "Schema",
  looks: "Whether new tables go to another schema than the one with the tables of Cairn",
  needs,
  database,
  run: ofPostgres((sql, { schemaPlaces }) =>
    Effect.map(schemaPlaces(sql), (places) => {
      const { visible, current, search_path } = places
      return visible === null || visible === current
        ? []
        : [
            fault(
              `search_path (${search_path}) makes new tables in ${current ?? "no schema"}, and those of Cairn are in ${visible}: the next migration makes its tables apart`,
              ofSessions(places, "search_path", visible)
            )
          ]
    })
  )
}

/** Checks of the tables in PostgreSQL. */
export const SCHEMA_CHECKS: ReadonlyArray<Check> = [rights, schema, objects, appendOnly, partitions]
