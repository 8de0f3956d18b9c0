import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { siblingFile } from "@cairn/storage-sqlite"
import { type SeededRandom, seededRandom, wholeVerification } from "@cairn/testing"
import { bundleProgram } from "@cairn/testing/BundledProgram"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, startNode, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedDatabase } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const SOURCE = fileURLToPath(new URL("../support/AcceptLoop.ts", import.meta.url))

/** Crashes of the storage part, and of the whole server, in each of two databases: fifty together. */
const STORAGE_ROUNDS = 22
const SERVER_ROUNDS = 3
const CLIENTS = 8
/** Workspaces of each database: an append has events of several. */
const WORKSPACES = 4
/** Events that are acknowledged before a crash, at most: counted, so that a slow machine does as many. */
const STORAGE_EVENTS = 120
const SERVER_EVENTS = 400

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Runs the storage part and kills it at a random time; returns the ids that it acknowledged. */
const crashStorage = async (
  script: string,
  database: string,
  tenants: ReadonlyArray<Tenant>,
  run: string,
  random: SeededRandom
): Promise<ReadonlyArray<string>> => {
  const workspaces = tenants.map(({ workspaceId }) => workspaceId).join()
  const { child, stdout, stderr, ended } = startNode([script, database, workspaces, run])
  if (random.chance(0.1)) {
    // Somewhere in the start, where it may be recovering from the crash before.
    await pause(random.below(600))
  } else {
    const count = 1 + random.below(STORAGE_EVENTS)
    const accepted = () => stdout().split(/\s+/).length > count || undefined
    await eventually(`${count} events are accepted in run ${run}: ${stderr()}`, accepted)
  }
  child.kill("SIGKILL")
  const { signal } = await ended
  assert.strictEqual(signal, "SIGKILL", stderr())
  // A line that the crash cut off says nothing.
  const complete = stdout().slice(0, stdout().lastIndexOf("\n") + 1)
  return complete.split(/\s+/).filter((id) => id !== "")
}

/** The same with the whole server and clients over HTTP. */
const crashServer = async (
  database: string,
  tenants: ReadonlyArray<Tenant>,
  run: string,
  random: SeededRandom
): Promise<ReadonlyArray<string>> => {
  const server = await startServer({ database })
  const acknowledged: Array<string> = []
  let isKilled = false
  const send = async (number: number) => {
    const client = apiClient(server.baseUrl, tenants[number % tenants.length]?.key ?? "")
    for (let count = 0; !isKilled; count++) {
      const isBatch = (count + number) % 3 === 0
      const session = `${run}-${number}-${count}-${isBatch ? 4 : 1}`
      const event = { actor_id: "load", action: "load.generated", session_id: session }
      try {
        const items = isBatch
          ? await client.acceptBatch([event, event, event, event])
          : [await client.accept(event)]
        acknowledged.push(...items.map(({ id }) => id ?? "refused"))
      } catch (error) {
        if (!isKilled) throw error
      }
    }
  }
  const crash = async () => {
    const count = 1 + random.below(SERVER_EVENTS)
    await eventually(`${count} events are accepted`, () => acknowledged.length >= count || undefined)
    isKilled = true
    assert.strictEqual((await server.kill()).signal, "SIGKILL")
  }
  await Promise.all([crash(), ...Array.from({ length: CLIENTS }, (_, number) => send(number))])
  return acknowledged
}

const decodeRows = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      workspace: Schema.Number,
      id: Schema.String,
      created_at: Schema.Number,
      session_id: Schema.NullOr(Schema.String)
    })
  )
)

const read = <A>(file: string, ask: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return ask(db)
  } finally {
    db.close()
  }
}

/** Every file is whole, and nothing is left in the inbox. */
const expectWholeFiles = (database: string) => {
  for (const file of [database, siblingFile(database, "inbox"), siblingFile(database, "search")]) {
    const result = read(file, (db) => db.prepare("PRAGMA integrity_check").all())
    assert.deepStrictEqual(
      result.map((row) => row.integrity_check),
      ["ok"],
      file
    )
  }
  const { parked, inbox, waiting } = read(
    siblingFile(database, "inbox"),
    (db) =>
      db
        .prepare(
          "SELECT (SELECT count(*) FROM parked) parked, (SELECT count(*) FROM inbox) inbox, (SELECT waiting FROM state) waiting"
        )
        .get() ?? {}
  )
  assert.deepStrictEqual({ parked, inbox, waiting }, { parked: 0, inbox: 0, waiting: 0 })
}

/** Each request is there as a whole, its events side by side and 1 µs apart, or not at all. */
const expectWholeRequests = (rows: ReturnType<typeof decodeRows>) => {
  const places = new Map<string, Array<number>>()
  assert.isTrue(rows.some(({ session_id }) => session_id !== null))
  for (const [place, { session_id }] of rows.entries()) {
    if (session_id !== null) places.set(session_id, [...(places.get(session_id) ?? []), place])
  }
  for (const [session, [first = 0, ...others]] of places) {
    assert.strictEqual(others.length + 1, Number(session.split("-").at(-1)), session)
    for (const [index, place] of others.entries()) {
      assert.strictEqual(place, first + index + 1)
      assert.strictEqual(rows[place]?.created_at, (rows[first]?.created_at ?? 0) + index + 1)
    }
  }
}

const drained = (database: string) =>
  eventually("the inbox is empty", () => {
    const left = read(
      siblingFile(database, "inbox"),
      (db) => db.prepare("SELECT count(*) n FROM inbox").get()?.n
    )
    return left === 0 || undefined
  })

const crashAll = async (script: string, name: string, folder: string, seed: number) => {
  const random = seededRandom(seed)
  const database = join(folder, `${name}.db`)
  const seeds = Array.from({ length: WORKSPACES }, (_, index) => ({ name: `Test ${index}` }))
  const tenants = await seedDatabase(database, seeds)
  const acknowledged: Array<string> = []
  for (let round = 0; round < STORAGE_ROUNDS; round++) {
    const run = `${name}${round}`
    acknowledged.push(...(await crashStorage(script, database, tenants, run, random)))
  }
  for (let round = 0; round < SERVER_ROUNDS; round++) {
    acknowledged.push(...(await crashServer(database, tenants, `${name}s${round}`, random)))
  }

  const server = await startServer({ database })
  await drained(database)
  const verifications = await Promise.all(tenants.map(({ key }) => apiClient(server.baseUrl, key).verify()))
  assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
  expectWholeFiles(database)
  const rows = decodeRows(
    read(database, (db) =>
      db
        .prepare(
          `SELECT workspace, id, created_at, json_extract(content, '$.session_id') AS session_id FROM event
           ORDER BY workspace, sequence`
        )
        .all()
    )
  )
  const logs = Map.groupBy(rows, ({ workspace }) => workspace)
  assert.strictEqual(logs.size, WORKSPACES)
  assert.deepStrictEqual(
    verifications,
    Array.from(logs.values(), ({ length }) => wholeVerification(length))
  )
  const times = new Map<string, number>()
  for (const { id } of rows) times.set(id, (times.get(id) ?? 0) + 1)
  assert.deepStrictEqual(
    acknowledged.filter((id) => times.get(id) !== 1),
    []
  )
  assert.strictEqual(new Set(acknowledged).size, acknowledged.length)
  assert.isAbove(acknowledged.length, 1_000)
  for (const log of logs.values()) expectWholeRequests(log)
}

describe("kill -9 under load, fifty times", () => {
  const folder = temporaryFolder()
  killLeftovers()
  let script = ""

  beforeAll(async () => {
    // In one file it starts four times as fast, and it starts often.
    script = await bundleProgram(SOURCE, folder)
  })

  it(
    "leaves every acknowledged event in the log exactly once, and nothing half written",
    {
      timeout: 300_000
    },
    () =>
      seededTrial(import.meta.url, async (seed) => {
        await Promise.all([crashAll(script, "a", folder, seed), crashAll(script, "b", folder, seed + 1)])
      })
  )
})
