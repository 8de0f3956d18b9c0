import type { EventFilter } from "@cairn/core/event"
import { EventLog, GROUP_FRAMES, SearchIndexer } from "@cairn/core/log"
import { SHORT_TERM_WINDOW } from "@cairn/storage-sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { type ExplainedStatement, explained, explaining } from "./ExplainedPlans.ts"
import { accept, cairnOn, drain, makeWorkspace, postgresServer } from "./support.ts"

/**
 * Registers the tests of what PostgreSQL reads to answer, with this many events in all. Below a million every
 * statement uses the same indexes; but the planner then counts without parallel workers, and finds a text
 * that every event has by an index scan instead of a bitmap scan.
 */
export const explainedQuestions = (events: number): void => {
  const LARGE = "wsp_large"
  const LARGE_SIZE = 0.7 * events

  /** Events of each workspace. */
  const SIZES = [
    [LARGE, LARGE_SIZE],
    ["wsp_middle", 0.25 * events],
    ["wsp_small", 0.05 * events]
  ] as const

  /** The same point of the large workspace's log, whatever its size, in sevenths of it. */
  const seventh = (number: number) => (LARGE_SIZE / 7) * number
  const MIDDLE = seventh(3.5)

  const START = 1_700_000_000_000_000

  /** Rows of a table that a page or a count of a few events may look at. */
  const FEW = events / 25

  /**
   * Rows by which a page of a longer log may look at more: the frames of the complete groups that have it, of
   * which the small log has none.
   */
  const FEW_GROUPS = 4 * GROUP_FRAMES

  /** Frames that may all be looked at: those of 256,000 events, or the orders of many more. */
  const FRAMES = 1_000

  const all = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

  /** A value of each event, made by the database from its number `n`. */
  const ACTION = "'document.' || (ARRAY['created', 'read', 'read', 'read', 'deleted'])[1 + n % 5]"
  const ACTOR = "'actor-' || n % 1000"
  const RESOURCE = "'doc-' || n % 5000"
  const TENANT = "'tenant-' || n % 50"
  const SESSION = "'session-' || n / 20"
  const NOTE = `CASE WHEN n % ${seventh(1)} = 7 THEN 'needle in the hay' ELSE 'plain hay' END`

  const TYPE = "CASE WHEN n % 1000 = 3 THEN 'vault' ELSE 'folder' END"
  const TARGET = "'folder-' || n % 5000"

  /** A content with the values in place of their names. */
  const withValues = (content: string): string =>
    Object.entries({
      "the.action": ACTION,
      "the actor": ACTOR,
      "the resource": RESOURCE,
      "the tenant": TENANT,
      "the note": NOTE,
      "the session": SESSION,
      "the type": TYPE,
      "the target": TARGET
    }).reduce((text, [name, value]) => `replace(${text}, '${name}', ${value})`, `'${content}'`)

  /** The contents of two real events, of which the second has a target. */
  type Models = readonly [plain: string, targeted: string]

  /**
   * Rows like those of real events, in place of an hour of requests: nothing of them is verified here, only
   * found. Every second has a target.
   */
  const fill = (number: number, size: number, [plain, targeted]: Models): ReadonlyArray<string> => [
    `INSERT INTO event (workspace, sequence, created_at, id, content)
     SELECT ${number}, n, ${START} + n * 1000, 'evt-${number}-' || n,
       CASE n % 2 WHEN 0 THEN ${withValues(plain)} ELSE ${withValues(targeted)} END
     FROM generate_series(1, ${size}) n`,
    `UPDATE head SET sequence = ${size}, created_at = ${START} + ${size} * 1000 WHERE workspace = ${number}`
  ]

  const server = postgresServer(explaining)

  /** Tables that grow with the log. */
  const LARGE_TABLES = new Set(["event", "search_frame", "search_part", "search_posting", "search_order"])

  /** Those that a short log has a page or two of. */
  const SHORT_TABLES = new Set(["search_frame", "search_order"])

  describe(`at ${events.toLocaleString("en")} events`, () => {
    let url: string
    let cairn: ManagedRuntime.ManagedRuntime<
      import("effect").Layer.Success<ReturnType<typeof cairnOn>>,
      unknown
    >
    beforeAll(async () => {
      url = await server().newDatabase()
      cairn = ManagedRuntime.make(cairnOn(url))
      const query = (statement: string) => server().query(url, statement)
      for (const [workspaceId] of SIZES) await cairn.runPromise(makeWorkspace(workspaceId))
      const models = await cairn.runPromise(
        Effect.gen(function* () {
          yield* makeWorkspace("wsp_model")
          const model = {
            actor_id: "the actor",
            actor_name: "Ada",
            action: "the.action",
            resource: "document",
            resource_id: "the resource",
            tenant_id: "the tenant",
            session_id: "the session",
            metadata: { note: "the note" }
          }
          yield* accept("wsp_model", [model, { ...model, targets: [{ type: "the type", id: "the target" }] }])
          yield* drain
          const events = yield* (yield* EventLog).entries("wsp_model", 1, 2)
          return [events[0]?.content ?? "", events[1]?.content ?? ""] as const
        })
      )
      // An index is made much faster at once than row by row.
      const indexes = await query(`SELECT indexname AS name, indexdef AS statement FROM pg_indexes
        WHERE tablename = 'event' AND indexname NOT LIKE '%_pkey'`)
      for (const { name } of indexes) await query(`DROP INDEX ${name}`)
      for (const [index, [, size]] of SIZES.entries()) {
        for (const statement of fill(index + 1, size, models)) await query(statement)
      }
      for (const { statement } of indexes) await query(String(statement))
      await cairn.runPromise(
        Effect.flatMap(SearchIndexer, ({ advance }) =>
          Effect.repeat(advance, { while: (count) => count > 0 })
        )
      )
      await query("VACUUM ANALYZE")
    }, 600_000)
    afterAll(() => cairn.dispose())

    /** Runs it and holds its plans against what is asked of them. */
    const usesIndexes = async (
      what: string,
      run: Effect.Effect<unknown, unknown, EventLog>,
      most = Number.POSITIVE_INFINITY
    ) => {
      const statements: ReadonlyArray<ExplainedStatement> = await explained(server(), url, () =>
        cairn.runPromise(run)
      )
      let touched = 0
      let looks = 0
      for (const { text, nodes } of statements) {
        for (const node of nodes) {
          const table = node["Relation Name"] ?? ""
          if (!LARGE_TABLES.has(table)) continue
          looks++
          const [taken, left] = [node["Actual Rows"] ?? 0, node["Rows Removed by Filter"] ?? 0]
          const isScan = node["Node Type"] === "Seq Scan"
          // A scan of few frames, in ten pages or so, is as short as a way by an index.
          const isShort = SHORT_TABLES.has(table) && taken + left <= FRAMES
          assert.isFalse(isScan && !isShort, `${what} walks over ${table}:\n${text}`)
          touched += (taken + (isScan ? 0 : left)) * (node["Actual Loops"] ?? 0)
        }
      }
      assert.isAbove(looks, 0, `${what} has asked something`)
      assert.isAtMost(touched, most, `rows that ${what} looks at`)
      return touched
    }

    const onLog = <A, E>(ask: (log: typeof EventLog.Service) => Effect.Effect<A, E>) =>
      Effect.flatMap(EventLog, ask)
    const time = (sequence: number) => START + sequence * 1_000

    /** Filters with how many of the large workspace's events they let through. */
    const filters: ReadonlyArray<readonly [filter: EventFilter, found: number]> = [
      [{}, LARGE_SIZE],
      [{ action: "document.deleted" }, LARGE_SIZE / 5],
      [{ action: "document.*" }, LARGE_SIZE],
      [{ action: "nothing.*" }, 0],
      [{ actorId: "actor-7" }, LARGE_SIZE / 1_000],
      [{ resource: "document" }, LARGE_SIZE],
      [{ resourceId: "doc-7" }, LARGE_SIZE / 5_000],
      [{ tenantId: "tenant-7" }, LARGE_SIZE / 50],
      [{ sessionId: "session-7" }, 20],
      [{ targetType: "vault" }, LARGE_SIZE / 1_000],
      [{ targetType: "folder" }, LARGE_SIZE / 2 - LARGE_SIZE / 1_000],
      [{ targetId: "folder-7" }, LARGE_SIZE / 5_000],
      [{ targetType: "vault", targetId: "folder-3" }, LARGE_SIZE / 5_000],
      [{ from: time(seventh(3)) }, seventh(4) + 1],
      [{ to: time(seventh(3)) }, seventh(3)],
      [{ from: time(seventh(3)), to: time(seventh(3) + 100) }, 101],
      [{ from: time(seventh(3)), to: time(seventh(3) + 999), actorId: "actor-7" }, 1],
      [{ action: "document.read", tenantId: "tenant-7", resource: "document" }, LARGE_SIZE / 50],
      [{ search: "needle in" }, 7],
      [{ search: "plain hay" }, LARGE_SIZE - 7],
      [{ search: "no such thing" }, 0],
      [{ search: "needle", action: "document.read" }, 7],
      [{ search: "needle", actorId: "actor-8" }, 0],
      [{ search: "plain hay", sessionId: "session-7" }, 20],
      [{ search: "needle", from: time(seventh(3)), to: time(seventh(4.2)) }, 2]
    ]

    it("every page is read by an index, and looks at few rows", { timeout: 120_000 }, async () => {
      for (const [filter, found] of filters) {
        for (const before of [null, time(MIDDLE)]) {
          const what = `the page ${JSON.stringify({ filter, before })}`
          const page = onLog((log) =>
            Effect.map(log.page(LARGE, { filter, before, limit: 50 }), (entries) => {
              if (before === null) assert.lengthOf(entries, Math.min(50, found), what)
            })
          )
          await usesIndexes(what, page, FEW)
        }
      }
    })

    it("no page looks at more rows for a log that is fourteen times as long", {
      timeout: 120_000
    }, async () => {
      const [SMALL, size] = SIZES[2]
      for (const [filter] of filters.filter(([{ search, from, to }]) => !search && !from && !to)) {
        for (const middle of [false, true]) {
          const looked = (workspaceId: string, events: number) => {
            const before = middle ? time(events / 2) : null
            const page = onLog((log) => log.page(workspaceId, { filter, before, limit: 5 }))
            return usesIndexes(`the page ${JSON.stringify({ filter, before })}`, page, FEW)
          }
          const [small, large] = [await looked(SMALL, size), await looked(LARGE, LARGE_SIZE)]
          assert.isAtMost(large, 2 * small + FEW_GROUPS, JSON.stringify({ filter, middle }))
        }
      }
    })

    it("every count is read by an index", { timeout: 120_000 }, async () => {
      for (const [filter, found] of filters) {
        // Of what nearly every event of the table has, walking over the table is the shortest way: see the
        // next test.
        if (filter.search === "plain hay" && filter.sessionId === undefined) continue
        const what = `the count ${JSON.stringify(filter)}`
        await usesIndexes(
          what,
          onLog((log) =>
            Effect.map(log.count(LARGE, filter, all), (count) => assert.strictEqual(count, found, what))
          )
        )
      }
    })

    it("the order of occurrence is read by an index, and looks at few rows", {
      timeout: 120_000
    }, async () => {
      // All occurred at one moment.
      for (const [filter, found] of filters.filter(
        ([{ from, to }]) => from === undefined && to === undefined
      )) {
        const what = JSON.stringify(filter)
        for (const first of ["newest", "oldest"] as const) {
          const request = { filter, range: all, first, beyond: null, limit: 50 }
          const places = onLog((log) =>
            Effect.map(log.occurrences(LARGE, request), (some) =>
              assert.lengthOf(some, Math.min(50, found), what)
            )
          )
          await usesIndexes(`the ${first} of ${what}`, places, FEW)
        }
        const counts = onLog((log) =>
          Effect.map(log.occurrenceCounts(LARGE, { filter, range: all, bucket: null }), (counted) =>
            assert.strictEqual(counted.get(0) ?? 0, found, what)
          )
        )
        await usesIndexes(`the counts by occurrence of ${what}`, counts, FEW)
        const facets = { filter, range: all, field: "actor", prefix: "", most: 1_000 } as const
        await usesIndexes(
          `the facets by occurrence of ${what}`,
          onLog((log) => log.occurrenceFacets(LARGE, facets)),
          FEW
        )
      }
      await usesIndexes(
        "the entries",
        onLog((log) => log.entriesOf(LARGE, [7, MIDDLE, LARGE_SIZE])),
        3
      )
    })

    it("a count of what every event has stays within its workspace", async () => {
      const [, size] = SIZES[2]
      const count = onLog((log) => log.count("wsp_small", { search: "plain hay" }, all))
      await usesIndexes("the count of a small workspace", count, 4 * size)
    })

    it("a term without three letters looks at the newest events only", async () => {
      const filter = { search: "zz" }
      await usesIndexes(
        "a short term",
        onLog((log) => log.page(LARGE, { filter, before: null, limit: 50 })),
        3 * SHORT_TERM_WINDOW
      )
    })

    it("one event, a stretch of the log and a moment are found at once", async () => {
      const one = onLog((log) => log.get(LARGE, `evt-1-${MIDDLE}`))
      await usesIndexes("one event", one, 1)
      const stretch = onLog((log) => log.entries(LARGE, MIDDLE, 1_000))
      await usesIndexes("a stretch of the log", stretch, 2_000)
      const moment = onLog((log) => log.sequenceAt(LARGE, time(MIDDLE)))
      await usesIndexes("a moment", moment, 1)
      const before = onLog((log) => log.sequenceBefore(LARGE, time(MIDDLE), 1_000))
      await usesIndexes("the moments before", before, 1_000)
    })
  })
}
