import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { constants, gunzipSync, zstdDecompressSync } from "node:zlib"
import { AnchorVerification } from "@cairn/core/anchor"
import { contentParts, decodeEvent, type EventInput } from "@cairn/core/event"
import { FRAME_EVENTS, type PendingEvent } from "@cairn/core/log"
import { Export } from "@cairn/core/outbound"
import { encodeEvents, eventIdBytes, keyHash } from "@cairn/storage-sql"
import { siblingFile } from "@cairn/storage-sqlite"
import { NEEDLE, telling } from "@cairn/testing"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Result, Schema, Scope } from "effect"
import { startWebServer } from "../../../delivery/test/peers/WebServer.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const SHIFTED_CLOCK = new URL("../support/ShiftedClock.mjs", import.meta.url).href
/** How long before now it all begins. */
const LONG_AGO_SECONDS = 9 * 24 * 3_600
/** How long before now the last day begins in which what was shortened then does not count. */
const LAST_DAY_SECONDS = 2.5 * 24 * 3_600
const longAgo = () => (Date.now() - LONG_AGO_SECONDS * 1_000) * 1_000

/** Whose events are erased: by their actor, by their ids, and after they have left the retention window. */
const NAMES = ["actor", "event", "retention"] as const

const decodeMade = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeExport = Schema.decodeUnknownSync(Schema.Struct({ data: Export }))
const decodeVerification = Schema.decodeUnknownSync(Schema.Struct({ data: AnchorVerification }))
const decodeTotal = Schema.decodeUnknownSync(
  Schema.Struct({ pagination: Schema.Struct({ total: Schema.Number }) })
)
const decodeErased = Schema.decodeUnknownSync(Schema.Struct({ sequences: Schema.Array(Schema.Number) }))

/** An event that holds the needle wherever one can, from Norway if there is a database of places. */
const tellingFromAfar = (name: string): EventInput => ({ ...telling(name), ip_address: "193.213.112.4" })

/** A parked request: what was accepted and could not be appended. */
const parked = (name: string): ReadonlyArray<PendingEvent> =>
  [tellingFromAfar(name), { actor_id: "bystander", action: "thing.done" }].map((body, index) => ({
    id: `00000000-0000-4000-8000-00000000000${index}`,
    idempotencyKey: `${index === 0 ? NEEDLE : "x"}-parked-${index}`,
    clientAddress: null,
    content: contentParts(Result.getOrThrow(decodeEvent(body)), longAgo())
  }))

/** The idempotency keys of the events of a name, and of the parked ones. */
const keysOf = (name: string) => [0, 1, 2].map((index) => `${NEEDLE}-${name}-${index}`)
const PARKED_KEYS = parked("actor").map(({ idempotencyKey }) => idempotencyKey ?? "")

/** What the store has in place of keys. */
const hashesOf = (keys: ReadonlyArray<string>) => keys.map((key) => Buffer.from(keyHash(key)))

/** A database under test, and where the needle is in it. */
interface Subject {
  readonly database: string
  /** The folder of everything that the server writes, but for PostgreSQL's own. */
  readonly folder: string
  readonly park: (events: ReadonlyArray<PendingEvent>) => Promise<void>
  readonly parked: () => Promise<number>
  /** Files and tables that hold one of some texts, or of some bytes. */
  readonly find: (...wanted: ReadonlyArray<string | Buffer>) => Promise<ReadonlyArray<string>>
  /** The blobs of the index over events. */
  readonly blobs: () => Promise<ReadonlyArray<Blob>>
}

/** A compressed blob of the index. */
interface Blob {
  readonly name: string
  readonly blob: Uint8Array
}

/** Bytes of a blob that are looked for: less than a page of a file has of it in one piece. */
const PIECE_BYTES = 64

/** A blob's bytes in pieces. */
const piecesOf = ({ blob }: Blob): ReadonlyArray<Buffer> =>
  Array.from({ length: Math.floor(blob.length / PIECE_BYTES) }, (_, at) =>
    Buffer.from(blob.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES))
  )

/** Which of the blobs hold the needle. */
const blobsWithNeedle = (blobs: ReadonlyArray<Blob>): ReadonlyArray<string> =>
  blobs.filter(({ blob }) => textOf(blob).includes(NEEDLE.toLowerCase())).map(({ name }) => name)

const textOf = (blob: Uint8Array): string =>
  Buffer.from(zstdDecompressSync(blob)).toString("latin1").toLowerCase()

const isArchive = (path: string): boolean => path.includes("archive")

/** A file may be read while it is written. */
const WHAT_IS_THERE = { finishFlush: constants.Z_SYNC_FLUSH }

/** Files below a folder whose bytes hold one of some; of compressed ones, those within. */
const filesWith = (folder: string, wanted: ReadonlyArray<string | Buffer>): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name)
    // What is written meanwhile may come and go.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    const bytes = readFileSync(path)
    const packed = bytes[0] === 0x1f && bytes[1] === 0x8b
    const plain = packed ? gunzipSync(bytes, WHAT_IS_THERE) : bytes
    return wanted.some((what) => plain.includes(what))
  })

const BLOBS = `
  SELECT 'texts ' || number AS name, texts AS blob FROM search_frame
  UNION ALL SELECT 'columns ' || number, columns FROM search_frame WHERE columns IS NOT NULL
  UNION ALL SELECT 'posting ' || number, blob FROM search_posting
  UNION ALL SELECT 'order of ' || frame_group, blob FROM search_order`
const decodeBlobs = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ name: Schema.String, blob: Schema.Uint8Array }))
)

const PARK = "INSERT INTO parked (id, workspace, accepted_at, event_count, events, reason) VALUES"
const KEY = "INSERT INTO idempotency_key (workspace, hash, event_id, accepted_at) VALUES"

const sqliteSubject = (folder: string): Subject => {
  const database = join(folder, "cairn.db")
  const inbox = <A>(use: (db: DatabaseSync) => A): A => {
    const db = new DatabaseSync(siblingFile(database, "inbox"), { timeout: 10_000 })
    try {
      return use(db)
    } finally {
      db.close()
    }
  }
  return {
    database,
    folder,
    park: async (events) =>
      inbox((db) => {
        db.prepare(`${PARK} (?, 1, ?, ?, ?, ?)`).run(
          1,
          longAgo(),
          events.length,
          encodeEvents(events),
          NEEDLE
        )
        for (const { id, idempotencyKey } of events)
          db.prepare(`${KEY} (1, ?, ?, ?)`).run(keyHash(idempotencyKey ?? ""), eventIdBytes(id), longAgo())
      }),
    parked: async () =>
      inbox((db) => Number(db.prepare("SELECT coalesce(sum(event_count), 0) AS n FROM parked").get()?.n)),
    find: async (...wanted) => filesWith(folder, wanted),
    blobs: async () => {
      const search = new DatabaseSync(siblingFile(database, "search"), { readOnly: true })
      try {
        return decodeBlobs(search.prepare(BLOBS).all())
      } finally {
        search.close()
      }
    }
  }
}

const postgresSubject = (postgres: TestPostgres, database: string, folder: string): Subject => ({
  database,
  folder,
  park: async (events) => {
    const at = longAgo()
    const row = [1, at, events.length, encodeEvents(events), NEEDLE]
    await postgres.query(database, `${PARK} ($1, (SELECT number FROM workspace), $2, $3, $4, $5)`, row)
    for (const { id, idempotencyKey } of events)
      await postgres.query(database, `${KEY} ((SELECT number FROM workspace), $1, $2, $3)`, [
        keyHash(idempotencyKey ?? ""),
        eventIdBytes(id),
        at
      ])
  },
  parked: async () => {
    const [row] = await postgres.query(database, "SELECT coalesce(sum(event_count), 0)::int AS n FROM parked")
    return Number(row?.n)
  },
  blobs: async () => decodeBlobs(await postgres.query(database, BLOBS)),
  // Every table as a dump has it.
  find: async (...wanted) => {
    const copies = join(folder, "..", "copies")
    mkdirSync(copies, { recursive: true })
    chmodSync(copies, 0o777)
    const tables = await postgres.query(
      database,
      "SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
    )
    for (const { name } of tables)
      await postgres.query(database, `COPY (SELECT * FROM "${name}") TO '${join(copies, String(name))}'`)
    const inDump = wanted.map((what) => (typeof what === "string" ? what : what.toString("hex")))
    const found = [...filesWith(copies, inDump), ...filesWith(folder, wanted)]
    rmSync(copies, { recursive: true, force: true })
    return found
  }
})

const make = async (client: ApiClient, path: string, body: unknown) => {
  const answer = await client.request("POST", `/api/v1${path}`, body)
  assert.oneOf(answer.status, [201, 202], JSON.stringify(answer.body))
  return decodeMade(answer.body).data.id
}

/** Has an export made, and waits until it is. */
const makeExport = async (client: ApiClient, body: object) => {
  const id = await make(client, "/exports", body)
  return eventually("the export is made", async () => {
    const { data } = decodeExport((await client.get(`/exports/${id}`)).body)
    return data.status === "completed" ? data : undefined
  })
}

/** Messages that have arrived. */
const delivered = async (client: ApiClient) =>
  decodeTotal((await client.get("/deliveries", { status: "delivered" })).body).pagination.total

/**
 * The life of a workspace in which contents are erased and leave the retention window, until nothing of them
 * is left.
 */
const nothingIsLeft = async (subject: Subject, hook: string) => {
  const { database, folder } = subject
  const variables = {
    CAIRN_ARCHIVE_STORE: join(folder, "archive"),
    CAIRN_EXPORT_STORE: join(folder, "exports"),
    CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
    CAIRN_OUTBOUND_HTTP: "true",
    CAIRN_LOG_LEVEL: "warning",
    // Behind, not ahead: a clock that is ahead of the database's is not trusted.
    NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
    TEST_CLOCK_FILE: join(folder, "..", "clock")
  }
  writeFileSync(variables.TEST_CLOCK_FILE, String(-LONG_AGO_SECONDS))
  const options = { database, variables }
  const tenant = await makeTenant("Example", options)
  const start = async () => {
    const server = await startServer(options)
    return { server, client: apiClient(server.baseUrl, tenant.key) }
  }
  const bundle = join(folder, "..", `${tenant.workspaceId}.cairn`)
  let running = await start()
  const anchorIds: Array<string> = []
  /** The chain, its anchor and the bundle of old hold: by command, and by the server. */
  const stillHolds = async () => {
    for (const against of [[], ["--against", bundle]]) {
      const { code, stdout, stderr } = await cairn(["verify", ...against], options)
      assert.strictEqual(code, 0, stdout + stderr)
    }
    assert.isTrue((await running.client.verify()).valid)
    for (const id of anchorIds) {
      const { body } = await running.client.get(`/anchors/${id}/verify`)
      assert.deepInclude(decodeVerification(body).data, { valid: true, chain_valid: true })
    }
  }
  const restart = async () => {
    await running.server.stop()
    running = await start()
  }
  /** Erases by command, while the server runs; gives how many events that were. */
  const erase = async (...target: ReadonlyArray<string>) => {
    const erased = await cairnJson(["erase", ...target, "--reason", "as asked", "--yes"], options)
    return decodeErased(erased).sequences.length
  }
  /** Exports are removed by the minute, and at once by a server that starts. */
  const gone = (...wanted: ReadonlyArray<string | Buffer>) =>
    eventually(`${String(wanted[0])} is gone`, async () => {
      const places = await subject.find(...wanted)
      return places.length === 0 || undefined
    }).catch(async () => assert.deepStrictEqual(await subject.find(...wanted), []))

  const { client } = running
  await make(client, "/alert-rules", {
    name: "Often",
    rule_type: "repeated_action",
    parameters: { threshold: 2, window_seconds: 1 },
    cooldown_seconds: 0
  })
  await make(client, "/webhooks", { url: hook, types: ["alert.triggered", "export.completed"] })
  const ids: Array<string | null> = []
  for (const name of NAMES) {
    const events = keysOf(name).map((idempotency_key) => ({ ...tellingFromAfar(name), idempotency_key }))
    for (const { id } of await client.acceptBatch(events)) ids.push(id)
  }
  // More than a frame of the search index takes.
  for (let sent = 0; sent < FRAME_EVENTS; sent += 100)
    await client.acceptBatch(
      Array.from({ length: 100 }, () => ({ actor_id: "bystander", action: "thing.done" }))
    )
  await subject.park(parked("actor"))
  await eventually("they are in the chain, and found", async () =>
    (await client.page({ search: NEEDLE })).pagination.total === 9 ? true : undefined
  )
  await eventually("alerts are told of", async () => ((await delivered(client)) >= 3 ? true : undefined))
  anchorIds.push(await make(client, "/anchors", undefined))
  const csv = await makeExport(client, { actor_id: `${NEEDLE}-actor` })
  assert.strictEqual(csv.total_rows, 3)
  assert.strictEqual((await cairn(["evidence", "--output", bundle], options)).code, 0)
  await eventually("the export is told of", async () => ((await delivered(client)) >= 4 ? true : undefined))
  for (const name of NAMES)
    assert.isAbove((await subject.find(`${NEEDLE}-${name}`)).length, 2, "the search finds what is there")
  for (const hash of hashesOf([...NAMES.flatMap(keysOf), ...PARKED_KEYS]))
    assert.isNotEmpty(await subject.find(hash), "the search finds the hashes of keys")
  const framed = await eventually("a frame has them", async () => {
    const frames = await subject.blobs()
    return blobsWithNeedle(frames).length > 0 ? frames : undefined
  })
  const pieces = framed.flatMap(piecesOf)
  assert.isNotEmpty(await subject.find(...pieces))
  /** Pieces of the first frames that no frame has now are nowhere. */
  const noFrameIsLeft = async () => {
    const now = await subject.blobs()
    const old = pieces.filter((piece) => !now.some(({ blob }) => Buffer.from(blob).includes(piece)))
    assert.isNotEmpty(old)
    await gone(...old)
  }

  assert.strictEqual(await erase("--actor", `${NEEDLE}-actor`), 3)
  assert.strictEqual(await erase("--event", ids.slice(3, 6).join(",")), 3)
  assert.strictEqual(await subject.parked(), 1)
  assert.strictEqual((await client.get(`/exports/${csv.id}/download`)).status, 410)
  await restart()
  await gone(`${NEEDLE}-actor`, ...hashesOf([...keysOf("actor"), ...PARKED_KEYS.slice(0, 1)]))
  await gone(`${NEEDLE}-event`, ...hashesOf(keysOf("event")))
  await noFrameIsLeft()
  await stillHolds()

  const patched = await running.client.request("PATCH", "/api/v1/workspace", { retention_days: 1 })
  assert.strictEqual(patched.status, 200, JSON.stringify(patched.body))
  // On the last day before it takes effect this is noted, and nothing is removed.
  assert.isEmpty(await subject.find('"end_seen_at"'))
  writeFileSync(variables.TEST_CLOCK_FILE, String(-LAST_DAY_SECONDS))
  await restart()
  await eventually("the last day is noted", async () =>
    (await subject.find('"end_seen_at"')).length > 0 ? true : undefined
  )
  assert.isFalse((await subject.find(`${NEEDLE}-retention`)).every(isArchive))
  // A week after the change it has taken effect, and two days later everything is older than that.
  writeFileSync(variables.TEST_CLOCK_FILE, "0")
  await restart()
  const elsewhere = async () => (await subject.find(`${NEEDLE}-retention`)).filter((path) => !isArchive(path))
  await eventually("the contents are in the archive", async () =>
    (await elsewhere()).length === 0 ? true : undefined
  ).catch(async () => assert.deepStrictEqual(await elsewhere(), []))
  assert.isNotEmpty(await subject.find(`${NEEDLE}-retention`))
  await eventually("no parked request is left", async () =>
    (await subject.parked()) === 0 ? true : undefined
  )
  await stillHolds()

  assert.strictEqual(await erase("--actor", `${NEEDLE}-retention`), 3)
  await gone(NEEDLE, ...hashesOf([...NAMES.flatMap(keysOf), ...PARKED_KEYS]))
  await stillHolds()
  await noFrameIsLeft()
  assert.deepStrictEqual(blobsWithNeedle(await subject.blobs()), [])
  assert.deepStrictEqual(await running.server.stop(), { code: 0, signal: null })
  assert.deepStrictEqual(await subject.find(NEEDLE), [])
}

describe("what is erased or has left the retention window", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const scope = Scope.makeUnsafe()
  let hook = ""
  beforeAll(async () => {
    // It repeats what it is told, so that the attempts hold it too.
    const server = startWebServer(({ body }, response) => {
      response.writeHead(200).end(body)
    })
    const { port } = await Effect.runPromise(Scope.provide(server, scope))
    hook = `http://127.0.0.1:${port}/`
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("is in no file of SQLite any more, and chain, anchors and older evidence hold", {
    timeout: 300_000
  }, async () => {
    const own = join(folder, "sqlite", "data")
    mkdirSync(own, { recursive: true })
    await nothingIsLeft(sqliteSubject(own), hook)
  })

  describe("on PostgreSQL", () => {
    let postgres: TestPostgres
    beforeAll(async () => {
      postgres = await startPostgres()
    })
    afterAll(() => postgres.stop())

    it("is in no table any more, nor in any file beside them", { timeout: 300_000 }, async () => {
      const own = join(folder, "postgres", "data")
      mkdirSync(own, { recursive: true })
      // The database's own user writes the copies.
      for (const path of [folder, join(folder, "postgres")]) chmodSync(path, 0o755)
      await nothingIsLeft(postgresSubject(postgres, await postgres.newDatabase(), own), hook)
    })
  })
})
