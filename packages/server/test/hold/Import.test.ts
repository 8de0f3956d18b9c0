import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Event } from "@cairn/core/event"
import { FIRST_LEGACY_SEQUENCE } from "@cairn/core/log"
import { ordinaryEvents, wholeVerification } from "@cairn/testing"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import {
  cairn,
  cairnJson,
  killLeftovers,
  makeTenant,
  startCairn,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { chainOfSoundStore } from "../support/SoundStore.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const decodeTally = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      lines: Schema.Number,
      queued: Schema.Number,
      duplicates: Schema.Number,
      refused: Schema.Number,
      bad_addresses: Schema.Number,
      unknown_members: Schema.Number
    })
  )
)
const decodeVerification = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      valid: Schema.Boolean,
      events_checked: Schema.Number,
      breaks: Schema.Array(Schema.Record(Schema.String, Schema.String))
    })
  )
)

const lines = (items: ReadonlyArray<unknown>): string =>
  items.map((item) => `${typeof item === "string" ? item : JSON.stringify(item)}\n`).join("")

const sha256 = (...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 6962, section 2.1, word for word. */
const merkleRoot = (leaves: ReadonlyArray<Uint8Array>): Buffer => {
  const [only] = leaves
  if (only === undefined) return sha256("")
  if (leaves.length === 1) return sha256(Uint8Array.of(0), only)
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  return sha256(Uint8Array.of(1), merkleRoot(leaves.slice(0, half)), merkleRoot(leaves.slice(half)))
}

const count = (database: string): number => {
  const db = new DatabaseSync(database, { readOnly: true })
  try {
    return Number(db.prepare("SELECT count(*) AS n FROM event").get()?.n)
  } finally {
    db.close()
  }
}

const folder = temporaryFolder()
killLeftovers()

describe("cairn import", () => {
  it("says what it leaves out of events with unknown members, where they are a warning", async () => {
    const database = join(folder, "warn.db")
    await seedTenant(database)
    await cairn(["workspace", "update", "-w", "Test", "--unknown-fields", "warn"], { database })
    const file = join(folder, "warn.jsonl")
    const event = { actor_id: "a", action: "line.read" }
    writeFileSync(file, lines([{ ...event, tenantId: "t" }, event, { actor_id: "a", acton: "b" }]))
    const { stdout, stderr } = await cairn(["import", file, "--json"], { database })
    assert.deepInclude(decodeTally(stdout), { queued: 2, refused: 1, unknown_members: 1 })
    assert.include(stderr, "left out line 1: tenantId: is not known; did you mean `tenant_id`?")
    assert.match(
      stderr,
      /^refused line 3: .*acton is not known; did you mean `action`\?; action is required/m
    )
  })

  it("takes the good lines, refuses the bad ones by their number, and fails then", async () => {
    const database = join(folder, "bad-lines.db")
    await seedTenant(database)
    const file = join(folder, "bad-lines.jsonl")
    const event = { actor_id: "a", action: "line.read", idempotency_key: "first" }
    writeFileSync(
      file,
      lines([
        event,
        { client_ip: "10.0.0.1", body: { actor_id: "b", action: "line.read", idempotency_key: "wrapped" } },
        "{ not json",
        { actor_id: "c" },
        { client_ip: "not an address", body: { ...event, actor_id: "d", idempotency_key: "d" } },
        "[1, 2]",
        { client_ip: null, body: 7 },
        { ...event, idempotency_key: "last" },
        { ...event, actor_id: "again" },
        { actor_id: "cairn", action: "cairn.event.erased" },
        { client_ip: null, body: { actor_id: "cairn", action: "cairn.workspace.updated" } },
        { ...event, tennant_id: "t" },
        { clientip: "10.0.0.1", body: event },
        '{"actor_id":"a","action":"b","action":"c"}',
        '{"client_ip":null,"body":{"actor_id":"a","action":"b","metadata":{"n":9007199254740993}}}'
      ])
    )
    const { code, stdout, stderr } = await cairn(["import", file, "--json"], { database })
    assert.strictEqual(code, 2)
    assert.deepStrictEqual(decodeTally(stdout), {
      lines: 15,
      queued: 4,
      duplicates: 1,
      refused: 10,
      bad_addresses: 1,
      unknown_members: 0
    })
    const refusals = stderr.split("\n").filter((line) => line.startsWith("refused "))
    assert.deepStrictEqual(refusals.map((line) => line.split(":")[0]).sort(), [
      "refused line 10",
      "refused line 11",
      "refused line 12",
      "refused line 13",
      "refused line 14",
      "refused line 15",
      "refused line 3",
      "refused line 4",
      "refused line 6",
      "refused line 7"
    ])
    assert.isDefined(refusals.find((line) => line === "refused line 4: action is required"))
    assert.isDefined(
      refusals.find(
        (line) => line === "refused line 11: action must not begin with cairn., which is the service's own"
      )
    )
    assert.isDefined(
      refusals.find((line) => line === "refused line 12: tennant_id is not known; did you mean `tenant_id`?")
    )
    assert.strictEqual(count(database), 4 + 2)
    // A second time there is nothing new.
    const again = await cairn(["import", file, "--json"], { database })
    assert.deepStrictEqual(decodeTally(again.stdout), {
      lines: 15,
      queued: 0,
      duplicates: 5,
      refused: 10,
      bad_addresses: 1,
      unknown_members: 0
    })
    assert.strictEqual(count(database), 4 + 2)
  })

  it("reads standard input", async () => {
    const database = join(folder, "stdin.db")
    await seedTenant(database)
    const input = lines(ordinaryEvents(250, { seed: 1 }))
    assert.deepStrictEqual(await cairnJson(["import", "-"], { database, input }), {
      lines: 250,
      queued: 250,
      duplicates: 0,
      refused: 0,
      bad_addresses: 0,
      unknown_members: 0
    })
    assert.strictEqual(count(database), 250 + 2)
  })

  it("says which file it cannot read", async () => {
    const database = join(folder, "stdin.db")
    const { code, stderr } = await cairn(["import", join(folder, "none.jsonl")], { database })
    assert.strictEqual(code, 2)
    assert.include(stderr, "none.jsonl")
  })

  it("goes on where it was cut off, so that each event is there once", { timeout: 300_000 }, async () => {
    const database = join(folder, "cut-off.db")
    await seedTenant(database)
    const events = ordinaryEvents(20_000, { seed: 2, keyed: 1 })
    const file = join(folder, "cut-off.jsonl")
    writeFileSync(file, lines(events))
    const { child, ended } = startCairn(["import", file, "--json"], { database })
    await eventually("a part is imported", () => count(database) > 500 || undefined)
    child.kill("SIGKILL")
    assert.strictEqual((await ended).signal, "SIGKILL")
    assert.isBelow(count(database), events.length)

    const tally = decodeTally((await cairn(["import", file, "--json"], { database })).stdout)
    assert.isAtLeast(tally.duplicates, 500)
    assert.deepStrictEqual(tally, {
      lines: events.length,
      queued: events.length - tally.duplicates,
      duplicates: tally.duplicates,
      refused: 0,
      bad_addresses: 0,
      unknown_members: 0
    })
    assert.strictEqual(count(database), events.length + 2)
    const verification = chainOfSoundStore(await cairnJson(["verify"], { database }))
    assert.deepStrictEqual<object>(verification, wholeVerification(events.length + 2))
  })
})

describe("cairn import --unchained", () => {
  const database = join(folder, "history.db")
  const file = join(folder, "history.jsonl")
  const history = ordinaryEvents(130, { seed: 4, keyed: 1 })
  let tenant: Tenant
  let client: ApiClient
  /** Oldest first. */
  let events: ReadonlyArray<Event>

  const importHistory = () => cairn(["import", file, "--unchained", "--json"], { database })

  beforeAll(async () => {
    // Made by the command, nothing of the workspace is sequenced yet.
    tenant = await makeTenant("History", { database })
    writeFileSync(file, lines([...history.slice(0, 100), "{", ...history.slice(100)]))
  })

  it("brings history in before the chain, once, and refuses bad lines by their number", async () => {
    const first = await importHistory()
    assert.deepStrictEqual(decodeTally(first.stdout), {
      lines: 131,
      queued: 130,
      duplicates: 0,
      refused: 1,
      bad_addresses: 0,
      unknown_members: 0
    })
    assert.include(first.stderr, "refused line 101")
    assert.strictEqual(first.code, 2)
    const again = await importHistory()
    assert.deepStrictEqual(decodeTally(again.stdout), {
      lines: 131,
      queued: 0,
      duplicates: 130,
      refused: 1,
      bad_addresses: 0,
      unknown_members: 0
    })
    assert.strictEqual(count(database), 130)
  })

  it("shows it as events without hashes, before a chain whose first event commits to it", async () => {
    const server = await startServer({ database })
    client = apiClient(server.baseUrl, tenant.key)
    const { id } = await client.accept({ actor_id: "a", action: "after.history" })
    events = await eventually("the event is sequenced", async () => {
      const found = await client.list()
      return found.some((event) => event.id === id) ? [...found].reverse() : undefined
    })
    const legacy = events.slice(0, history.length)
    assert.deepStrictEqual(
      legacy.map(({ action, idempotency_key }) => [action, idempotency_key]),
      history.map(({ action, idempotency_key }) => [action, idempotency_key])
    )
    for (const { integrity } of legacy) {
      assert.deepStrictEqual(integrity, { event_hash: null, previous_event_hash: null })
    }
    const chained = events.slice(history.length)
    assert.deepStrictEqual(
      chained.map(({ action }) => action),
      ["cairn.chain.started", "cairn.workspace.created", "cairn.api_key.created", "after.history"]
    )
    assert.isNull(chained[0]?.integrity.previous_event_hash)
    // What is searched for is found in history too.
    const [old] = history
    const found = await client.list({ action: old?.action ?? "" })
    assert.strictEqual(found.length, history.filter(({ action }) => action === old?.action).length)
    assert.deepStrictEqual(await client.verify(), wholeVerification(4))
    await server.stop()
  })

  it("commits to the Merkle root over it", () => {
    const db = new DatabaseSync(database, { readOnly: true })
    const rows = db
      .prepare("SELECT id, salt, content, sequence FROM event WHERE sequence < 1 ORDER BY sequence")
      .all()
    db.close()
    const leaves = rows.map(({ id, salt, content, sequence }, index) => {
      assert.strictEqual(sequence, FIRST_LEGACY_SEQUENCE + index)
      const header = {
        content_hash: sha256(`cairn.content.v1\n${salt}\n${content}`).toString("hex"),
        created_at: events[index]?.created_at,
        id,
        previous_event_hash: null,
        sequence,
        v: 1,
        workspace_id: tenant.workspaceId
      }
      return sha256(`cairn.event.v1\n${JSON.stringify(header)}`)
    })
    assert.deepStrictEqual(events[history.length]?.metadata, {
      legacy_events: history.length,
      legacy_merkle_root: merkleRoot(leaves).toString("hex")
    })
  })

  it("is refused once the chain has begun", async () => {
    const { code, stdout, stderr } = await cairn(["import", "-", "--unchained", "--json"], {
      database,
      input: lines(ordinaryEvents(1, { seed: 9, keyed: 1 }))
    })
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.include(stderr, "the chain already has 4 events")
    assert.strictEqual(count(database), history.length + 4)
  })

  const tamperings = {
    "a changed":
      "UPDATE event SET content = replace(content, '\"action\":', '\"action\" :') WHERE sequence = :at",
    "a deleted": "DELETE FROM event WHERE sequence = :at",
    "a moved": "UPDATE event SET created_at = created_at + 1000000 WHERE sequence = :at"
  }
  for (const [name, sql] of Object.entries(tamperings)) {
    it(`${name} event of history is found`, async () => {
      const copy = join(folder, `${name}.db`)
      const db = new DatabaseSync(database)
      db.exec(`VACUUM INTO '${copy}'`)
      db.close()
      const tampered = new DatabaseSync(copy)
      for (const { name } of tampered
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .all()) {
        tampered.exec(`DROP TRIGGER ${name}`)
      }
      const { changes } = tampered.prepare(sql).run({ at: FIRST_LEGACY_SEQUENCE + 41 })
      assert.strictEqual(Number(changes), 1)
      tampered.close()

      const { code, stdout } = await cairn(["verify", "--json"], { database: copy })
      assert.strictEqual(code, 1)
      const { valid, breaks } = decodeVerification(stdout)
      assert.isFalse(valid)
      assert.deepStrictEqual(
        breaks.map(({ type, event_id, actual_hash }) => [type, event_id, actual_hash]),
        [["chain_break", events[history.length]?.id, events[history.length]?.metadata?.legacy_merkle_root]]
      )
      assert.match(breaks[0]?.expected_hash ?? "", /^[0-9a-f]{64}$/)
      assert.notStrictEqual(breaks[0]?.expected_hash, breaks[0]?.actual_hash)
    })
  }
})
