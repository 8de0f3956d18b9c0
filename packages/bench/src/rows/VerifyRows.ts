/** Rows 5, 6, 10 and 13: verification, exact totals, and bytes on disk, on one database of generated events. */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  Acceptance,
  auditLog,
  ChainCheck,
  ChainVerifier,
  EventLog,
  EventReader,
  GeoIp,
  nativeSha256,
  Sequencer,
  type StoredEvent,
  Workspaces
} from "@cairn/core"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { Effect, Layer } from "effect"
import { type Row, ratioRow } from "../Row.ts"
import { sampleBody } from "../SampleEvent.ts"

const EVENTS = 50_000
const VERIFIED = 10_000
const workspaceId = "wsp_bench"

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const begun = performance.now()
    const value = yield* effect
    return [value, performance.now() - begun] as const
  })

/** The best of five runs: a server has run for longer than its compiler needs to warm up. */
const best = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.all(Array.from({ length: 5 }, () => timed(effect))), (runs) =>
    Math.min(...runs.map(([, millis]) => millis))
  )

const fill = Effect.gen(function* () {
  yield* (yield* Workspaces).create({
    id: workspaceId,
    name: "Bench",
    plan: "enterprise",
    overrides: {},
    ip_allowlist: [],
    created_at: 1
  })
  const { batch } = yield* Acceptance
  const { drain } = yield* Sequencer
  for (let at = 0; at < EVENTS; at += 100) {
    const events = Array.from({ length: 100 }, (_, index) => sampleBody(at + index))
    yield* batch({ workspaceId, clientAddress: null, keysExpireBefore: null }, JSON.stringify({ events }))
    if (at % 5_000 === 0) yield* drain
  }
  yield* drain
})

const measure = (filename: string) =>
  Effect.gen(function* () {
    yield* fill
    const rows: Array<Row> = []
    const { verify } = yield* ChainVerifier
    const { list } = yield* EventReader
    const log = yield* EventLog

    const db = new DatabaseSync(filename, { readOnly: true })
    const read = db.prepare("SELECT * FROM event WHERE workspace = 1 ORDER BY sequence LIMIT ?")
    const bare = yield* best(Effect.sync(() => read.all(VERIFIED)))
    const verified = yield* best(verify({ workspaceId, limit: VERIFIED }))
    rows.push(
      ratioRow({
        number: "6",
        what: `verify ${VERIFIED} events`,
        limit: (VERIFIED / bare) * 1000,
        measured: (VERIFIED / verified) * 1000,
        unit: "/s",
        atLeast: 0.3
      })
    )

    const events: ReadonlyArray<StoredEvent> = yield* log.scan(workspaceId, 1, EVENTS)
    const sha256 = nativeSha256
    if (sha256 === undefined) return rows
    const node = new Uint8Array(65)
    const hashing = yield* best(
      Effect.sync(() => {
        for (const { content, salt } of events) {
          sha256.hex(`cairn.content.v1\n${salt}\n${content}`)
          sha256.hex(`cairn.event.v1\n${content?.slice(0, 330)}`)
          sha256.bytes(node)
          sha256.bytes(node)
        }
      })
    )
    const checking = yield* best(
      Effect.sync(() => {
        const check = new ChainCheck(sha256, workspaceId)
        for (const event of events) check.check(event)
        return check.breaks.length
      })
    )
    rows.push(
      ratioRow({
        number: "5",
        what: "chain check, one core, events in memory",
        limit: (EVENTS / hashing) * 1000,
        measured: (EVENTS / checking) * 1000,
        unit: "/s",
        atLeast: 0.25,
        also: (EVENTS / checking) * 1000 >= 100_000,
        note: "the offline verifier and its bundle are not there yet"
      })
    )

    const page = { workspaceId, filter: { tenantId: "tenant_3" }, before: null, limit: 25, visibleFrom: null }
    const [, cold] = yield* timed(list(page))
    const warm = yield* best(list(page))
    const bareList = yield* best(log.page(workspaceId, { filter: page.filter, before: null, limit: 26 }))
    rows.push({
      number: "10",
      what: "exact total on a repeated query, beside the page",
      measured: Math.max(0, warm - bareList),
      unit: "ms",
      target: "≤ 1 ms more",
      met: warm - bareList <= 1,
      note: `first time ${cold.toFixed(1)} ms`
    })
    db.close()
    return rows
  })

const size = (file: string): number => statSync(file).size

/** Fills a database and measures on it. */
export const verifyRows = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bench-"))
  const filename = join(folder, "cairn.db")
  const layer = auditLog.pipe(
    Layer.provideMerge(Layer.merge(SqliteStorage.layer({ filename }), GeoIp.layerNowhere))
  )
  const rows = await Effect.runPromise(measure(filename).pipe(Effect.provide(layer)))
  const db = new DatabaseSync(filename)
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  const content = Number(db.prepare("SELECT avg(length(CAST(content AS BLOB))) AS n FROM event").get()?.n)
  db.close()
  const perEvent = (size(filename) + size(siblingFile(filename, "inbox"))) / EVENTS
  rmSync(folder, { recursive: true, force: true })
  const row: Row = {
    number: "13",
    what: "bytes on disk an event, all filter indexes",
    limit: content,
    measured: perEvent,
    unit: "B",
    target: "≤ 3 × the content",
    met: perEvent <= 3 * content
  }
  return [...rows, row]
}
