/**
 * A key that does not open what is sealed stops whoever would write with it; none is made where one is
 * missing.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { inspectSecrets, type SealedKind, sealedSecrets } from "@cairn/core/management"
import { secretKeyId } from "@cairn/storage-sql"
import { secretKeyFile, siblingFile } from "@cairn/storage-sqlite"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { layerStorage } from "../../src/layers/Storage.ts"
import { layerSecrets } from "../../src/secret/SecretKeys.ts"
import { apiClient } from "../support/ApiClient.ts"
import {
  cairn,
  cairnJson,
  killLeftovers,
  makeTenant,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()
const folder = temporaryFolder()

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64")
const idOf = (key: string): string => secretKeyId(Buffer.from(key, "base64"))

/** Seals one secret of every kind by the server itself. */
const sealAll = async (database: string, tenant: Tenant, variables: Record<string, string> = {}) => {
  const server = await startServer({ database, variables })
  const client = apiClient(server.baseUrl, tenant.key)
  await client.accept({ actor_id: "ada", action: "a.b" })
  assert.strictEqual((await client.get("/checkpoint")).status, 200)
  for (const [path, body] of [
    ["webhooks", { url: "https://hooks.example.com/" }],
    [
      "log-streams",
      { name: "SIEM", destination: { type: "splunk_hec", url: "https://splunk.example.com", token: "t" } }
    ],
    ["viewer-token", {}]
  ] as const) {
    const { status } = await client.request("POST", `/api/v1/${path}`, body)
    assert.include([200, 201], status, path)
  }
  await server.stop()
}

const EVERY_KIND: ReadonlyArray<SealedKind> = [
  "webhook secret",
  "log stream secret",
  "viewer key",
  "checkpoint key"
]

const COMMANDS: ReadonlyArray<ReadonlyArray<string>> = [
  ["serve"],
  ["serve", "--demo"],
  ["serve", "--role", "worker"],
  ["checkpoint-key", "show"],
  ["checkpoint-key", "rotate"],
  ["viewer-key", "rotate", "--yes"],
  ["evidence"],
  ["secret", "rotate"]
]

describe("a key file that leads nowhere", () => {
  it("is named, and nothing starts beside a new database", { timeout: 120_000 }, async () => {
    const database = join(folder, "nowhere", "cairn.db")
    const [file, missing] = [secretKeyFile(database), join(folder, "not there", "key")]
    mkdirSync(dirname(file))
    symlinkSync(missing, file)
    for (const args of [["serve"], ["checkpoint-key", "rotate"]]) {
      const { code, stdout, stderr } = await cairn(args, { database, variables: { CAIRN_PORT: "0" } })
      assert.strictEqual(code, 78, `${args.join(" ")}: ${stdout}${stderr}`)
      assert.include(stderr, file)
    }
    assert.strictEqual(readlinkSync(file), missing)
    assert.isFalse(existsSync(missing))
  })
})

describe("a SQLite database whose key is not there", () => {
  const database = join(folder, "lost.db")
  const file = secretKeyFile(database)
  let key = ""
  beforeAll(async () => {
    await sealAll(database, await seedTenant(database))
    key = readFileSync(file, "utf8").trim()
  })

  /** Runs a command that must fail, and returns its output. */
  const refused = async (args: ReadonlyArray<string>, variables: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await cairn(args, {
      database,
      variables: { CAIRN_PORT: "0", ...variables }
    })
    assert.strictEqual(code, 78, `${args.join(" ")}: ${stdout}${stderr}`)
    for (const secret of [key, keyOf(9)]) assert.notInclude(stdout + stderr, secret)
    return stderr
  }

  it("starts nothing that would seal or open, names the key and its file, and no other is made", {
    timeout: 120_000
  }, async () => {
    rmSync(file)
    for (const args of COMMANDS) {
      const said = await refused(args)
      assert.include(said, `needs the secret key ${idOf(key)}`, args.join(" "))
      for (const kind of EVERY_KIND) assert.include(said, `1 ${kind}`)
      assert.include(said, `put the file ${file} back`)
      assert.isFalse(existsSync(file), args.join(" "))
    }
    writeFileSync(file, `${key}\n`)
    const server = await startServer({ database })
    await server.stop()
  })

  it("is not opened with another, and what is in the file is asked for", { timeout: 120_000 }, async () => {
    const said = await refused(["serve"], { CAIRN_SECRET_KEY: keyOf(9) })
    assert.include(said, `the keys that are here are ${idOf(keyOf(9))}`)
    assert.include(said, `that of ${idOf(key)} is in ${file}: add it after a comma`)
    rmSync(file)
    assert.include(
      await refused(["serve"], { CAIRN_SECRET_KEY: keyOf(9) }),
      `put the file ${file} back, or add it`
    )
    writeFileSync(file, keyOf(9))
    assert.include(await refused(["serve"]), `needs the secret key ${idOf(key)}`)
    writeFileSync(file, key)
  })

  it("is refused while a rotation is half done and the older key was taken away", {
    timeout: 120_000
  }, async () => {
    const anew = keyOf(7)
    const db = new DatabaseSync(database)
    const before = db.prepare("SELECT id, body FROM webhook").all()
    db.close()
    await cairnJson(["secret", "rotate"], { database, variables: { CAIRN_SECRET_KEY: `${anew},${key}` } })
    // As if it had ended before the webhooks.
    const back = new DatabaseSync(database)
    for (const { id, body } of before)
      back.prepare("UPDATE webhook SET body = ? WHERE id = ?").run(body ?? "", id ?? "")
    back.close()
    const said = await refused(["serve"], { CAIRN_SECRET_KEY: anew })
    assert.include(said, `needs the secret key ${idOf(key)}, which sealed 1 webhook secret;`)
    assert.include(await refused(["serve"]), `needs the secret key ${idOf(anew)}`)
    const both = { database, variables: { CAIRN_SECRET_KEY: `${anew},${key}` } }
    assert.deepStrictEqual(await cairnJson(["secret", "rotate"], both), { resealed: 1, current: 3 })
    const server = await startServer({ database, variables: { CAIRN_SECRET_KEY: anew } })
    await server.stop()
    await cairnJson(["secret", "rotate"], { database, variables: { CAIRN_SECRET_KEY: `${key},${anew}` } })
  })

  it("is not given another key where the file holds none or cannot be read", {
    timeout: 120_000
  }, async () => {
    for (const text of ["", "\n", "short", `${key}${key}`, key.slice(4)]) {
      writeFileSync(file, text)
      assert.include(await refused(["serve"]), `the file ${file}`)
      assert.strictEqual(readFileSync(file, "utf8"), text)
    }
    rmSync(file)
    mkdirSync(file)
    assert.match(await refused(["serve"]), /secret\.key is "EISDIR"/)
    rmSync(file, { recursive: true })
    writeFileSync(file, key)
    if (process.getuid?.() !== 0) {
      chmodSync(file, 0)
      assert.match(await refused(["serve"]), /secret\.key is "EACCES"/)
      chmodSync(file, 0o600)
    }
  })

  it("is told of one that was made anew beside a key file", { timeout: 120_000 }, async () => {
    const fresh = join(folder, "moved.db")
    writeFileSync(secretKeyFile(fresh), key)
    const server = await startServer({ database: fresh })
    await server.stop()
    assert.include(server.stderr(), "There is a key file and no database beside it")
  })

  it("has nothing sealed that is not looked at", async () => {
    const ports = layerStorage({
      database: { kind: "sqlite", filename: database },
      inboxCapacity: 100,
      connections: 3
    })
    const listed = await Effect.runPromise(Effect.provide(sealedSecrets, ports))
    assert.sameMembers(Array.from(new Set(listed.map(({ kind }) => kind))), [...EVERY_KIND])
    const found = new Set<string>()
    for (const name of [
      database,
      ...["inbox", "consumers", "search"].map((each) => siblingFile(database, each))
    ]) {
      const db = new DatabaseSync(name)
      const tables = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
        .all()
      for (const { name: table } of tables) {
        const rows = JSON.stringify(
          db.prepare(`SELECT * FROM "${String(table)}"`).all(),
          (_, value: unknown) => (value instanceof Uint8Array ? null : value)
        )
        for (const [text] of rows.matchAll(/v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{38,}/g)) found.add(text)
      }
      db.close()
    }
    assert.sameMembers(
      Array.from(found),
      listed.map(({ sealed }) => sealed)
    )
    const layer = Layer.merge(ports, layerSecrets([keyOf(9)]))
    const { missing } = await Effect.runPromise(Effect.provide(inspectSecrets, layer))
    assert.deepStrictEqual(
      missing.map(({ keyId, secrets }) => [keyId, Object.fromEntries(secrets)]),
      [[idOf(key), Object.fromEntries(EVERY_KIND.map((kind) => [kind, 1]))]]
    )
  })
})

const decodeReady = Schema.decodeUnknownSync(Schema.Struct({ message: Schema.optionalKey(Schema.String) }))

// The service looks for such a key at long intervals: both databases wait at once.
describe.concurrent.each(DATABASES)("two processes with different keys on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)
  const servers: Array<Awaited<ReturnType<typeof startServer>>> = []
  afterAll(() => Promise.all(servers.map((server) => server.kill())))

  it("are ready until one has sealed what the other cannot open, and no third one starts", {
    timeout: 180_000
  }, async () => {
    const { database } = await newDatabase()
    const [one, other] = [keyOf(1), keyOf(2)]
    const tenant = await makeTenant("Two keys", { database, variables: { CAIRN_SECRET_KEY: one } })
    const start = async (key: string) => {
      const server = await startServer({ database, variables: { CAIRN_SECRET_KEY: key } })
      servers.push(server)
      return server
    }
    const [first, second] = [await start(one), await start(other)]
    const ready = async ({ baseUrl }: { readonly baseUrl: string }) => {
      const response = await fetch(`${baseUrl}/readyz`)
      return { status: response.status, ...decodeReady(await response.json()) }
    }
    for (const server of [first, second]) assert.strictEqual((await ready(server)).status, 200)
    const client = apiClient(second.baseUrl, tenant.key)
    const made = await client.request("POST", "/api/v1/webhooks", { url: "https://hooks.example.com/" })
    assert.strictEqual(made.status, 201)
    const said = await eventually(
      "the first is not ready",
      async () => {
        const answer = await ready(first)
        return answer.status === 503 ? answer : undefined
      },
      120_000
    )
    assert.include(said.message ?? "", idOf(other))
    assert.strictEqual((await ready(second)).status, 200)
    const third = await cairn(["serve"], { database, variables: { CAIRN_SECRET_KEY: one, CAIRN_PORT: "0" } })
    assert.strictEqual(third.code, 78)
    assert.include(third.stderr, `needs the secret key ${idOf(other)}, which sealed 1 webhook secret;`)
    if (kind === "PostgreSQL") {
      const none = await cairn(["serve"], { database, variables: { CAIRN_SECRET_KEY: "", CAIRN_PORT: "0" } })
      assert.strictEqual(none.code, 78)
      assert.include(none.stderr, `needs the secret key ${idOf(other)}`)
      assert.include(none.stderr, "set CAIRN_SECRET_KEY to it")
    }
  })
})
