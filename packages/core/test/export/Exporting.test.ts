import { gunzipSync } from "node:zlib"
import { Micros, recoverCell } from "@cairn/core/encoding"
import { contentParts, decodeEvent, type EventInput, GeoIp, nowhere } from "@cairn/core/event"
import { EvidenceExport } from "@cairn/core/evidence"
import {
  CSV_COLUMNS,
  ExportExpired,
  Exporting,
  ExportMaker,
  ExportNotReady,
  ExportStore,
  ExportStoreUnavailable,
  Exports,
  SentExports,
  TooManyExports
} from "@cairn/core/export"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import {
  EventCounts,
  EventLog,
  EventReader,
  extendHistory,
  Inbox,
  MeterSet,
  Meters,
  type Needed,
  Replicas,
  type ReplicasShape,
  Sequencer
} from "@cairn/core/log"
import { Announcer, type ExportFilters, type OutboundEventType, Outbox, Webhooks } from "@cairn/core/outbound"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import {
  layerManualClock,
  layerSeededRandomness,
  type ManualClock,
  MemoryExportStore,
  MemoryStorage,
  manualClock,
  meteredValue,
  ordinaryEvents,
  testWorkspace
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result, Stream } from "effect"
import { csvLines } from "../../src/export/CsvColumns.ts"
import { exportContent } from "../../src/export/ExportedEvents.ts"
import { ndjsonLines } from "../../src/export/LineFormat.ts"
import { readCsv } from "../support/ForgivingCsv.ts"

const NOON = 1_714_564_800_000_000
const WORKSPACE = "wsp_1"
const OPTIONS = { baseUrl: "https://cairn.example", linkKey: "link key" }

/** Stands for what {@link EvidenceExport} writes: which range was asked for, and two helpings. */
const BUNDLE: EvidenceExport["Service"] = {
  open: (request) =>
    Effect.succeed({ events: 3, text: Stream.make(`${JSON.stringify(request)}\n`, "a\nb\n", "c\n") }),
  text: () => Stream.die(new Error("nobody asks for it"))
}

interface World {
  readonly hands: ManualClock
  readonly files: Map<string, Uint8Array>
}

const exporting = (
  { hands, files }: World,
  store: Layer.Layer<ExportStore, never, Exports> = MemoryExportStore.layerOver(files)
) =>
  Layer.mergeAll(
    Exporting.layer(OPTIONS),
    ExportMaker.layer(OPTIONS).pipe(
      Layer.provide([store, Announcer.layer({ mail: false }), Layer.succeed(EvidenceExport, BUNDLE)])
    ),
    Sequencer.layer,
    EventReader.layer.pipe(Layer.provide(EventCounts.layer))
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        MemoryStorage.layer(),
        GeoIp.layerNowhere,
        Sha256.layer,
        layerSeededRandomness(1),
        layerManualClock(hands)
      )
    )
  )

const makeWorld = (): World => ({ hands: manualClock(NOON), files: new Map() })

const makeWorkspace = Effect.flatMap(ManagedWorkspaces, ({ create }) =>
  create(testWorkspace({ id: WORKSPACE, created_at: NOON }))
)

let ids = 0
const record = Effect.fnUntraced(function* (bodies: ReadonlyArray<EventInput>, acceptedAt = NOON) {
  const inbox = yield* Inbox
  for (const body of bodies) {
    const content = contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
    const events = [{ id: `event-${ids++}`, idempotencyKey: null, clientAddress: null, content }]
    yield* inbox.accept({ workspaceId: WORKSPACE, acceptedAt, keysExpireBefore: null, events })
  }
  yield* Effect.flatMap(Sequencer, ({ drain }) => drain)
})

const request = (filters: ExportFilters = {}, format: "csv" | "ndjson" | "evidence" = "csv") =>
  Effect.flatMap(Exporting, (use) =>
    Effect.flatMap(use.newId, (id) => use.request(WORKSPACE, { id, format, filters }))
  )

const read = (id: string) =>
  Effect.flatMap(Exporting, (use) => Effect.map(use.get(WORKSPACE, id, null), Option.getOrThrow))

const advance = Effect.flatMap(ExportMaker, (use) => use.advance)
const cleanUp = Effect.flatMap(ExportMaker, (use) => use.cleanUp)

/** Runs an export and gives its file's text. */
const exported = Effect.fnUntraced(function* (
  world: World,
  filters: ExportFilters,
  format: "csv" | "ndjson" = "csv"
) {
  const { id } = yield* request(filters, format)
  assert.isTrue(yield* advance)
  const use = yield* Exporting
  const file = Option.getOrThrow(yield* use.file(WORKSPACE, id))
  return Buffer.from(world.files.get(file.name) ?? []).toString()
})

/** A column of an exported table, without its header. */
const column = (csv: string, name: string) => {
  const at = CSV_COLUMNS.indexOf(name)
  return readCsv(csv)
    .slice(1)
    .map((row) => recoverCell(row[at] ?? ""))
}

/** A webhook that subscribes to one type. */
const listen = (type: OutboundEventType) =>
  Effect.flatMap(Webhooks, ({ create }) =>
    create({
      id: "whk_1",
      workspace_id: WORKSPACE,
      url: "https://example.com",
      description: null,
      types: [type],
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      secrets: [],
      created_at: NOON,
      updated_at: NOON
    })
  )

const deliveries = Effect.flatMap(Outbox, ({ page }) =>
  page(WORKSPACE, { filter: {}, before: null, limit: 10 })
)

const run = <A, E>(
  body: (world: World) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof exporting>>>
) => {
  const world = makeWorld()
  return Effect.andThen(makeWorkspace, body(world)).pipe(Effect.provide(exporting(world)))
}

/** Replicas that note what streams of reads need of them. */
const notedReplicas = (needs: Array<Needed>): ReplicasShape => ({
  position: null,
  reading: (_needed, work) => work,
  streaming: (needed, stream) =>
    Stream.suspend(() => {
      needs.push(needed)
      return stream
    })
})

const named = (actor_id: string, fields: Partial<EventInput> = {}): EventInput => ({
  actor_id,
  action: "thing.done",
  ...fields
})

describe("exporting", () => {
  it.effect("reads from replicas, which must have all that was confirmed when it begins", () =>
    Effect.gen(function* () {
      const needs: Array<Needed> = []
      const world = makeWorld()
      yield* Effect.gen(function* () {
        yield* makeWorkspace
        yield* record([named("ada"), named("bob")])
        assert.deepStrictEqual(needs, [])
        assert.deepStrictEqual(column(yield* exported(world, {}), "actor_id"), ["ada", "bob"])
        assert.deepStrictEqual(needs, ["now"])
        const { text } = yield* SentExports
        const sent = text({
          workspaceId: WORKSPACE,
          format: "csv",
          filter: {},
          time: "recorded",
          visibleFrom: null
        })
        const found = (yield* Stream.runCollect(sent)).join("")
        assert.deepStrictEqual(column(found, "actor_id"), ["ada", "bob"])
        assert.deepStrictEqual(needs, ["now", "now"])
      }).pipe(
        Effect.provide(SentExports.layer.pipe(Layer.provideMerge(exporting(world)))),
        Effect.provideService(Replicas, notedReplicas(needs))
      )
    })
  )

  it.effect("goes from pending to completed, and shows the rest only then", () =>
    run(
      Effect.fnUntraced(function* ({ files }) {
        yield* record([named("ada"), named("bob")])
        const asked = yield* request({ actor_id: "ada" })
        assert.deepStrictEqual(asked, {
          id: asked.id,
          status: "pending",
          format: "csv",
          filters: { actor_id: "ada" },
          progress: 0,
          total_rows: null,
          file_size: null,
          download_url: null,
          created_at: Micros.format(NOON),
          expires_at: null
        })
        assert.match(asked.id, /^exp_[0-9a-f-]{36}$/)
        assert.isTrue(yield* advance)
        assert.isFalse(yield* advance)
        const made = yield* read(asked.id)
        assert.deepInclude(made, {
          status: "completed",
          progress: 100,
          total_rows: 1,
          file_size: files.values().next().value?.length ?? -1,
          expires_at: Micros.format(NOON + 7 * Micros.DAY)
        })
        assert.match(
          made.download_url ?? "",
          new RegExp(
            `^https://cairn.example/api/v1/exports/${asked.id}/download\\?expires=\\d+&signature=[0-9a-f]{64}$`
          )
        )
      })
    )
  )

  it.effect("writes every event of the log once, oldest first, as reading returns it", () =>
    run(
      Effect.fnUntraced(function* (world) {
        yield* record(ordinaryEvents(2_345, { seed: 1 }))
        const csv = yield* exported(world, {})
        const ndjson = yield* exported(world, {}, "ndjson")
        const events = ndjson
          .trimEnd()
          .split("\n")
          .map((line): { readonly id: string } => JSON.parse(line))
        assert.lengthOf(events, 2_345)
        assert.deepStrictEqual(
          column(csv, "id"),
          events.map(({ id }) => id)
        )
        const log = yield* Effect.flatMap(EventLog, ({ entries }) => entries(WORKSPACE, 1, 3_000))
        assert.deepStrictEqual(
          events.map(({ id }) => id),
          log.map(({ id }) => id)
        )
        const reader = yield* EventReader
        const one = Option.getOrThrow(yield* reader.get(WORKSPACE, events[1_234]?.id ?? "", null))
        assert.deepEqual<unknown>(events[1_234], JSON.parse(JSON.stringify(one)))
      })
    )
  )

  it.effect("writes a header alone when nothing matches", () =>
    run(
      Effect.fnUntraced(function* (world) {
        assert.strictEqual(yield* exported(world, {}), csvLines.header)
        yield* record([named("ada")])
        assert.strictEqual(yield* exported(world, { actor_id: "eve" }), csvLines.header)
        assert.strictEqual(yield* exported(world, { from: "2030-01-01" }), csvLines.header)
        assert.strictEqual(yield* exported(world, { to: "2020-01-01" }), csvLines.header)
        assert.strictEqual(yield* exported(world, { actor_id: "eve" }, "ndjson"), "")
      })
    )
  )

  it.effect("holds every filter", () =>
    run(
      Effect.fnUntraced(function* (world) {
        yield* record([
          named("a"),
          named("b", { action: "user.deleted" }),
          named("c", { resource: "doc" }),
          named("d", { tenant_id: "t" }),
          named("e", { session_id: "s" }),
          named("f", { metadata: { note: "Naïve Text" } })
        ])
        world.hands.advance(Micros.DAY)
        yield* record([named("g")], NOON + Micros.DAY)
        const actors = (filters: ExportFilters) =>
          Effect.map(exported(world, filters), (csv) => column(csv, "actor_id").join(""))
        assert.strictEqual(yield* actors({}), "abcdefg")
        assert.strictEqual(yield* actors({ actor_id: "a" }), "a")
        assert.strictEqual(yield* actors({ action: "user.*" }), "b")
        assert.strictEqual(yield* actors({ resource: "doc" }), "c")
        assert.strictEqual(yield* actors({ tenant_id: "t" }), "d")
        assert.strictEqual(yield* actors({ session_id: "s" }), "e")
        assert.strictEqual(yield* actors({ search: "naïve t" }), "f")
        assert.strictEqual(yield* actors({ from: "2024-05-02" }), "g")
        assert.strictEqual(yield* actors({ to: "2024-05-02" }), "abcdef")
        assert.strictEqual(
          yield* actors({ action: "thing.done", from: Micros.format(NOON + 2), to: "2024-05-02" }),
          "cdef"
        )
      })
    )
  )

  it.effect("goes to the events of a narrow filter by the index, and looks at few others", () =>
    run(
      Effect.fnUntraced(function* (world) {
        const events = Array.from({ length: 4_000 }, (_, index) =>
          named(index % 40 === 7 ? "rare" : `a${index % 3}`, {
            metadata: { index, even: index % 2 === 0 ? "yes" : "no" }
          })
        )
        yield* record(events)
        const log = yield* EventLog
        let read = 0
        const counting = EventLog.of({
          ...log,
          entries: (...request) =>
            Effect.tap(log.entries(...request), ({ length }) => Effect.sync(() => (read += length))),
          page: (...request) =>
            Effect.tap(log.page(...request), ({ length }) => Effect.sync(() => (read += length)))
        })
        const through = Effect.fnUntraced(function* (filters: ExportFilters, source: EventLog["Service"]) {
          const pieces = yield* Stream.runCollect(
            exportContent(source, WORKSPACE, ndjsonLines, filters, null)
          )
          return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()
        })
        /** By a look at every event, as if no index knew anything. */
        const scanning = EventLog.of({ ...log, count: () => Effect.succeed(1_000_000) })
        const middle = Micros.format((yield* log.entries(WORKSPACE, 2_000, 1))[0]?.createdAt ?? 0)
        for (const [filters, most] of [
          [{ actor_id: "rare" }, 110],
          [{ actor_id: "rare", search: '"yes"' }, 110],
          [{ actor_id: "rare", from: middle }, 60],
          [{ actor_id: "rare", to: middle }, 60],
          [{ actor_id: "nobody" }, 0],
          [{ actor_id: "a1" }, 1_400],
          [{ action: "thing.*" }, 4_000],
          [{ action: "*" }, 4_000],
          [{ search: "yes" }, 4_000]
        ] as const) {
          read = 0
          const expected = yield* through(filters, scanning)
          read = 0
          assert.strictEqual(yield* through(filters, counting), expected, JSON.stringify(filters))
          assert.isAtMost(read, most, JSON.stringify(filters))
        }
        assert.lengthOf(
          (yield* through({ actor_id: "a1" }, log)).split("\n"),
          1 + events.filter(({ actor_id }) => actor_id === "a1").length
        )
        const csv = yield* exported(world, { actor_id: "a1" })
        const times = column(csv, "created_at")
        assert.deepStrictEqual(times, times.toSorted())
      })
    )
  )

  it.effect("finds history from before the chain by the index as well", () =>
    run(
      Effect.fnUntraced(function* () {
        const log = yield* EventLog
        const legacy = Effect.fnUntraced(function* (bodies: ReadonlyArray<EventInput>) {
          const sha256 = yield* Sha256
          const random = yield* Randomness
          const rows = bodies.map((body, index) => ({
            inboxId: index,
            acceptedAt: NOON - Micros.DAY + index,
            events: [
              {
                id: `legacy-${index}`,
                idempotencyKey: null,
                clientAddress: null,
                content: contentParts(Result.getOrThrow(decodeEvent(body)), NOON)
              }
            ]
          }))
          const context = { workspaceId: WORKSPACE, sha256, random, lookup: () => nowhere, now: NOON }
          yield* log.importLegacy(WORKSPACE, (head) => extendHistory(context, head, rows))
        })
        yield* legacy(Array.from({ length: 300 }, (_, index) => named(index % 100 === 3 ? "rare" : "x")))
        yield* record(Array.from({ length: 300 }, (_, index) => named(index % 100 === 3 ? "rare" : "x")))
        for (const filters of [{ actor_id: "rare" }, { actor_id: "rare", to: "2024-05-01" }]) {
          const pieces = yield* Stream.runCollect(exportContent(log, WORKSPACE, ndjsonLines, filters, null))
          const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()
          const found = Array.from(text.matchAll(/"id":"([a-z]+-\d+)"/g), ([, id]) => id)
          assert.lengthOf(found, "to" in filters ? 3 : 6)
          assert.deepStrictEqual(found.slice(0, 3), ["legacy-3", "legacy-103", "legacy-203"])
          assert.strictEqual(pieces.at(-1)?.progress, 100)
        }
      })
    )
  )

  it.effect("writes events in the order in which they occurred, if that is asked for", () =>
    run(
      Effect.fnUntraced(function* (world) {
        const log = yield* EventLog
        const days = Array.from({ length: 700 }, (_, index) => (index * 37) % 300)
        const at = (day: number) => Micros.format(NOON - (day + 1) * Micros.DAY)
        yield* record(
          days.map((day, index) => named(`a${index % 3}`, { occurred_at: at(day), metadata: { index, day } }))
        )
        const indexes = Effect.fnUntraced(function* (filters: ExportFilters) {
          const pieces = yield* Stream.runCollect(exportContent(log, WORKSPACE, ndjsonLines, filters, null))
          assert.strictEqual(pieces.at(-1)?.progress, 100)
          assert.isAtMost(Math.max(...pieces.map(({ rows }) => rows)), 250)
          const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()
          return Array.from(text.matchAll(/"index":(\d+)/g), ([, index]) => Number(index))
        })
        const sorted = [...days.keys()].sort(
          (one, other) => (days[other] ?? 0) - (days[one] ?? 0) || one - other
        )
        const has = (index: number, low: number, high: number) => {
          const day = days[index] ?? 0
          return day >= low && day <= high
        }
        assert.deepStrictEqual(yield* indexes({ time: "occurred" }), sorted)
        assert.deepStrictEqual(
          yield* indexes({ time: "occurred", from: at(99), to: at(50) }),
          sorted.filter((index) => has(index, 50, 99))
        )
        assert.deepStrictEqual(
          yield* indexes({ time: "occurred", actor_id: "a1", search: '"day":29' }),
          sorted.filter((index) => index % 3 === 1 && String(days[index]).startsWith("29"))
        )
        // A short term is looked for in all of them, as in other exports.
        assert.deepStrictEqual(
          yield* indexes({ time: "occurred", search: ":7" }),
          sorted.filter((index) => /^7/.test(`${index}`) || /^7/.test(`${days[index]}`))
        )
        const times = column(yield* exported(world, { time: "occurred", actor_id: "a2" }), "occurred_at")
        assert.isNotEmpty(times)
        assert.deepStrictEqual(times, times.toSorted())
      })
    )
  )

  it.effect("leaves out what is outside the retention window", () =>
    run(
      Effect.fnUntraced(function* (world) {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.update(WORKSPACE, { overrides: { retention_days: 10 } }, NOON)
        yield* record([named("old")])
        world.hands.advance(Micros.DAY)
        yield* record([named("new")], NOON + Micros.DAY)
        world.hands.advance(9 * Micros.DAY + 1)
        assert.deepStrictEqual(column(yield* exported(world, {}), "actor_id"), ["new"])
        assert.deepStrictEqual(column(yield* exported(world, { from: "2020-01-01" }), "actor_id"), ["new"])
        assert.deepStrictEqual(column(yield* exported(world, { time: "occurred" }), "actor_id"), ["new"])
      })
    )
  )

  it.effect("writes evidence of the asked range, as gzip, and counts its events", () =>
    run(
      Effect.fnUntraced(function* ({ files, hands }) {
        const bundle = Effect.fnUntraced(function* (filters: ExportFilters) {
          const { id } = yield* request(filters, "evidence")
          assert.isTrue(yield* advance)
          assert.deepInclude(yield* read(id), { status: "completed", total_rows: 3, progress: 100 })
          const use = yield* Exporting
          const file = Option.getOrThrow(yield* use.file(WORKSPACE, id))
          assert.match(file.filename, /^cairn-test-evidence-(?:until-)?[\d-]+-[\da-f]{8}\.cairn$/)
          assert.strictEqual(file.contentType, "application/gzip")
          return gunzipSync(files.get(file.name) ?? new Uint8Array()).toString()
        })
        const all = JSON.stringify({ workspaceId: WORKSPACE })
        assert.strictEqual(yield* bundle({}), `${all}\na\nb\nc\n`)
        const range = { from: "2024-05-01T12:00:00Z", to: "2024-05-02" }
        const asked = { workspaceId: WORKSPACE, from: NOON, to: NOON + Micros.DAY / 2 }
        assert.include(yield* bundle(range), `${JSON.stringify(asked)}\n`)
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.update(WORKSPACE, { overrides: { retention_days: 1 } }, NOON)
        hands.advance(2 * Micros.DAY)
        const left = { workspaceId: WORKSPACE, from: NOON + Micros.DAY }
        assert.include(yield* bundle({}), `${JSON.stringify(left)}\n`)
        assert.include(yield* bundle({ from: "2024-05-01" }), `${JSON.stringify(left)}\n`)
      })
    )
  )

  it.effect("has no file before it is completed, and none seven days later", () =>
    run(
      Effect.fnUntraced(function* ({ hands, files }) {
        const use = yield* Exporting
        const { id } = yield* request()
        assert.deepStrictEqual(
          yield* Effect.flip(use.file(WORKSPACE, id)),
          new ExportNotReady({ status: "pending" })
        )
        yield* advance
        assert.isTrue(Option.isSome(yield* use.file(null, id)))
        assert.isTrue(Option.isNone(yield* use.file("wsp_2", id)))
        assert.isTrue(Option.isNone(yield* use.file(null, "exp_none")))
        hands.advance(7 * Micros.DAY - 1)
        assert.strictEqual(yield* cleanUp, 0)
        assert.isTrue(Option.isSome(yield* use.file(WORKSPACE, id)))
        hands.advance(1)
        const expired = new ExportExpired({ expiredAt: Micros.format(NOON + 7 * Micros.DAY) })
        assert.deepStrictEqual(yield* Effect.flip(use.file(WORKSPACE, id)), expired)
        assert.strictEqual(files.size, 1)
        assert.strictEqual(yield* cleanUp, 1)
        assert.strictEqual(files.size, 0)
        assert.deepStrictEqual(yield* Effect.flip(use.file(null, id)), expired)
        assert.strictEqual(yield* cleanUp, 0)
      })
    )
  )

  it.effect("allows five at a time", () =>
    run(
      Effect.fnUntraced(function* () {
        for (let count = 0; count < 5; count++) yield* request()
        assert.instanceOf(yield* Effect.flip(request()), TooManyExports)
        yield* advance
        yield* request()
      })
    )
  )

  it.effect("counts each towards the month's quota, which begins anew with the month", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.update(WORKSPACE, { overrides: { exports_per_month: 2 } }, NOON)
        yield* request()
        yield* request()
        assert.strictEqual((yield* Effect.flip(request()))._tag, "ExportQuotaReached")
        // 2024-05-01T12:00 is 30.5 days before June begins.
        hands.advance(30.5 * Micros.DAY - 1)
        assert.strictEqual((yield* Effect.flip(request()))._tag, "ExportQuotaReached")
        hands.advance(1)
        yield* request()
      })
    )
  )

  it.effect("tells the webhooks once it is completed", () =>
    run(
      Effect.fnUntraced(function* () {
        yield* listen("export.completed")
        const { id } = yield* request()
        yield* advance
        yield* cleanUp
        const told = yield* deliveries
        assert.lengthOf(told, 1)
        assert.deepEqual<unknown>(JSON.parse(told[0]?.payload ?? ""), {
          type: "export.completed",
          timestamp: Micros.format(NOON),
          data: yield* read(id)
        })
      })
    )
  )

  it.effect("tells once of an export whose process died between completing it and telling", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* listen("export.completed")
        const { id } = yield* request()
        const exports = yield* Exports
        const until = NOON + Micros.MINUTE
        const crashed = Option.getOrThrow(yield* exports.claim({ claim: "crashed", at: NOON, until }))
        assert.isTrue(yield* exports.settle(crashed, { status: "completed", totalRows: 0, fileSize: 1 }))
        assert.deepStrictEqual(yield* deliveries, [])
        hands.advance(Micros.MINUTE)
        for (const _ of [1, 2]) yield* cleanUp
        const told = yield* deliveries
        assert.lengthOf(told, 1)
        assert.deepEqual<unknown>(JSON.parse(told[0]?.payload ?? "").data, yield* read(id))
        assert.deepStrictEqual(yield* exports.untold(10), [])
      })
    )
  )

  it.effect("begins anew what a crash interrupted, and leaves no file of the attempt before", () =>
    run(
      Effect.fnUntraced(function* ({ hands, files }) {
        yield* record([named("ada")])
        const exports = yield* Exports
        const { id } = yield* request()
        const until = NOON + Micros.MINUTE
        const crashed = Option.getOrThrow(yield* exports.claim({ claim: "crashed", at: NOON, until }))
        files.set(`${WORKSPACE}/${id}.1.csv`, new Uint8Array(3))
        assert.isFalse(yield* advance, "somebody may still be at it")
        assert.strictEqual((yield* read(id)).status, "processing")
        hands.advance(Micros.MINUTE)
        assert.isTrue(yield* advance)
        assert.deepInclude(yield* read(id), { status: "completed", total_rows: 1 })
        assert.deepStrictEqual([...files.keys()], [`${WORKSPACE}/${id}.2.csv`])
        assert.isFalse(yield* exports.settle(crashed, { status: "completed", totalRows: 9, fileSize: 9 }))
      })
    )
  )

  it.effect("a file that cannot be written is tried again, and the export fails after five attempts", () => {
    const world = makeWorld()
    const broken = Layer.effect(
      ExportStore,
      Effect.map(ExportStore, (store) =>
        ExportStore.of({
          ...store,
          write: (_name, _type, content) =>
            Effect.andThen(
              Stream.runDrain(content),
              Effect.fail(new ExportStoreUnavailable({ operation: "write", cause: new Error("disk full") }))
            )
        })
      )
    ).pipe(Layer.provide(MemoryExportStore.layer))
    return Effect.gen(function* () {
      yield* makeWorkspace
      yield* listen("export.failed")
      const { id } = yield* request()
      for (let attempt = 0; attempt < 5; attempt++) {
        assert.isTrue(yield* advance)
        assert.strictEqual((yield* read(id)).status, "processing")
        world.hands.advance(Micros.MINUTE)
      }
      assert.deepStrictEqual(yield* deliveries, [])
      const outcomes = Effect.forEach(["completed", "retried", "failed"], (outcome) =>
        meteredValue("cairn_exports_total", { outcome })
      )
      assert.deepStrictEqual(yield* outcomes, [0, 5, 0])
      yield* advance
      assert.deepStrictEqual(yield* outcomes, [0, 5, 1])
      assert.strictEqual((yield* read(id)).status, "failed")
      yield* Effect.flatMap(ExportMaker, (use) => use.cleanUp)
      assert.deepStrictEqual(
        (yield* deliveries).map(({ payload }) => JSON.parse(payload).data),
        [yield* read(id)]
      )
      assert.isFalse(yield* advance)
      const use = yield* Exporting
      assert.deepStrictEqual(
        yield* Effect.flip(use.file(WORKSPACE, id)),
        new ExportNotReady({ status: "failed" })
      )
    }).pipe(Effect.provide(exporting(world, broken)), Effect.provideService(Meters, new MeterSet()))
  })

  it.effect("whoever loses an export while writing it completes nothing and removes the file", () => {
    const world = makeWorld()
    const { files } = world
    const withdrawn = Layer.effect(
      ExportStore,
      Effect.gen(function* () {
        const store = yield* ExportStore
        const exports = yield* Exports
        return ExportStore.of({
          ...store,
          write: (...file) =>
            Effect.tap(store.write(...file), () => Effect.orDie(exports.withdraw(WORKSPACE, NOON, null)))
        })
      })
    ).pipe(Layer.provide(MemoryExportStore.layerOver(files)))
    return Effect.gen(function* () {
      yield* makeWorkspace
      const { id } = yield* request()
      yield* advance
      assert.strictEqual((yield* read(id)).status, "pending")
      assert.strictEqual(files.size, 0)
    }).pipe(Effect.provide(exporting(world, withdrawn)))
  })
})
