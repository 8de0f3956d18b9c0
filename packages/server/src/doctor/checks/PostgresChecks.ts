/** Checks of a PostgreSQL server: how it is set, and what goes on in it. */
import type { IdleSlot } from "@cairn/storage-postgres"
import { Effect } from "effect"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import { ofFacts, ofPostgres, ofShards, onMachine } from "../PostgresPatient.ts"

const needs = [SETTINGS.database.name]
const database = "postgres" as const

/** The statement that changes a setting of the whole server. */
export const altered = (setting: string, value: string): string =>
  `ALTER SYSTEM SET ${setting} = ${value}; SELECT pg_reload_conf()`

/** The oldest server that is supported, as its version number begins. */
const OLDEST = 14

const version: Check = {
  id: "postgres-version",
  title: "Version of PostgreSQL",
  looks: `Whether the server is older than PostgreSQL ${OLDEST}`,
  needs,
  database,
  run: ofFacts(({ version: number }) => {
    const major = Math.floor(number / 10_000)
    return major < OLDEST
      ? [
          fault(
            `the server is PostgreSQL ${major}, and Cairn needs ${OLDEST} or newer`,
            "pg_upgrade to a newer version"
          )
        ]
      : []
  })
}

const encoding: Check = {
  id: "postgres-encoding",
  title: "Encoding",
  looks: "Whether the database is not in UTF-8: texts of events would be refused or changed",
  needs,
  database,
  run: ofFacts((facts) =>
    facts.encoding === "UTF8"
      ? []
      : [
          fault(
            `the database is encoded in ${facts.encoding}, not in UTF8`,
            "CREATE DATABASE cairn ENCODING 'UTF8' TEMPLATE template0, then cairn copy --from OLD --to NEW"
          )
        ]
  )
}

const durability: Check = {
  id: "postgres-durability",
  title: "Durable commits",
  looks:
    "Whether `fsync`, `full_page_writes` or `synchronous_commit` is off, or a table is `UNLOGGED`: what was answered `202` can be lost",
  needs,
  database,
  run: (patient) =>
    Effect.map(Effect.all([settingsOff(patient), tablesOff(patient), shardsOff(patient)]), (found) =>
      found.flat()
    )
}

const judgeUnlogged = (names: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  names.map((name) =>
    fault(
      `the table ${name} is UNLOGGED: a crash of PostgreSQL empties it, and no standby has it`,
      `ALTER TABLE ${name} SET LOGGED`
    )
  )

const tablesOff = ofPostgres((sql, { unloggedTables }) => Effect.map(unloggedTables(sql), judgeUnlogged))

const shardsOff = ofShards(({ unlogged }) => judgeUnlogged(unlogged))

const settingsOff = ofFacts((facts) => {
  const off = (["fsync", "full_page_writes", "synchronous_commit"] as const).filter(
    (name) => facts[name] === "off"
  )
  return off.map((name) =>
    fault(
      `${name} is off: accepted events can be lost in a power failure`,
      name === "synchronous_commit"
        ? `${altered(name, "on")}; and ALTER ROLE cairn RESET ${name} if the role has its own`
        : altered(name, "on")
    )
  )
})

const writable: Check = {
  id: "postgres-writable",
  title: "Writable",
  looks: "Whether the server is a standby, or its sessions begin read-only",
  needs,
  database,
  run: ofFacts(({ is_standby, read_only }) => {
    if (is_standby)
      return [
        fault(
          "the server is a standby, which takes no writes",
          "let CAIRN_DATABASE_URL name the primary, or promote this one: SELECT pg_promote()"
        )
      ]
    return read_only === "on"
      ? [
          fault(
            "sessions begin read-only (default_transaction_read_only)",
            `ALTER ROLE cairn RESET default_transaction_read_only, the same of the database, or ${altered("default_transaction_read_only", "off")}`
          )
        ]
      : []
  })
}

/** Threads of a process, each with a pool. */
const POOLS = 3

const connections: Check = {
  id: "postgres-connections",
  title: "Connections",
  looks:
    "Whether the server, the database or the role takes fewer connections than one process of Cairn may open",
  needs: [SETTINGS.database.name, SETTINGS.connections.name],
  database,
  run: ofFacts((facts, { settings }) => {
    const wanted = POOLS * settings.connections
    const { max_connections, reserved_connections: reserved, database_connections, role_connections } = facts
    const too = (what: string, given: number, mend: string) =>
      warning(
        `the ${what} takes ${given} connections, and one process of Cairn may open ${wanted}`,
        `${mend}; or lower CAIRN_DATABASE_CONNECTIONS`
      )
    const given = max_connections - reserved
    const ofServer = `ALTER SYSTEM SET max_connections = ${wanted * 2 + reserved} and a restart of PostgreSQL`
    return [
      ...(given < wanted ? [too("server", given, ofServer)] : []),
      ...(database_connections !== null && database_connections < wanted
        ? [
            too(
              "database",
              database_connections,
              `ALTER DATABASE ${facts.database_name} CONNECTION LIMIT ${wanted * 2}`
            )
          ]
        : []),
      ...(role_connections !== null && role_connections < wanted
        ? [too("role", role_connections, `ALTER ROLE ${facts.role_name} CONNECTION LIMIT ${wanted * 2}`)]
        : [])
    ]
  })
}

const standbys: Check = {
  id: "postgres-standbys",
  title: "Synchronous standbys",
  looks: "Whether commits wait for standbys of which none is connected: nothing is accepted then",
  needs,
  database,
  run: ofFacts(({ synchronous_standby_names: names, synchronous_standbys: connected, is_standby }) =>
    names !== "" && connected === 0 && !is_standby
      ? [
          fault(
            `commits wait for a synchronous standby (${names}), and none is connected`,
            `start the standby; or, without one, ${altered("synchronous_standby_names", "''")}`
          )
        ]
      : []
  )
}

/** Transactions after which it is high time: a server stops at two thousand million. */
const OLD_TRANSACTIONS = { warning: 1_000_000_000, error: 1_600_000_000 }

const wraparound: Check = {
  id: "postgres-wraparound",
  title: "Transaction numbers",
  looks: "Whether they run out, because `VACUUM` was held up for long",
  needs,
  database,
  run: ofFacts(({ transaction_age: age }) => {
    if (age < OLD_TRANSACTIONS.warning) return []
    const cause = `the oldest row is ${age} transactions old, and the server stops at 2,000,000,000`
    const mend = "end old transactions, remove idle replication slots, then VACUUM (FREEZE) in this database"
    return [age < OLD_TRANSACTIONS.error ? warning(cause, mend) : fault(cause, mend)]
  })
}

const vacuum: Check = {
  id: "postgres-vacuum",
  title: "Vacuum",
  looks: "Whether `autovacuum` is off, for the server or for a table: the inbox would grow with every event",
  needs,
  database,
  run: (patient) =>
    Effect.gen(function* () {
      const ofServer = yield* ofFacts((facts) =>
        (["autovacuum", "track_counts"] as const)
          .filter((name) => facts[name] === "off")
          .map((name) => warning(`${name} is off: tables grow, and indexes with them`, altered(name, "on")))
      )(patient)
      const ofTables = yield* ofPostgres((sql, { unvacuumedTables }) =>
        Effect.map(unvacuumedTables(sql), (tables) => judgeUnvacuumed(tables.map(({ name }) => name)))
      )(patient)
      const onShards = yield* ofShards(({ unvacuumed }) => judgeUnvacuumed(unvacuumed))(patient)
      return [...ofServer, ...ofTables, ...onShards]
    })
}

const judgeUnvacuumed = (names: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  names.map((name) =>
    warning(`autovacuum is off for the table ${name}`, `ALTER TABLE ${name} RESET (autovacuum_enabled)`)
  )

/** Cairn's own sessions are ended after five seconds. */
const IDLE_SECONDS = 15

const sessions: Check = {
  id: "postgres-sessions",
  title: "Idle transactions",
  looks: `Whether a session has kept a transaction open for ${IDLE_SECONDS} seconds and does nothing: it keeps locks, and rows from \`VACUUM\``,
  needs,
  database,
  run: ofPostgres((sql, { idleSessions }) =>
    Effect.map(idleSessions(sql, IDLE_SECONDS), (idle) =>
      idle.map(({ pid, application, seconds }) =>
        warning(
          `the session ${pid} (${application || "unnamed"}) has been idle in a transaction for ${seconds} seconds`,
          `SELECT pg_terminate_backend(${pid})`
        )
      )
    )
  )
}

const MEBIBYTE = 1024 * 1024
const KEPT_BYTES = 256 * MEBIBYTE

const slots: Check = {
  id: "postgres-slots",
  title: "Replication slots",
  looks: `Whether more than ${KEPT_BYTES / MEBIBYTE} MiB of WAL are kept for a slot that nobody reads: the disk fills`,
  needs,
  database,
  run: ofPostgres((sql, { idleSlots, machineSlots }) =>
    Effect.zipWith(idleSlots(sql, KEPT_BYTES), machineSlots(sql, KEPT_BYTES), (own, others) => [
      ...judgeSlots(own),
      ...others.flatMap(({ name, slots }) => judgeSlots(slots).map(onMachine(name)))
    ])
  )
}

const judgeSlots = (idle: ReadonlyArray<IdleSlot>): ReadonlyArray<Finding> =>
  idle.map(({ name, bytes }) =>
    warning(
      `${Math.round(bytes / MEBIBYTE)} MiB of WAL are kept for the replication slot ${name}, which nobody reads`,
      `start its standby or subscriber; or SELECT pg_drop_replication_slot('${name}')`
    )
  )

/** Checks of PostgreSQL. */
export const POSTGRES_CHECKS: ReadonlyArray<Check> = [
  version,
  encoding,
  durability,
  writable,
  connections,
  standbys,
  vacuum,
  wraparound,
  sessions,
  slots
]
