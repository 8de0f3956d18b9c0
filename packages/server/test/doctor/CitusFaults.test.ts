/** Faults that are planted on one machine of a log that Citus spreads, each found there and named. */
import { manualClock } from "@cairn/testing"
import {
  alterMachine,
  citusQuery,
  citusUrl,
  dropCitusDatabases,
  freezeMachine,
  holdCluster,
  killMachine,
  newCitusDatabase,
  queryMachine,
  unlessCitus
} from "@cairn/testing/CitusCluster"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { assertFound, assertHealthy, type Expected, examine } from "./Ward.ts"

killLeftovers()

const KEY = Buffer.alloc(32, 1).toString("base64")
/** Under this many shards, both workers have some. */
const SHARDS = 4

/** More of the WAL than a slot may keep, in segments of 16 MiB. */
const SEGMENTS = 18

/** A worker, and the number of one of its shards of the events. */
interface Worker {
  readonly port: number
  readonly shard: number
}

interface Fault extends Expected {
  readonly name: string
  /** What undoes it. */
  readonly plant: (worker: Worker, url: string) => Promise<() => unknown>
  /** Whether the doctor is content once what it says is done on the machine. */
  readonly cured?: boolean
}

const MACHINE = /127\.0\.0\.1:\d+/.source

const found = (check: string, cause: string, mend: string): Expected => ({
  check,
  cause: new RegExp(`^on ${MACHINE}, ${cause}`),
  mend: new RegExp(`^on ${MACHINE}: ${mend}`)
})

const altered = (name: string, value: string, expected: Expected): Fault => ({
  name: `${name} = ${value}`,
  plant: ({ port }) => alterMachine(port, name, value),
  ...expected
})

/** What is done in the database on the machine. */
const run = (statement: (worker: Worker) => string, undo: (worker: Worker) => string) =>
  (async (worker, url) => {
    await queryMachine(worker.port, url, statement(worker))
    return () => queryMachine(worker.port, url, undo(worker))
  }) satisfies Fault["plant"]

const databaseOf = (url: string): string => new URL(url).pathname.slice(1)

const ofDatabase =
  (name: string, value: string): Fault["plant"] =>
  async ({ port }, url) => {
    await queryMachine(port, url, `ALTER DATABASE ${databaseOf(url)} SET ${name} = ${value}`)
    const writable = "SET default_transaction_read_only = off"
    return () => queryMachine(port, url, writable, `ALTER DATABASE ${databaseOf(url)} RESET ${name}`)
  }

const none = () => "SELECT 1"

const FAULTS: ReadonlyArray<Fault> = [
  {
    ...altered(
      "fsync",
      "off",
      found("postgres-durability", "fsync is off: accepted events can be lost", "ALTER SYSTEM SET fsync = on")
    ),
    cured: true
  },
  altered(
    "full_page_writes",
    "off",
    found("postgres-durability", "full_page_writes is off", "ALTER SYSTEM SET full_page_writes = on")
  ),
  {
    name: "synchronous_commit that is off for the database",
    plant: ofDatabase("synchronous_commit", "off"),
    ...found("postgres-durability", "synchronous_commit is off", "ALTER SYSTEM SET synchronous_commit = on")
  },
  altered(
    "synchronous_standby_names",
    "nobody",
    found("postgres-standbys", "commits wait for a synchronous standby \\(nobody\\)", "start the standby")
  ),
  {
    name: "sessions that begin read-only",
    plant: ofDatabase("default_transaction_read_only", "on"),
    ...found("postgres-writable", "sessions begin read-only", "ALTER ROLE cairn RESET")
  },
  {
    name: "sessions in which no trigger runs",
    plant: ofDatabase("session_replication_role", "replica"),
    ...found("append-only", "sessions begin with session_replication_role = replica", "ALTER ROLE")
  },
  {
    name: "a trigger disabled on a shard",
    plant: run(
      ({ shard }) => `ALTER TABLE event_${shard} DISABLE TRIGGER event_is_append_only_${shard}`,
      none
    ),
    ...found(
      "append-only",
      "the trigger event_is_append_only_\\d+ on event_\\d+ is disabled",
      "ALTER TABLE event_\\d+ ENABLE TRIGGER event_is_append_only_\\d+$"
    ),
    cured: true
  },
  {
    name: "a trigger missing on a shard",
    plant: run(({ shard }) => `DROP TRIGGER event_is_never_truncated_${shard} ON event_${shard}`, none),
    ...found(
      "append-only",
      "the trigger event_is_never_truncated_\\d+ on event_\\d+ is missing",
      "CREATE TRIGGER event_is_never_truncated_\\d+ BEFORE TRUNCATE ON event_\\d+ "
    ),
    cured: true
  },
  {
    name: "a function that lets changes pass",
    plant: run(
      () =>
        "CREATE OR REPLACE FUNCTION cairn_refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
      none
    ),
    ...found(
      "append-only",
      "the function cairn_refuse_event_change is not as the migrations made it",
      "CREATE OR REPLACE FUNCTION cairn_refuse_event_change\\(\\) RETURNS trigger"
    ),
    cured: true
  },
  {
    name: "an index missing on a shard",
    plant: run(({ shard }) => `DROP INDEX event_id_${shard}`, none),
    ...found(
      "schema-objects",
      "the index event_id_\\d+ is missing$",
      "CREATE (?:UNIQUE )?INDEX CONCURRENTLY event_id_\\d+ ON event_\\d+"
    ),
    cured: true
  },
  {
    name: "a shard that a crash empties",
    plant: run(({ shard }) => `ALTER TABLE event_${shard} SET UNLOGGED`, none),
    ...found("postgres-durability", "the table event_\\d+ is UNLOGGED", "ALTER TABLE event_\\d+ SET LOGGED$"),
    cured: true
  },
  {
    name: "a shard that is not vacuumed",
    plant: run(({ shard }) => `ALTER TABLE event_${shard} SET (autovacuum_enabled = false)`, none),
    ...found("postgres-vacuum", "autovacuum is off for the table event_\\d+", "ALTER TABLE event_\\d+ RESET"),
    severity: "warning",
    cured: true
  },
  {
    name: "WAL that is kept for nobody",
    plant: async ({ port }, url) => {
      const move = ["SELECT pg_logical_emit_message(false, 'test', 'moves')", "SELECT pg_switch_wal()"]
      await queryMachine(port, url, "SELECT pg_create_physical_replication_slot('forgotten', true)")
      await queryMachine(port, url, ...Array.from({ length: SEGMENTS }, () => move).flat())
      return () => queryMachine(port, url, "SELECT pg_drop_replication_slot('forgotten')")
    },
    ...found(
      "postgres-slots",
      "\\d+ MiB of WAL are kept for the replication slot forgotten",
      "start its standby or subscriber"
    ),
    severity: "warning"
  },
  {
    name: "another version of Citus",
    plant: run(
      () => "UPDATE pg_extension SET extversion = extversion || '9' WHERE extname = 'citus'",
      () => "UPDATE pg_extension SET extversion = left(extversion, -1) WHERE extname = 'citus'"
    ),
    check: "postgres-machines",
    severity: "warning",
    cause: new RegExp(`^${MACHINE} has Citus (\\S+)9, and the coordinator has \\1$`),
    mend: /ALTER EXTENSION citus UPDATE/
  }
]

describe.skipIf(citusUrl === "")(`cairn doctor, of a log over several machines${unlessCitus}`, () => {
  let release = async () => {}
  let url = ""
  let worker: Worker = { port: 0, shard: 0 }
  let restores: ReadonlyArray<() => Promise<void>> = []
  const variables = () => ({ CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY })

  beforeAll(async () => {
    release = await holdCluster("alone")
    url = await newCitusDatabase()
    await citusQuery(url, `ALTER DATABASE ${databaseOf(url)} SET citus.shard_count = ${SHARDS}`)
    const { code, stderr } = await cairn(["migrate", "--distribute"], { database: url })
    assert.strictEqual(code, 0, stderr)
    const [found] = await citusQuery(
      url,
      `SELECT nodeport AS port, shardid AS shard FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
       JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'event'::regclass AND groupid > 0 ORDER BY 1`
    )
    worker = { port: Number(found?.port), shard: Number(found?.shard) }
    const nodes = await citusQuery(url, "SELECT nodeport AS port FROM pg_dist_node")
    // A cluster for tests may work without.
    restores = await Promise.all(nodes.map(({ port }) => alterMachine(Number(port), "fsync", "on")))
  }, 600_000)
  afterAll(async () => {
    for (const restore of restores) await restore()
    await dropCitusDatabases()
    await release()
  })

  it("finds nothing in what is healthy", async () => {
    const results = await examine(variables())
    assertHealthy(results)
    assert.strictEqual(results.find(({ id }) => id === "postgres-machines")?.status, "ok")
  })

  for (const { name, plant, cured = false, ...expected } of FAULTS) {
    it(`finds ${name}`, async () => {
      const undo = await plant(worker, url)
      try {
        const results = await examine(variables())
        assertFound(results, expected)
        const { findings } = results.find(({ id }) => id === expected.check) ?? { findings: [] }
        assert.lengthOf(findings, 1)
        const text = JSON.stringify(findings)
        assert.include(text, `127.0.0.1:${worker.port}`)
        if (!cured) return
        const mend = findings[0]?.mend.replace(/^on \S+: /, "") ?? ""
        await queryMachine(worker.port, url, ...(mend.includes("$$") ? [mend] : mend.split("; ")))
        await new Promise((resolve) => setTimeout(resolve, 200))
        assertHealthy(await examine(variables(), {}, expected.check))
      } finally {
        await undo()
      }
    })
  }

  /** The machine is named, and nothing else is said. */
  const isNamed = async () => {
    const results = await examine(variables())
    assertFound(results, {
      check: "postgres-machines",
      cause: new RegExp(`^127\\.0\\.0\\.1:${worker.port}, which has a part of the log, does not answer`),
      mend: new RegExp(
        `^start PostgreSQL on 127\\.0\\.0\\.1:${worker.port}; .*SELECT citus_update_node\\(\\d+, `
      )
    })
    const skipped = results.filter((result) => result.skipped?.includes("see postgres-machines"))
    assert.includeMembers(
      skipped.map(({ id }) => id),
      ["chain-heads", "inbox"]
    )
  }

  it("names a machine that is dead", async () => {
    const restart = await killMachine(worker.port)
    try {
      await isNamed()
    } finally {
      await restart()
    }
  })

  it("names a machine that answers nothing", async () => {
    const resume = await freezeMachine(worker.port)
    try {
      await isNamed()
    } finally {
      resume()
    }
  })

  it("compares the clock with that of every machine", async () => {
    const { clock } = manualClock((Date.now() + 60_000) * 1000)
    const ahead = { ...clock, sleep: () => Effect.never }
    const [result] = await examine(variables(), {}, "clock-database", ahead)
    const text = JSON.stringify(result?.findings)
    assert.match(text, new RegExp(`is \\d+ seconds ahead of that of 127\\.0\\.0\\.1:${worker.port}`))
  })
})
