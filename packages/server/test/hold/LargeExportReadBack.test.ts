import { createReadStream, createWriteStream, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { recoverCell } from "@cairn/core/encoding"
import { Event, type EventInput } from "@cairn/core/event"
import { CSV_COLUMNS } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { FRAME_EVENTS } from "@cairn/core/log"
import { parseVerifierKey } from "@cairn/core/note"
import { Export } from "@cairn/core/outbound"
import { siblingFile } from "@cairn/storage-sqlite"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { layerTools, verifyEvidence } from "@cairn/verifier"
import { NodeStream } from "@effect/platform-node"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, type Server, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { readRecords } from "../support/StrictCsv.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** Rows of the larger file: fewer in the short form; `CAIRN_TEST_EXPORT_ROWS` sets another number. */
const ROWS = Number(process.env.CAIRN_TEST_EXPORT_ROWS ?? (isEndurance() ? "1000000" : "60000"))
/** Rows of the smaller one, of the same log. */
const FEW = Math.min(20_000, ROWS / 10)
/** With the events that make the workspace and its key. */
const TOTAL = ROWS + 2
/** Milliseconds for anything: a machine under load may take long. */
const PATIENCE = 300_000 + ROWS * 3
/** MiB that the larger file may cost more than the smaller: a third of what it is in the short form. */
const SLOPE = 40

/** What a spreadsheet would run, and what breaks readers that split at the wrong place. */
const AWKWARD = [
  '=HYPERLINK("https://evil.example";"click")',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "+1",
  "-2+3",
  "'quoted",
  "\tafter a tab",
  "one\r\ntwo",
  'say "hi", all',
  " a space; and a bar| ",
  "＝full width",
  "naïve 😀 \u202Etxet",
  ""
]

/** What a spreadsheet takes for a formula. */
const RUNS = /^[=+\-@\t\r\n\0＝＋－＠]/

const eventAt = (index: number): EventInput => ({
  actor_id: `actor-${index % 1_000}`,
  actor_name: AWKWARD[index % AWKWARD.length] ?? "",
  action: index % 3 === 0 ? "document.deleted" : "document.created",
  resource: "document",
  resource_id: `${AWKWARD[(index * 7) % AWKWARD.length]}${index}`,
  targets: index % 5 === 0 ? [{ type: "folder", id: `f-${index}` }] : [],
  metadata: { index, note: "x".repeat(index % 300), [`=key${index % 4}`]: { deep: AWKWARD[index % 7] } }
})

const decodeExport = Schema.decodeUnknownSync(Schema.Struct({ data: Export }))
const decodeCreated = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(Event))
const decodeKeys = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: Schema.String })))

/** What stands in a column, after docs of the interface; the two of JSON parsed. */
const fieldOf = (event: Event, column: string): unknown => {
  const { actor, resource, integrity } = event
  const fields: Record<string, unknown> = {
    ...event,
    actor_id: actor.id,
    actor_name: actor.name,
    actor_type: actor.type,
    resource_type: resource.type,
    resource_id: resource.id,
    resource_name: resource.name,
    event_hash: integrity.event_hash,
    previous_event_hash: integrity.previous_event_hash
  }
  return fields[column]
}

/** MiB of a process's memory, as the system counts it. */
const residentOf = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

/** The first value of a query of a database's file. */
const read = (filename: string, query: string): number | string => {
  const db = new DatabaseSync(filename, { readOnly: true })
  const [value] = Object.values(db.prepare(query).get() ?? {})
  db.close()
  return typeof value === "number" || typeof value === "string" ? value : 0
}

const onLinux = process.platform === "linux"

describe("a large export", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  let tenant: Tenant
  let server: Server
  let client: ApiClient
  beforeAll(async () => {
    tenant = await seedTenant(database, {
      name: "Test",
      events: Array.from({ length: ROWS }, (_, at) => eventAt(at))
    })
    // As `npm start` has it: what is short-lived is collected soon, so that the memory that is counted is in
    // use.
    server = await startServer({ database, variables: { NODE_OPTIONS: "--max-semi-space-size=8" } })
    await eventually(
      "the search index has caught up",
      () =>
        // The newest are not enough for a frame.
        Number(read(siblingFile(database, "search"), "SELECT sequence FROM search_position")) >
          ROWS - FRAME_EVENTS || undefined,
      PATIENCE
    )
    client = apiClient(server.baseUrl, tenant.key)
  }, PATIENCE)

  /** Has a file made and downloads it, so often; gives what the server's memory rose to meanwhile. */
  const make = async (name: string, body: object, downloads = 1) => {
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, residentOf(server.child.pid))
    }, 20)
    const began = performance.now()
    const created = await client.request("POST", "/api/v1/exports", body)
    assert.strictEqual(created.status, 202)
    const { id } = decodeCreated(created.body).data
    const made = await eventually(
      "the export is made",
      async () => {
        const { data } = decodeExport((await client.get(`/exports/${id}`)).body)
        return data.status === "completed" ? data : undefined
      },
      PATIENCE
    )
    const written = performance.now()
    const file = join(folder, name)
    for (let count = 0; count < downloads; count++) {
      const answer = await fetch(made.download_url ?? "")
      assert.strictEqual(answer.status, 200)
      if (answer.body !== null) await pipeline(Readable.fromWeb(answer.body), createWriteStream(file))
    }
    clearInterval(watch)
    const done = performance.now()
    return { file, made, peak, seconds: [(written - began) / 1_000, (done - written) / 1_000] as const }
  }

  it.skipIf(!onLinux)(
    `of ${ROWS} events takes the server no more memory than one of ${FEW} (Linux alone tells how much)`,
    { timeout: PATIENCE },
    async () => {
      const all = await wholeLog()
      const few = { to: (await eventNumber(FEW)).created_at }
      for (const format of ["csv", "evidence"]) {
        // The first ones warm everything up.
        for (let count = 0; count < 3; count++) await make("warm", { format, ...few })
        // As many bytes are downloaded of either: what was sent is memory until the engine has cleared some
        // 64 MiB of it, whatever the file's size.
        const small = await make(`small.${format}`, { format, ...few }, ROWS / FEW)
        const large = await make(`large.${format}`, { format, ...all })
        assert.strictEqual(small.made.total_rows, FEW)
        assert.strictEqual(large.made.total_rows, TOTAL)
        const mebibytes = (large.made.file_size ?? 0) / 2 ** 20
        const [writing, downloading] = large.seconds
        console.info(
          `${format}: ${TOTAL} events, ${mebibytes.toFixed(0)} MiB, written in ${writing.toFixed(1)} s, downloaded in ` +
            `${downloading.toFixed(1)} s, memory ${small.peak.toFixed(0)} MiB with ${FEW} and ${large.peak.toFixed(0)} MiB`
        )
        assert.isBelow(large.peak - small.peak, SLOPE)
      }
    }
  )

  /** The event of a place in the log, from 1. */
  const eventNumber = (sequence: number): Promise<Event> =>
    client.event(String(read(database, `SELECT id FROM event WHERE sequence = ${sequence}`)))

  /** Up to the last event of the tests: each export is itself an event. */
  const wholeLog = async () => ({ to: (await eventNumber(TOTAL)).created_at })

  it("is read back equal by another CSV library, and what a spreadsheet would run is recovered", {
    timeout: PATIENCE
  }, async () => {
    const all = await wholeLog()
    const csv = await make("all.csv", all)
    const ndjson = await make("all.ndjson", { format: "ndjson", ...all })
    assert.strictEqual(csv.made.total_rows, ndjson.made.total_rows)
    const lines = createInterface({ input: createReadStream(ndjson.file) })[Symbol.asyncIterator]()
    let rows = 0
    let header: ReadonlyArray<string> = []
    for await (const record of readRecords(createReadStream(csv.file))) {
      if (header.length === 0) {
        header = record
        assert.deepStrictEqual(header, CSV_COLUMNS)
        continue
      }
      const { value: line } = await lines.next()
      const event = decodeEvent(line)
      for (const [at, column] of header.entries()) {
        const cell = record[at] ?? ""
        // Compared by hand: an assertion for each of millions of cells would take minutes.
        if (RUNS.test(cell)) assert.fail(`${column} of ${event.id} begins like a formula: ${cell}`)
        const field = fieldOf(event, column)
        const text = recoverCell(cell)
        const isJson = (column === "metadata" || column === "targets") && field !== null
        const expected = field === null ? "" : isJson ? JSON.stringify(field) : String(field)
        if (text === expected) continue
        // The same in another order.
        if (isJson) assert.deepEqual<unknown>(JSON.parse(text), field)
        else assert.strictEqual(text, expected, `${column} of ${event.id}`)
      }
      const index = event.metadata?.index
      if (typeof index === "number") {
        if (event.actor.name !== eventAt(index).actor_name) assert.fail(`${index} is another event`)
        rows++
      }
    }
    assert.isTrue((await lines.next()).done)
    assert.strictEqual(rows, ROWS)
  })

  it("as evidence is intact, downloaded from the server", { timeout: PATIENCE }, async () => {
    const { file, made } = await make("evidence.cairn", { format: "evidence" })
    const [{ key } = { key: "" }] = decodeKeys(await cairnJson(["checkpoint-key", "show"], { database }))
    const report = await Effect.gen(function* () {
      const sha256 = yield* Sha256
      return yield* verifyEvidence(
        NodeStream.fromReadable<Uint8Array, unknown>({
          evaluate: () => createReadStream(file),
          onError: (error) => error
        }),
        { trustedKeys: [Result.getOrThrow(parseVerifierKey(sha256, key))] }
      )
    }).pipe(Effect.provide(layerTools), Effect.runPromise)
    assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
    assert.strictEqual(report.counts.events, made.total_rows)
  })
})
