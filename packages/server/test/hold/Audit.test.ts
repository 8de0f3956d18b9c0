import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { Acceptance, Sequencer } from "@cairn/core/log"
import { eventIdBytes, keyHash } from "@cairn/storage-sql"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { OWN_SUBJECTS } from "../../src/audit/OwnRecord.ts"
import { layerAccepting } from "../../src/layers/Accepting.ts"
import { layerLog } from "../../src/layers/Log.ts"
import { readDatabase } from "../../src/settings/Database.ts"
import { cairn, cairnJson, makeTenant } from "../support/CairnProcess.ts"
import { DATABASES, type TestDatabase, testDatabases } from "../support/TestDatabase.ts"

const Finding = Schema.Struct({ event_id: Schema.String, action: Schema.String, reason: Schema.String })
const decodeAudit = Schema.decodeUnknownSync(
  Schema.Struct({
    valid: Schema.Literal(true),
    audit: Schema.Struct({
      stray_keys: Schema.Array(Schema.Struct({ key_hash: Schema.String, event_id: Schema.String })),
      foreign_records: Schema.Array(Finding),
      retention_by_keys: Schema.Array(Finding)
    })
  })
)

/** Accepts events as they were accepted when the prefix was open to clients. */
const acceptAsOnce = (
  database: string,
  workspaceId: string,
  bodies: ReadonlyArray<{ readonly action: string; readonly [field: string]: unknown }>
) => {
  const found = readDatabase(database.includes("://") ? database : `sqlite:${database}`)
  if (found === undefined) throw new Error(database)
  const settings = {
    database: found,
    inboxCapacity: 1_000,
    connections: 4,
    geoipFiles: [],
    retentionDelayDays: 7
  }
  const context = { workspaceId, clientAddress: null, keysExpireBefore: null }
  return Effect.runPromise(
    Effect.gen(function* () {
      const { own, one } = yield* Acceptance
      const ids = yield* Effect.forEach(bodies, (body) =>
        (body.action.startsWith("cairn.") ? own : one)(context, body)
      )
      yield* (yield* Sequencer).drain
      return ids.map(({ id }) => id)
    }).pipe(Effect.provide(Layer.merge(layerAccepting(settings), layerLog(settings))))
  )
}

const strayId = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`

/** Gives keys to events that are nowhere. */
const plantKeys = async ({ database, run, rows }: TestDatabase, workspaceId: string, count: number) => {
  const [row] = await rows(`SELECT number FROM workspace WHERE id = '${workspaceId}'`)
  const literal = (bytes: Uint8Array) =>
    `${database.includes("://") ? "'\\x" : "x'"}${Buffer.from(bytes).toString("hex")}'`
  const statements = Array.from({ length: count }, (_, at) => {
    const bytes = [keyHash(`stray ${at}`), eventIdBytes(strayId(at))].map(literal)
    return `INSERT INTO idempotency_key (workspace, hash, event_id, accepted_at) VALUES (${row?.number}, ${bytes.join()}, 1700000000000000)`
  })
  if (database.includes("://")) return run(...statements)
  const db = new DatabaseSync(siblingFile(database, "inbox"))
  db.exec(`BEGIN; ${statements.join("; ")}; COMMIT`)
  db.close()
}

for (const kind of DATABASES) {
  describe(`cairn verify --audit on ${kind}`, { timeout: 240_000 }, () => {
    const { newDatabase } = testDatabases(kind)

    it("lists nothing of a log that only the service and honest clients wrote to", async () => {
      const { database } = await newDatabase()
      const { workspaceId, keyId } = await makeTenant("Acme", { database })
      await cairnJson(["workspace", "update", "Acme", "--plan", "pro"], { database })
      await acceptAsOnce(database, workspaceId, [
        { actor_id: "ada", action: "document.created", idempotency_key: "held" },
        // A change that was made over HTTP.
        {
          actor_id: keyId,
          actor_type: "api_key",
          action: "cairn.webhook.created",
          action_category: "cairn",
          resource: "webhook",
          resource_id: "whk_1",
          metadata: { url: "https://example.com" }
        }
      ])
      const { code, stdout } = await cairn(["verify", "--audit"], { database })
      assert.strictEqual(code, 0, stdout)
      assert.match(stdout, /^audit: nothing found$/m)
      assert.deepStrictEqual(decodeAudit(await cairnJson(["verify", "--audit"], { database })).audit, {
        stray_keys: [],
        foreign_records: [],
        retention_by_keys: []
      })
    })

    it("lists keys whose events are nowhere, records that clients wrote, and retention by API keys", async () => {
      const testDatabase = await newDatabase()
      const { database } = testDatabase
      const { workspaceId, keyId } = await makeTenant("Acme", { database })
      const own = {
        actor_id: keyId,
        actor_type: "api_key",
        action: "cairn.workspace.updated",
        action_category: "cairn",
        resource: "workspace",
        resource_id: workspaceId
      }
      const foreign = [
        { actor_id: "mallory", action: "cairn.workspace.updated" },
        { ...own, action: "cairn.anything.goes", metadata: {} },
        { ...own, actor_id: "key_of_nobody", metadata: {} },
        { ...own, actor_type: "user", metadata: {} },
        { ...own, metadata: {}, idempotency_key: "mine" },
        { ...own, metadata: {}, targets: [{ type: "a", id: "b" }] },
        { ...own, metadata: {}, resource: "document" }
      ]
      const changed = { overrides: { from: {}, to: { retention_days: 0 } } }
      const byKey = [{ ...own, metadata: { changed } }]
      const ids = await acceptAsOnce(database, workspaceId, [...foreign, ...byKey])
      await plantKeys(testDatabase, workspaceId, 2_100)

      const result = await cairn(["verify", "--audit", "--json"], { database })
      assert.strictEqual(result.code, 3, result.stderr)
      const { audit } = decodeAudit(JSON.parse(result.stdout))
      assert.deepStrictEqual(
        audit.foreign_records.map(({ event_id }) => event_id),
        ids.slice(0, foreign.length)
      )
      assert.deepStrictEqual(
        audit.retention_by_keys.map(({ event_id }) => event_id),
        ids.slice(foreign.length)
      )
      const planted = Array.from({ length: 2_100 }, (_, at) => ({
        key_hash: createHash("sha256").update(`stray ${at}`).digest("hex").slice(0, 32),
        event_id: strayId(at)
      }))
      assert.sameDeepMembers(
        audit.stray_keys.map(({ key_hash, event_id }) => ({ key_hash, event_id })),
        planted
      )

      const text = await cairn(["verify", "--audit"], { database })
      assert.strictEqual(text.code, 3)
      assert.match(text.stdout, /idempotency keys whose events are nowhere: 2100/)
      assert.match(text.stdout, /not the service's own: 7/)
      assert.match(text.stdout, /retention and limits changed by API keys: 1/)
      assert.strictEqual(
        (await cairn(["verify"], { database })).code,
        0,
        "without --audit nothing is looked for"
      )
    })
  })
}

describe("the service's own actions", () => {
  it("are all known to the audit", () => {
    const packages = fileURLToPath(new URL("../../../", import.meta.url))
    const sources = ["core/src", "server/src", "delivery/src"].flatMap((folder) =>
      readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(packages, folder, name), "utf8"))
    )
    const actions = sources.flatMap((text) =>
      Array.from(text.matchAll(/action:[^\n]*["`]cairn\.([a-z_]+)\./g), ([, subject]) => subject ?? "")
    )
    assert.isAbove(actions.length, 15)
    assert.deepStrictEqual(
      actions.filter((subject) => !OWN_SUBJECTS.has(subject)),
      []
    )
  })
})
