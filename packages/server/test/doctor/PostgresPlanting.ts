/** Faults that are planted in a real PostgreSQL, and what is expected of each. */
import { databasesOn } from "@cairn/testing/EmbeddedPostgres"
import type { Expected, Variables } from "./Ward.ts"

const query = (url: string, statement: string) => databasesOn(Number(new URL(url).port)).query(url, statement)

/** Statements of a superuser, one after the other: `ALTER SYSTEM` runs in no transaction. */
export const run = async (url: string, text: string): Promise<void> => {
  for (const statement of text.split(/;\s+(?=[A-Z])/)) await query(url, statement)
}

/** A server takes a moment to read its settings again. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 150))

interface Fault extends Expected {
  readonly name: string
  readonly plant: (url: string) => Promise<Variables | undefined>
  /** Does what the doctor says; it is content afterwards. */
  readonly cure?: (url: string, mend: string) => Promise<unknown>
  /** Undoes what concerns the whole server. */
  readonly after?: (url: string) => Promise<unknown>
}

const withUrl = (url: string, change: (url: URL) => void): Variables => {
  const other = new URL(url)
  change(other)
  return { CAIRN_DATABASE_URL: other.href }
}

/** A setting of the whole server, which the mending statement sets right again. */
const altered = (name: string, value: string, expected: Expected): Fault => ({
  name: `${name} = ${value}`,
  plant: async (url) => {
    await run(url, `ALTER SYSTEM SET ${name} = ${value}; SELECT pg_reload_conf()`)
    await settle()
    return undefined
  },
  cure: async (url, mend) => {
    await run(url, mend.replace(/^.*or, without one, /, "").replace(/; and .*$/, ""))
    await settle()
  },
  after: async (url) => {
    await run(url, `ALTER SYSTEM RESET ${name}; SELECT pg_reload_conf()`)
    await settle()
  },
  ...expected
})

const byStatement = async (url: string, mend: string) => run(url, mend)

/** The faults. */
export const POSTGRES_FAULTS: ReadonlyArray<Fault> = [
  {
    name: "a server that is not there",
    plant: async (url) =>
      withUrl(url, (other) => {
        other.port = "1"
      }),
    check: "database",
    cause: /^postgres:\/\/cairn@127\.0\.0\.1:1\/\w+ cannot be opened: .*ECONNREFUSED/,
    mend: /^start PostgreSQL/
  },
  {
    name: "a host without an address",
    plant: async (url) =>
      withUrl(url, (other) => {
        other.hostname = "database.invalid"
      }),
    check: "database",
    cause: /database\.invalid.* cannot be opened/,
    mend: /correct the name of the host/
  },
  {
    name: "a wrong password",
    plant: async (url) =>
      withUrl(url, (other) => {
        other.password = "wrong-password"
      }),
    check: "database",
    cause: /cannot be opened: .*password authentication failed/,
    mend: /^correct the password in CAIRN_DATABASE_URL/
  },
  {
    name: "a database that is not there",
    plant: async (url) =>
      withUrl(url, (other) => {
        other.pathname = "/nowhere"
      }),
    check: "database",
    cause: /database "nowhere" does not exist/,
    mend: /^make the database \(createdb NAME\)/
  },
  {
    name: "a server without the TLS that is asked for",
    plant: async (url) =>
      withUrl(url, (other) => {
        other.searchParams.set("sslmode", "require")
      }),
    check: "database",
    cause: /cannot be opened: .*(?:SSL|TLS)/i,
    mend: /^take sslmode out of CAIRN_DATABASE_URL, or turn TLS on/
  },
  {
    name: "a certificate of an authority that is not there",
    plant: async (url) =>
      withUrl(url, (other) => {
        other.searchParams.set("sslrootcert", "/nowhere/ca.pem")
      }),
    check: "database",
    cause: /sslrootcert of the database's URL cannot be read: \/nowhere\/ca\.pem/,
    mend: /sslrootcert in CAIRN_DATABASE_URL/
  },
  altered("fsync", "off", {
    check: "postgres-durability",
    cause: /^fsync is off: accepted events can be lost/,
    mend: /^ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf\(\)$/
  }),
  altered("full_page_writes", "off", {
    check: "postgres-durability",
    cause: /^full_page_writes is off/,
    mend: /^ALTER SYSTEM SET full_page_writes = on/
  }),
  altered("synchronous_commit", "off", {
    check: "postgres-durability",
    cause: /^synchronous_commit is off/,
    mend: /^ALTER SYSTEM SET synchronous_commit = on/
  }),
  altered("autovacuum", "off", {
    check: "postgres-vacuum",
    severity: "warning",
    cause: /^autovacuum is off/,
    mend: /^ALTER SYSTEM SET autovacuum = on/
  }),
  altered("synchronous_standby_names", "'nobody'", {
    check: "postgres-standbys",
    cause: /wait for a synchronous standby \(nobody\), and none is connected/,
    mend: /ALTER SYSTEM SET synchronous_standby_names = ''/
  }),
  {
    name: "sessions that begin read-only",
    plant: async (url) => {
      const name = new URL(url).pathname.slice(1)
      await run(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      return undefined
    },
    check: "postgres-writable",
    cause: /sessions begin read-only/,
    mend: /RESET default_transaction_read_only/,
    cure: async (url) => {
      const name = new URL(url).pathname.slice(1)
      await run(url, `SET default_transaction_read_only = off`)
      await query(
        new URL("/postgres", url).href,
        `ALTER DATABASE ${name} RESET default_transaction_read_only`
      )
    }
  },
  {
    name: "more connections than the server takes",
    plant: async () => ({ CAIRN_DATABASE_CONNECTIONS: "40" }),
    check: "postgres-connections",
    severity: "warning",
    cause: /takes 97 connections, and one process of Cairn may open 120/,
    mend: /max_connections = 243 .*lower CAIRN_DATABASE_CONNECTIONS/s
  },
  {
    name: "a database with few connections",
    plant: async (url) => {
      await run(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} CONNECTION LIMIT 5`)
      return undefined
    },
    check: "postgres-connections",
    severity: "warning",
    cause: /the database takes 5 connections, and one process of Cairn may open \d+/,
    mend: /^ALTER DATABASE .* CONNECTION LIMIT/,
    cure: async (url, mend) => run(url, mend.replace(/; or .*$/, ""))
  },
  {
    name: "a role with few connections",
    plant: async (url) => {
      await run(url, "ALTER ROLE cairn CONNECTION LIMIT 6")
      return undefined
    },
    check: "postgres-connections",
    severity: "warning",
    cause: /the role takes 6 connections, and one process of Cairn may open \d+/,
    mend: /^ALTER ROLE cairn CONNECTION LIMIT/,
    cure: async (url, mend) => run(url, mend.replace(/; or .*$/, "")),
    after: async (url) => run(url, "ALTER ROLE cairn CONNECTION LIMIT -1")
  },
  {
    name: "a table that a crash empties",
    plant: async (url) => {
      await run(url, "ALTER TABLE inbox SET UNLOGGED")
      return undefined
    },
    check: "postgres-durability",
    cause: /^the table inbox is UNLOGGED/,
    mend: /^ALTER TABLE inbox SET LOGGED$/,
    cure: byStatement
  },
  {
    name: "a replica that is not there",
    plant: async (url) => ({ CAIRN_DATABASE_READ_URL: url.replace(/:\d+\//, ":1/") }),
    check: "read-replicas",
    severity: "warning",
    cause: /^the replica 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/,
    mend: /CAIRN_DATABASE_READ_URL/
  },
  {
    name: "a primary in the place of a replica",
    plant: async (url) => ({ CAIRN_DATABASE_READ_URL: url }),
    check: "read-replicas",
    severity: "warning",
    cause: /^127\.0\.0\.1:\d+ is no replica: it takes writes$/,
    mend: /hot standbys/
  },
  {
    name: "an index missing",
    plant: async (url) => {
      await run(url, "DROP INDEX event_created_at")
      return undefined
    },
    check: "schema-objects",
    cause: /^the index event_created_at is missing$/,
    mend: /^CREATE UNIQUE INDEX CONCURRENTLY event_created_at ON event/,
    cure: byStatement
  },
  {
    name: "an index that is not valid",
    plant: async (url) => {
      await run(url, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'event_id'::regclass")
      return undefined
    },
    check: "schema-objects",
    cause: /^the index event_id is not valid/,
    mend: /^REINDEX INDEX CONCURRENTLY event_id$/,
    cure: byStatement
  },
  {
    name: "a table missing",
    plant: async (url) => {
      await run(url, "DROP TABLE viewer_key")
      return undefined
    },
    check: "schema-objects",
    cause: /^the table viewer_key is missing$/,
    mend: /pg_restore --table/,
    besides: ["secret-key"]
  },
  {
    name: "a trigger disabled",
    plant: async (url) => {
      await run(url, "ALTER TABLE event DISABLE TRIGGER event_is_append_only")
      return undefined
    },
    check: "append-only",
    cause: /the trigger event_is_append_only on event is disabled/,
    mend: /^ALTER TABLE event ENABLE TRIGGER event_is_append_only$/,
    cure: byStatement
  },
  {
    name: "a trigger missing",
    plant: async (url) => {
      await run(url, "DROP TRIGGER event_is_never_truncated ON event")
      return undefined
    },
    check: "append-only",
    cause: /the trigger event_is_never_truncated on event is missing/,
    mend: /^CREATE TRIGGER event_is_never_truncated BEFORE TRUNCATE ON event/,
    cure: byStatement
  },
  {
    name: "a trigger that lets changes pass",
    plant: async (url) => {
      await run(
        url,
        "DROP TRIGGER event_is_append_only ON event; CREATE TRIGGER event_is_append_only BEFORE DELETE ON event FOR EACH ROW EXECUTE FUNCTION cairn_refuse_event_change()"
      )
      return undefined
    },
    check: "append-only",
    cause: /^the trigger event_is_append_only on event is not as the migrations made it/,
    mend: /^DROP TRIGGER event_is_append_only ON event; CREATE TRIGGER event_is_append_only BEFORE UPDATE OR DELETE/,
    cure: byStatement
  },
  {
    name: "a trigger with a condition that is never true",
    plant: async (url) => {
      await run(
        url,
        "DROP TRIGGER event_is_append_only ON event; CREATE TRIGGER event_is_append_only BEFORE UPDATE OR DELETE ON event FOR EACH ROW WHEN (false) EXECUTE FUNCTION cairn_refuse_event_change()"
      )
      return undefined
    },
    check: "append-only",
    cause: /^the trigger event_is_append_only on event is not as the migrations made it/,
    mend: /^DROP TRIGGER event_is_append_only ON event; CREATE TRIGGER event_is_append_only/,
    cure: byStatement
  },
  {
    name: "a function that lets changes pass",
    plant: async (url) => {
      await query(
        url,
        "CREATE OR REPLACE FUNCTION cairn_refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
      )
      return undefined
    },
    check: "append-only",
    cause: /^the function cairn_refuse_event_change is not as the migrations made it/,
    mend: /^CREATE OR REPLACE FUNCTION cairn_refuse_event_change\(\) RETURNS trigger/,
    cure: async (url, mend) => query(url, mend)
  },
  {
    name: "a function that refuses nothing of a closed log",
    plant: async (url) => {
      await run(
        url,
        "CREATE OR REPLACE FUNCTION cairn_not_closed(workspaces bigint[]) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$"
      )
      return undefined
    },
    check: "append-only",
    cause: /^the function cairn_not_closed is not as the migrations made it/,
    mend: /^CREATE OR REPLACE FUNCTION cairn_not_closed/,
    cure: async (url, mend) => query(url, mend)
  },
  {
    name: "sessions in which no trigger runs",
    plant: async (url) => {
      await run(
        url,
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET session_replication_role = replica`
      )
      return undefined
    },
    check: "append-only",
    cause: /session_replication_role = replica, in which no trigger runs/,
    mend: /^ALTER ROLE cairn IN DATABASE \w+ SET session_replication_role = origin, as a superuser$/,
    cure: (url, mend) => run(url, mend.replace(/, as a superuser$/, ""))
  },
  {
    name: "tables in a schema that is not looked into",
    plant: async (url) => {
      await run(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = elsewhere`)
      return undefined
    },
    check: "database",
    cause: /^there are tables of Cairn in the schema public, which search_path \(elsewhere\) does not name/,
    mend: /^ALTER ROLE cairn IN DATABASE \w+ SET search_path = public$/,
    cure: byStatement
  },
  {
    name: "a schema that takes the new tables",
    plant: async (url) => {
      await run(url, "CREATE SCHEMA cairn")
      return undefined
    },
    check: "postgres-schema",
    cause: /^search_path \("\$user", public\) makes new tables in cairn, and those of Cairn are in public/,
    mend: /^ALTER ROLE cairn IN DATABASE \w+ SET search_path = public$/,
    cure: byStatement
  },
  {
    name: "a part of the events missing, where they are split by hash",
    plant: async (url) => {
      await run(
        url,
        `ALTER TABLE event RENAME TO former; CREATE TABLE event (LIKE former INCLUDING DEFAULTS) PARTITION BY HASH (workspace); CREATE TABLE event_0 PARTITION OF event FOR VALUES WITH (MODULUS 4, REMAINDER 0); CREATE TABLE event_1 PARTITION OF event FOR VALUES WITH (MODULUS 4, REMAINDER 1); CREATE TABLE event_3 PARTITION OF event FOR VALUES WITH (MODULUS 4, REMAINDER 3)`
      )
      return undefined
    },
    check: "postgres-partitions",
    cause: /the part 2 of 4 of the table event is missing/,
    mend: /CREATE TABLE event_2 PARTITION OF event FOR VALUES WITH \(MODULUS 4, REMAINDER 2\)$/,
    besides: ["chain-heads", "checkpoints"]
  },
  {
    name: "a role without a right",
    plant: async (url) => {
      await query(url, "DROP ROLE IF EXISTS weak")
      await query(url, "CREATE ROLE weak LOGIN PASSWORD 'weak-password'")
      await run(
        url,
        "GRANT USAGE, CREATE ON SCHEMA public TO weak; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO weak; REVOKE INSERT, DELETE ON event FROM weak"
      )
      return withUrl(url, (other) => {
        other.username = "weak"
        other.password = "weak-password"
      })
    },
    check: "postgres-rights",
    cause: /the role has no INSERT, DELETE on table event$/,
    mend: /^GRANT INSERT, DELETE ON TABLE event TO cairn, as the owner$/,
    cure: (url, mend) => run(url, mend.replace(/TO cairn.*$/, "TO weak"))
  },
  {
    name: "a table that is not vacuumed",
    plant: async (url) => {
      await run(url, "ALTER TABLE inbox SET (autovacuum_enabled = false)")
      return undefined
    },
    check: "postgres-vacuum",
    severity: "warning",
    cause: /autovacuum is off for the table inbox/,
    mend: /^ALTER TABLE inbox RESET \(autovacuum_enabled\)$/,
    cure: byStatement
  },
  {
    name: "an older database",
    plant: async (url) => {
      await run(url, "DELETE FROM cairn_migration WHERE number > 29")
      return undefined
    },
    check: "schema-version",
    severity: "warning",
    cause: /the database is at migration 29, and this version of Cairn has \d+/,
    mend: /^cairn migrate/
  },
  {
    name: "a newer database",
    plant: async (url) => {
      await run(url, "INSERT INTO cairn_migration (number) VALUES (999)")
      return undefined
    },
    check: "schema-version",
    cause: /the database is at migration 999/,
    mend: /newer version of Cairn/
  },
  {
    name: "a replication slot that nobody reads",
    plant: async (url) => {
      await run(url, "SELECT pg_create_physical_replication_slot('forgotten', true)")
      for (let segment = 0; segment < 18; segment++) {
        await run(url, "SELECT pg_logical_emit_message(false, 'x', 'x')")
        await run(url, "SELECT pg_switch_wal()")
      }
      return undefined
    },
    check: "postgres-slots",
    severity: "warning",
    cause: /\d+ MiB of WAL are kept for the replication slot forgotten/,
    mend: /SELECT pg_drop_replication_slot\('forgotten'\)$/,
    after: (url) => run(url, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"),
    cure: (url, mend) => run(url, mend.replace(/^.*or /, ""))
  }
]
