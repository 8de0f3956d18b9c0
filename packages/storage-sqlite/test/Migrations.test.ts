import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, EventLog, Sequencer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { ChainVerifier } from "@cairn/core/verification"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { FrameEvents } from "@cairn/storage-sql"
import { LAST_CONVERSION, MIGRATIONS, SqliteClient, SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { testWorkspace } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { sampled } from "@cairn/testing/TrialCases"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { hasTextKeys } from "../src/IdempotencyKeys.ts"
import { migrate } from "../src/Migrations.ts"
import viewerSettings from "../src/migrations/log0020_viewer_settings.ts"
import { SearchIndex } from "../src/SearchIndex.ts"
import { SqliteFiles } from "../src/SqliteFiles.ts"

const WORKSPACE = "wsp_test"
const EVENTS = 40

const folder = quickFolder("cairn-migrations-")
const children: Array<ChildProcess> = []
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

let databases = 0
const newDatabase = (): string => {
  const filename = join(folder, `${databases++}`, "cairn.db")
  mkdirSync(dirname(filename))
  return filename
}

const NAMES = ["log", "inbox", "search", "consumers"] as const
type Name = (typeof NAMES)[number]

const fileOf = (filename: string, name: Name): string =>
  name === "log" ? filename : siblingFile(filename, name)

/** Brings one of a database's files to a migration; returns how many that took. */
const migrateTo = (filename: string, name: Name, number: number) =>
  Effect.flatMap(SqliteClient.make({ filename: fileOf(filename, name) }), (client) =>
    migrate(client, name, MIGRATIONS[name].slice(0, number))
  ).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** A connection of its own to one file, for as long as `use` lasts. */
const inFile = <A>(file: string, use: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(file)
  try {
    return use(db)
  } finally {
    db.close()
  }
}

const versionOf = (file: string): number =>
  inFile(file, (db) => Number(db.prepare("PRAGMA user_version").get()?.user_version))

/** The core's use cases over a database: what one process of Cairn is. */
const cairnOn = (filename: string) =>
  Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer).pipe(
    Layer.provide([ClockGuard.layer, GeoIp.layerNowhere]),
    Layer.provideMerge(Layer.mergeAll(SqliteStorage.layer({ filename }), Sha256.layer, Randomness.layer))
  )

const accept = (bodies: ReadonlyArray<object>) =>
  Effect.flatMap(Acceptance, ({ batch }) =>
    batch({ workspaceId: WORKSPACE, clientAddress: null, keysExpireBefore: null }, { events: bodies })
  )
const drain = Effect.flatMap(Sequencer, (sequencer) => sequencer.drain)
const verifyChain = Effect.flatMap(ChainVerifier, ({ verify }) =>
  verify({ workspaceId: WORKSPACE, limit: 1_000_000 })
)

/** The ids that retries of the original's events get. */
const retried = Effect.suspend(() =>
  accept(
    Array.from({ length: EVENTS }, (_, index) => ({
      actor_id: "retry",
      action: "document.created",
      idempotency_key: `key-${index}`
    }))
  )
).pipe(Effect.map(({ outcomes }) => outcomes.map((outcome) => ("id" in outcome ? outcome.id : outcome._tag))))

/** Returns when no idempotency key is a text any more. */
const untilCompact = (filename: string) =>
  Effect.suspend(() =>
    inFile(fileOf(filename, "inbox"), (db) => (hasTextKeys(db) ? Effect.fail("not yet") : Effect.void))
  ).pipe(Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 500 }))

/** A database with a chain, a key of each kind and an event that waits. */
const makeOriginal = Effect.gen(function* () {
  const filename = newDatabase()
  yield* Effect.gen(function* () {
    yield* Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id: WORKSPACE })))
    yield* accept(
      Array.from({ length: EVENTS }, (_, index) => ({
        actor_id: `ada-${index % 3}`,
        action: "document.created",
        idempotency_key: `key-${index}`,
        resource: "document",
        resource_id: `doc-${index}`,
        tenant_id: "acme",
        session_id: `session-${index % 4}`,
        targets: [{ type: "folder", id: `f-${index}` }],
        metadata: { "a\u0000b": "%_\\\"'", index, note: `needle-${index}` }
      }))
    )
    yield* drain
    yield* accept([{ actor_id: "ada", action: "document.waits" }])
  }).pipe(Effect.provide(cairnOn(filename)))
  return filename
})

interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
}

/** The tables of a file but those of FTS5, in the order in which they were made. */
const tablesOf = (db: DatabaseSync): ReadonlyArray<Table> =>
  db
    .prepare(
      `SELECT l.name FROM pragma_table_list l JOIN sqlite_schema s ON s.name = l.name
       WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite_%' ORDER BY s.rowid`
    )
    .all()
    .map(({ name }) => ({
      name: String(name),
      columns: db
        .prepare("SELECT name, type FROM pragma_table_info(?)")
        .all(String(name))
        .map((column) => ({ name: String(column.name), type: String(column.type) }))
    }))

const listOf = (columns: Table["columns"]): string => columns.map(({ name }) => name).join()

/** What these columns hold in every row of a table, as text. */
const rowsOf = (db: DatabaseSync, { name, columns }: Table): ReadonlyArray<string> =>
  db
    .prepare(`SELECT ${listOf(columns)} FROM ${name}`)
    .all()
    .map((row) => JSON.stringify(row))
    .sort()

/** A value that a column takes, and a key that leads to the other tables. */
const plausible = ({ name, type }: Table["columns"][number]) => {
  if (name === "workspace_id") return WORKSPACE
  if (name === "workspace") return 1
  // A period that has become no anchor yet, so that the log is not held against what there is of one.
  if (name === "status" && type === "TEXT") return "waiting"
  return type === "INTEGER" || type === "REAL" ? 1 : type === "BLOB" ? new Uint8Array(32) : "x"
}

/** The columns that events were filtered by, with what they hold of an event. */
const FILTERED = [
  ["action", "$.action"],
  ["actor_id", "$.actor.id"],
  ["resource_type", "$.resource.type"],
  ["resource_id", "$.resource.id"],
  ["tenant_id", "$.tenant_id"],
  ["session_id", "$.session_id"]
] as const

const isFiltered = ({ name }: Table["columns"][number]): boolean =>
  FILTERED.some(([column]) => column === name)

/** Fills the log's events, and their targets, as they were before nothing read these columns. */
const fillEvents = (db: DatabaseSync, shared: string): void =>
  db.exec(`
    INSERT INTO main.event (${shared}, ${FILTERED.map(([column]) => column).join()})
    SELECT ${shared}, ${FILTERED.map(([, path]) => `json_extract(content, '${path}')`).join()} FROM original.event;
    DELETE FROM main.event_target;
    INSERT INTO main.event_target
    SELECT workspace, sequence, t.key, json_extract(t.value, '$.type'), json_extract(t.value, '$.id')
    FROM original.event, json_each(content, '$.targets') t`)

/** Fills the tables there are with the original's rows, and the others with a row each. */
const fill = (file: string, original: string): void =>
  inFile(file, (db) => {
    db.prepare("ATTACH ? AS original").run(original)
    const tables = tablesOf(db)
    const isFiltering = tables.some(({ name }) => name === "event_target")
    for (const { name, columns } of tables) {
      // Nothing may be changed in the log: nobody removes anything here.
      if (name === "removal_permit") continue
      // What these hold in a database that is well follows from the others.
      const isDerived = name === "repair" || name === "log_mark"
      // With the events.
      if (name === "event_target") continue
      db.exec(`DELETE FROM main.${name}`)
      // By `fillKeys`.
      if (name === "idempotency_key" && columns.some((column) => column.name === "key")) continue
      const theirs = db.prepare("SELECT name FROM pragma_table_info(?, 'original')").all(name)
      const shared = columns.filter((column) => theirs.some((their) => their.name === column.name))
      if (name === "event" && isFiltering)
        fillEvents(db, listOf(shared.filter((column) => !isFiltered(column))))
      else if (shared.length > 0) {
        db.exec(`INSERT INTO main.${name} (${listOf(shared)}) SELECT ${listOf(shared)} FROM original.${name}`)
      }
      if (isDerived || db.prepare(`SELECT 1 FROM main.${name}`).get() !== undefined) continue
      db.prepare(`INSERT INTO main.${name} VALUES (${columns.map(() => "?").join()})`).run(
        ...columns.map(plausible)
      )
    }
  })

/** The inbox before its keys were compact. */
const BEFORE_COMPACT_KEYS = 4

/** Fills the keys of the inbox, as texts in the former table. */
const fillKeys = (filename: string, original: string): void =>
  inFile(fileOf(filename, "inbox"), (db) => {
    db.prepare("ATTACH ? AS log").run(original)
    db.prepare("ATTACH ? AS original").run(fileOf(original, "inbox"))
    db.exec(`
      INSERT INTO main.idempotency_key
      SELECT e.workspace, json_extract(e.content, '$.idempotency_key'), e.id, k.accepted_at
      FROM original.idempotency_key k JOIN log.event e ON replace(e.id, '-', '') = lower(hex(k.event_id))`)
  })

/**
 * The search index before its frames, before they had the values that events are filtered by, and before they
 * had all of these.
 */
const BEFORE_FRAMES = 5
const BEFORE_VALUES = 6
const BEFORE_CONDITIONS = 7
const FRAME_TABLES = ["search_frame", "search_part", "search_position"]
const INDEX_TABLES = [...FRAME_TABLES, "search_posting", "search_order"]

/** Tables that are made again, or that nothing reads any more. */
const ABANDONED = new Set(["position", "event_target", "search"])

/** What there is of an earlier index, which says that it has every event. */
const formerIndex = (number: number, mark: string): string =>
  number < BEFORE_FRAMES
    ? "DELETE FROM position; INSERT INTO search (rowid, text) VALUES (1, 'former')"
    : `${FRAME_TABLES.map((table) => `DELETE FROM ${table};`).join("")}
       INSERT INTO search_frame VALUES (1, 0, 1, ${number < BEFORE_VALUES ? "" : "1, x'00', "}x'00', x'00');
       INSERT INTO search_position VALUES (1, ${EVENTS}, 1, ${EVENTS}, '${mark}')`

/** Indexes every event, with the search file as it is. */
const indexAll = Effect.fnUntraced(
  function* (filename: string) {
    const open = (name: Name) => SqliteClient.make({ filename: fileOf(filename, name) })
    const inbox = yield* open("inbox")
    const files = SqliteFiles.of({
      log: yield* open("log"),
      inbox,
      sequenced: inbox,
      search: yield* open("search"),
      consumers: yield* open("consumers")
    })
    yield* Effect.flatMap(SearchIndex, ({ advance }) =>
      Effect.repeat(advance, { while: (count) => count > 0 })
    ).pipe(
      Effect.provide(
        SearchIndex.layer.pipe(
          Layer.provide([Layer.succeed(SqliteFiles, files), Layer.succeed(FrameEvents, 2)])
        )
      )
    )
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** How many events a search finds. */
const found = (search: string) =>
  Effect.flatMap(EventLog, (log) =>
    log.page(WORKSPACE, { filter: { search }, before: null, limit: 1_000 })
  ).pipe(Effect.map(({ length }) => length))

/** How many events have an actor, a target and a prefix of the action. */
const counts = Effect.flatMap(EventLog, (log) =>
  Effect.forEach(
    [
      { actorId: "ada-1" },
      { targetType: "folder", targetId: "f-7" },
      { action: "document.*", targetType: "folder" },
      { action: "*.created", actorId: ["ada-0", "ada-1", "ada-2"] }
    ],
    (filter) => log.count(WORKSPACE, filter, { from: 1, to: Number.MAX_SAFE_INTEGER })
  )
)

const removeEvent = Effect.fnUntraced(function* (sequence: number) {
  const [event] = yield* (yield* EventLog).entries(WORKSPACE, sequence, 1)
  const { id, content, contentHash } = event ?? assert.fail("there is no such event")
  const removed = { sequence, id, content: content ?? "", contentHash: contentHash ?? "" }
  yield* (yield* ContentRemoval).remove(WORKSPACE, [removed], null)
})

/** What the columns that events were filtered by hold of one. */
const valuesLeft = (filename: string, sequence: number) =>
  inFile(filename, (db) => ({
    ...db
      .prepare(`SELECT ${FILTERED.map(([column]) => column).join()} FROM event WHERE sequence = ?`)
      .get(sequence)
  }))

const decodeCounts = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Number)))

/** Processes that migrate what they are told to, at the moment they are told. */
const startMigrators = (count: number) => {
  const script = fileURLToPath(new URL("MigratingProcess.ts", import.meta.url))
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, [...process.execArgv, script], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      children.push(child)
      const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = async () => String((await answers.next()).value)
      assert.strictEqual(await next(), "ready")
      return (filename: string) => {
        child.stdin.write(`${filename}\n`)
        return next()
      }
    })
  )
}

describe("migrations of SQLite", () => {
  it.live("bring a database at any earlier migration up to date, with every hash and row as it was", () =>
    Effect.gen(function* () {
      const original = yield* makeOriginal
      const mark = inFile(original, (db) =>
        String(db.prepare("SELECT event_hash FROM event ORDER BY sequence DESC LIMIT 1").get()?.event_hash)
      )
      const ids = inFile(original, (db) =>
        db
          .prepare("SELECT id FROM event ORDER BY sequence")
          .all()
          .map(({ id }) => id)
      )
      const numbers = Array.from({ length: MIGRATIONS.log.length - 1 }, (_, at) => at + 1)
      for (const number of sampled(numbers, 4)) {
        const filename = newDatabase()
        for (const name of NAMES) {
          const wanted = Math.min(number, MIGRATIONS[name].length)
          assert.strictEqual(yield* migrateTo(filename, name, number), wanted)
          fill(fileOf(filename, name), fileOf(original, name))
        }
        const hasTexts = number < BEFORE_COMPACT_KEYS
        if (hasTexts) fillKeys(filename, original)
        const isFormer = number < BEFORE_CONDITIONS
        inFile(fileOf(filename, "search"), (db) => {
          if (isFormer) db.exec(formerIndex(number, mark))
          else for (const table of INDEX_TABLES) db.exec(`DELETE FROM ${table}`)
        })
        if (!isFormer) yield* indexAll(filename)
        const before = NAMES.map((name) =>
          inFile(fileOf(filename, name), (db) =>
            tablesOf(db)
              .filter(({ name }) => !ABANDONED.has(name) && !(isFormer && INDEX_TABLES.includes(name)))
              .map((table) => ({ table, rows: rowsOf(db, table) }))
          )
        )
        yield* Effect.gen(function* () {
          assert.deepInclude(yield* verifyChain, { valid: true, events_checked: EVENTS })
          for (const [index, tables] of before.entries()) {
            const name = NAMES[index] ?? "log"
            inFile(fileOf(filename, name), (db) => {
              for (const { table: before, rows } of tables) {
                const isKeys = hasTexts && before.name === "idempotency_key"
                const table = isKeys ? { ...before, name: "idempotency_key_text" } : before
                if (table.name === "anchor_schedule") {
                  const [kept] = db.prepare("SELECT anchor_schedule FROM workspace").all()
                  assert.deepEqual(JSON.parse(String(kept?.anchor_schedule)), {
                    every_seconds: 1,
                    offset_seconds: 1
                  })
                } else assert.deepStrictEqual(rowsOf(db, table), rows, `${number}: ${table.name}`)
              }
            })
          }
          assert.strictEqual(yield* found("NEEDLE-"), EVENTS)
          assert.strictEqual(yield* found("needle-7"), 1)
          assert.deepStrictEqual(yield* counts, [13, 1, EVENTS, EVENTS])
          assert.deepStrictEqual(yield* retried, ids)
          yield* drain
          yield* untilCompact(filename)
          assert.deepStrictEqual(yield* retried, ids)
          assert.deepStrictEqual(yield* counts, [13, 1, EVENTS, EVENTS])
          assert.deepInclude(yield* verifyChain, { valid: true, events_checked: EVENTS + 1 })
          yield* removeEvent(8)
          assert.deepStrictEqual(yield* counts, [12, 0, EVENTS - 1, EVENTS - 1])
          assert.deepStrictEqual(
            valuesLeft(filename, 8),
            Object.fromEntries(FILTERED.map(([column]) => [column, null]))
          )
          // Also not in the pages that the dropped indexes had.
          yield* Effect.flatMap(ContentRemoval, ({ scrub }) => scrub)
          for (const value of ["doc-7", "needle-7"])
            assert.isFalse(readFileSync(filename).includes(value), `${number}: ${value}`)
        }).pipe(Effect.provide(cairnOn(filename)))
        for (const name of NAMES) {
          assert.strictEqual(versionOf(fileOf(filename, name)), MIGRATIONS[name].length)
        }
      }
    })
  )

  it.live("give back what the index of an earlier version took, also where a crash came between", () =>
    Effect.gen(function* () {
      const LARGE = 24 * 1024 * 1024
      const former = [
        [BEFORE_FRAMES - 1, "INSERT INTO search_data VALUES (1000000, ?)"],
        [BEFORE_VALUES - 1, "INSERT INTO search_frame VALUES (1, 0, 1, ?, NULL)"],
        [BEFORE_CONDITIONS - 1, "INSERT INTO search_frame VALUES (1, 0, 1, 1, ?, NULL, NULL)"]
      ] as const
      const cases = former.flatMap((one) => [false, true].map((crashed) => ({ one, crashed })))
      for (const { one, crashed } of cases) {
        const [number, insert] = one
        const filename = newDatabase()
        const file = fileOf(filename, "search")
        yield* migrateTo(filename, "search", number)
        const db = new DatabaseSync(file, { defensive: false })
        db.prepare(insert).run(Buffer.alloc(LARGE, "trigrams"))
        db.close()
        if (crashed) yield* migrateTo(filename, "search", MIGRATIONS.search.length)
        assert.isAbove(statSync(file).size, LARGE)
        yield* Effect.void.pipe(Effect.provide(cairnOn(filename)))
        assert.isBelow(statSync(file).size, 1024 * 1024)
        for (const name of readdirSync(dirname(filename)))
          assert.isFalse(readFileSync(join(dirname(filename), name)).includes("trigrams"), name)
      }
    })
  )

  it.live("make members of earlier versions confirmed, and known by their addresses", () =>
    Effect.gen(function* () {
      const filename = newDatabase()
      const BEFORE_PEOPLE = 15
      yield* migrateTo(filename, "log", BEFORE_PEOPLE)
      const old = { workspace_id: WORKSPACE, name: null, role: "owner", updated_at: 9 }
      const kept = (id: string, created_at: number, email: unknown) =>
        [id, created_at, JSON.stringify({ ...old, id, created_at, email })] as const
      inFile(filename, (db) => {
        db.prepare(
          "INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, created_at, updated_at) VALUES (?, 'w', 'free', '{}', '[]', 1, 1)"
        ).run(WORKSPACE)
        const insert = db.prepare(
          "INSERT INTO member (id, workspace_id, created_at, body) VALUES (?, ?, ?, ?)"
        )
        for (const [id, created_at, body] of [
          kept("ada", 5, "Ada.Z@Example.com"),
          kept("kelvin", 6, "\u212Ait\u0130@Example.com"),
          kept("number", 7, 7),
          ["broken", 7, "no JSON"],
          ["cut", 7, '{"email":"ada.z@example.com'],
          ["list", 7, '["ada.z@example.com"]'],
          ["other", 7, '{"email":"ada.z@example.com","role":"nobody"}']
        ] as const) {
          insert.run(id, WORKSPACE, created_at, body)
        }
      })
      yield* Effect.gen(function* () {
        const { get, ofAddress } = yield* Members
        const ada = {
          ...old,
          id: "ada",
          email: "Ada.Z@Example.com",
          role: "owner" as const,
          created_at: 5,
          confirmed_at: 5,
          signed_in_at: 5,
          expires_at: null,
          sessions_from: null,
          managed_by: null
        }
        assert.deepStrictEqual(yield* get(WORKSPACE, "ada"), Option.some(ada))
        assert.deepStrictEqual(yield* ofAddress("ada.z@example.com"), [ada])
        const ids = Effect.fnUntraced(function* (address: string) {
          return (yield* ofAddress(address)).map(({ id }) => id)
        })
        assert.deepStrictEqual(yield* ids("\u212AIT\u0130@example.com"), ["kelvin"])
        for (const address of ["kit\u0130@example.com", "\u212Aiti\u0307@example.com", "7", ""]) {
          assert.deepStrictEqual(yield* ids(address), [])
        }
      }).pipe(Effect.provide(cairnOn(filename)))
      const addresses = inFile(filename, (db) =>
        db
          .prepare("SELECT id FROM member WHERE address IS NULL ORDER BY id")
          .all()
          .map(({ id }) => id)
      )
      assert.deepStrictEqual(addresses, ["broken", "cut", "list", "number"])
    })
  )

  it.live("leave unrecorded what API keys read, until a workspace wants it", () =>
    Effect.gen(function* () {
      const filename = newDatabase()
      const BEFORE_ACCESS_EVENTS = 16
      yield* migrateTo(filename, "log", BEFORE_ACCESS_EVENTS)
      inFile(filename, (db) => {
        db.prepare(
          "INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, created_at, updated_at) VALUES (?, 'w', 'free', '{}', '[]', 1, 1)"
        ).run(WORKSPACE)
      })
      const isRecorded = Effect.flatMap(ManagedWorkspaces, ({ get }) =>
        Effect.map(get(WORKSPACE), (found) => Option.getOrThrow(found).key_access_events)
      ).pipe(Effect.provide(cairnOn(filename)))
      assert.isFalse(yield* isRecorded)
      yield* Effect.flatMap(ManagedWorkspaces, ({ update }) =>
        update(WORKSPACE, { key_access_events: true }, 2)
      ).pipe(Effect.provide(cairnOn(filename)))
      assert.isTrue(yield* isRecorded)
    })
  )

  it.live("let the viewer tell events in its own way, until a workspace has sentences", () =>
    Effect.gen(function* () {
      const filename = newDatabase()
      yield* migrateTo(filename, "log", MIGRATIONS.log.indexOf(viewerSettings))
      inFile(filename, (db) => {
        db.prepare(
          "INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, created_at, updated_at) VALUES (?, 'w', 'free', '{}', '[]', 1, 1)"
        ).run(WORKSPACE)
      })
      const viewer = Effect.flatMap(ManagedWorkspaces, ({ get }) =>
        Effect.map(get(WORKSPACE), (found) => Option.getOrThrow(found).viewer)
      ).pipe(Effect.provide(cairnOn(filename)))
      assert.isNull(yield* viewer)
      const set = { sentences: { "document.*": { de: "{actor} hat {resource} geändert" } } }
      yield* Effect.flatMap(ManagedWorkspaces, ({ update }) => update(WORKSPACE, { viewer: set }, 2)).pipe(
        Effect.provide(cairnOn(filename))
      )
      assert.deepStrictEqual(yield* viewer, set)
    })
  )

  it.live("happen once when several processes begin at the same time", () =>
    Effect.gen(function* () {
      const migrators = yield* Effect.promise(() => startMigrators(3))
      for (let round = 0; round < 8; round++) {
        const filename = newDatabase()
        const answers = yield* Effect.promise(() =>
          Promise.all(migrators.map((bringUpToDate) => bringUpToDate(filename)))
        )
        const taken = answers.map((answer) => decodeCounts(answer))
        for (const [index, name] of NAMES.entries()) {
          const counts = taken.map((of) => of[index]).sort()
          assert.deepStrictEqual(counts, [0, 0, MIGRATIONS[name].length])
        }
      }
    })
  )

  it.live("leave nothing behind when one of them fails, and can be run again", () =>
    Effect.gen(function* () {
      const filename = newDatabase()
      yield* migrateTo(filename, "log", 1)
      const broken = [
        ...MIGRATIONS.log.slice(0, 2),
        "CREATE TABLE half (id INTEGER); SELECT no_such_thing();"
      ]
      const exit = yield* Effect.flatMap(SqliteClient.make({ filename }), (client) =>
        Effect.exit(migrate(client, "log", broken))
      ).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
      assert.strictEqual(exit._tag, "Failure")
      assert.strictEqual(versionOf(filename), 1)
      const names = inFile(filename, (db) => tablesOf(db).map(({ name }) => name))
      assert.notInclude(names, "half")
      assert.notInclude(names, "tree_tile")
      assert.strictEqual(yield* migrateTo(filename, "log", MIGRATIONS.log.length), MIGRATIONS.log.length - 1)
    })
  )

  it.live("refuse a database that a newer program migrates while this one waits to", () =>
    Effect.gen(function* () {
      const filename = newDatabase()
      yield* migrateTo(filename, "log", 1)
      const client = yield* SqliteClient.make({ filename })
      const newer = migrateTo(filename, "log", MIGRATIONS.log.length)
      // It has looked at the version, and is about to ask for the lock.
      const overtaken = new Proxy(client, {
        get: (target, key) =>
          key === "use"
            ? (...[operation, f]: Parameters<typeof client.use>) =>
                Effect.andThen(
                  operation === "migrate" ? Effect.orDie(newer) : Effect.void,
                  target.use(operation, f)
                )
            : Reflect.get(target, key)
      })
      const error = yield* Effect.flip(migrate(overtaken, "log", MIGRATIONS.log.slice(0, 2)))
      assert.deepInclude(error, { _tag: "DatabaseTooNew", found: MIGRATIONS.log.length, known: 2 })
      assert.strictEqual(versionOf(filename), MIGRATIONS.log.length)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("let a former program go on, as long as what it does not know only adds", () =>
    Effect.gen(function* () {
      for (const name of NAMES) {
        const filename = newDatabase()
        yield* migrateTo(filename, name, MIGRATIONS[name].length)
        const [file, last] = [fileOf(filename, name), LAST_CONVERSION[name]]
        const former = Array.from({ length: MIGRATIONS[name].length - last }, (_, index) => last + index)
        for (const number of former) {
          assert.strictEqual(yield* migrateTo(filename, name, number), 0, `${name} ${number}`)
          assert.strictEqual(versionOf(file), MIGRATIONS[name].length)
        }
        const error = yield* Effect.flip(migrateTo(filename, name, last - 1))
        assert.deepInclude(error, { _tag: "DatabaseTooNew", found: MIGRATIONS[name].length })
        // Files that earlier versions migrated do not say what they need.
        inFile(file, (db) => db.exec(`DROP TABLE cairn_migration; PRAGMA user_version = ${last + 1}`))
        assert.strictEqual((yield* Effect.flip(migrateTo(filename, name, last)))._tag, "DatabaseTooNew")
      }
    })
  )
})
