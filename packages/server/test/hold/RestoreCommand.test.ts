import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const decodeResult = Schema.decodeUnknownSync(
  Schema.Struct({
    restored: Schema.Boolean,
    replaced: Schema.NullOr(Schema.String),
    events: Schema.Number,
    checkpoints: Schema.Array(Schema.Struct({ size: Schema.Number, finding: Schema.Null })),
    losses: Schema.Array(
      Schema.Struct({
        events_now: Schema.Number,
        events_in_backup: Schema.NullOr(Schema.Number),
        events_lost: Schema.Number
      })
    )
  })
)

const original = join(folder, "original", "cairn.db")
const backup = join(folder, "backup", "cairn.db")
let key = ""

const inFile = <A>(database: string, use: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(database)
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/**
 * A log with a signed checkpoint, beside a session and a link; a backup of it; and one event more, with the
 * session ended and the link spent.
 */
beforeAll(async () => {
  const tenant = await makeTenant("Acme", { database: original })
  key = tenant.key
  const server = await startServer({ database: original })
  const client = apiClient(server.baseUrl, key)
  const event = (idempotency_key: string) => ({ actor_id: "a", action: "thing.done", idempotency_key })
  const length = async () => (await client.verify()).events_checked
  const grow = async (name: string) => {
    const before = await length()
    await client.accept(event(name))
    await eventually("it is in the log", async () => (await length()) > before || undefined)
  }
  await grow("one")
  assert.strictEqual((await client.get("/checkpoint")).status, 200)
  inFile(original, (db) => {
    db.exec("INSERT INTO person VALUES ('per_1', 'ada@example.com', 'ada@example.com', 1)")
    db.exec("INSERT INTO session VALUES ('ses_1', 'per_1', 'hash', 'mail', NULL, NULL, 1, NULL, 1e16, NULL)")
    db.exec("INSERT INTO session_entry VALUES ('ses_1', 'wsp_1', 'mem_1', 1, NULL)")
    db.exec(
      "INSERT INTO sign_in_link VALUES ('hash', 'mail', 'ada@example.com', 'ada@example.com', NULL, NULL, 1, 1e16, NULL)"
    )
  })
  await cairnJson(["backup", backup], { database: original })
  inFile(original, (db) => db.exec("UPDATE session SET ended_at = 2; UPDATE sign_in_link SET spent_at = 2"))
  await grow("two")
  await server.stop()
}, 120_000)

const copyOf = (name: string): string => {
  cpSync(dirname(original), join(folder, name), { recursive: true })
  return join(folder, name, "cairn.db")
}

const countIn = (database: string, table: string): number =>
  inFile(database, (db) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n))

const eventsIn = (database: string): number => countIn(database, "event")

const namesIn = (database: string) =>
  readdirSync(dirname(database)).filter((name) => !/-(wal|shm)$/.test(name))

describe("cairn restore", () => {
  it("tells what would be lost, replaces only when told to, and keeps what was there", {
    timeout: 120_000
  }, async () => {
    const database = copyOf("replaced")
    const [now, then] = [eventsIn(database), eventsIn(backup)]
    assert.isAbove(now, then)
    const names = namesIn(database)

    const looked = decodeResult(await cairnJson(["restore", backup, "--dry-run"], { database }))
    assert.isFalse(looked.restored)
    assert.lengthOf(looked.checkpoints, 1)
    assert.deepStrictEqual(looked.losses, [
      { events_now: now, events_in_backup: then, events_lost: now - then }
    ])
    const refused = await cairn(["restore", backup], { database })
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stdout, `${now - then} would be lost`)
    assert.include(refused.stderr, "--replace")
    assert.strictEqual(eventsIn(database), now)
    assert.sameMembers(namesIn(database), names)

    const { replaced, restored } = decodeResult(
      await cairnJson(["restore", backup, "--replace"], { database })
    )
    assert.isTrue(restored)
    assert.strictEqual(eventsIn(database), then)
    assert.sameMembers(namesIn(database), [...names, basename(replaced ?? "")])
    assert.strictEqual(eventsIn(join(replaced ?? "", "cairn.db")), now)
    for (const file of [database, siblingFile(database, "inbox"), join(replaced ?? "", "cairn.db")])
      assert.strictEqual(statSync(file).mode & 0o077, 0, file)
    assert.strictEqual(statSync(replaced ?? "").mode & 0o077, 0)
    // What was ended and spent since is not valid again.
    assert.deepStrictEqual(
      ["person", "session", "session_entry", "sign_in_link"].map((table) => countIn(database, table)),
      [1, 0, 0, 0]
    )
    assert.strictEqual(countIn(backup, "session"), 1)

    // What may have been signed of the lost events is not signed anew.
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    assert.strictEqual((await client.get("/checkpoint")).status, 503)
    await server.stop()
    assert.strictEqual((await cairn(["recover"], { database })).code, 1)
  })

  it("makes a database where there is none, and refuses one that a server has open", {
    timeout: 120_000
  }, async () => {
    const database = join(folder, "empty", "cairn.db")
    const { restored, replaced } = decodeResult(await cairnJson(["restore", backup], { database }))
    assert.isTrue(restored)
    assert.isNull(replaced)
    cpSync(join(dirname(original), "cairn-secret.key"), join(dirname(database), "cairn-secret.key"))
    const server = await startServer({ database })
    assert.isTrue((await apiClient(server.baseUrl, key).verify()).valid)
    const refused = await cairn(["restore", backup, "--replace", "--json"], { database })
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "in use")
    await server.stop()
  })

  it.each([
    [
      "a page is overwritten",
      (file: string) => {
        const bytes = readFileSync(file)
        bytes.fill(0x5a, 4096 * 3, 4096 * 4)
        writeFileSync(file, bytes)
      },
      1
    ],
    [
      "an event was changed",
      (file: string) => {
        const db = new DatabaseSync(file)
        db.exec("DROP TRIGGER IF EXISTS event_no_update")
        for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
          db.exec(`DROP TRIGGER ${String(name)}`)
        db.exec("UPDATE event SET content = replace(content, 'thing.done', 'thing.gone')")
        db.close()
      },
      1
    ],
    [
      "a checkpoint is signed by nobody",
      (file: string) => {
        const db = new DatabaseSync(file)
        db.exec("UPDATE checkpoint_key SET public_key = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='")
        db.close()
      },
      1
    ],
    ["it is not there", () => {}, 2]
  ] as const)("changes nothing when %s", { timeout: 60_000 }, async (name, spoil, code) => {
    const spoilt = join(folder, `backup ${name}`, "cairn.db")
    if (code === 1) {
      cpSync(dirname(backup), dirname(spoilt), { recursive: true })
      spoil(spoilt)
    }
    const database = copyOf(`against ${name}`)
    const names = namesIn(database)
    const result = await cairn(["restore", spoilt, "--replace"], { database })
    assert.strictEqual(result.code, code, result.stderr)
    if (code === 1) assert.include(result.stderr, "nothing was changed")
    assert.sameMembers(namesIn(database), names)
    assert.strictEqual(eventsIn(database), eventsIn(original))
  })

  it("is finished by the next one when it was killed between two files, and nobody opens it before", {
    timeout: 120_000
  }, async () => {
    const database = copyOf("killed")
    const place = dirname(database)
    // As it is left after the first of four files.
    const stage = join(place, ".cairn.db.restore-here-1-0123abcd")
    const aside = join(place, "cairn.db.replaced-then")
    cpSync(dirname(backup), stage, { recursive: true })
    mkdirSync(aside)
    for (const [from, to] of [
      [siblingFile(database, "search"), join(aside, "cairn-search.db")],
      [join(stage, "cairn-search.db"), siblingFile(database, "search")]
    ] as const)
      assert.strictEqual(spawnSync("mv", [from, to]).status, 0)
    writeFileSync(
      `${database}.restore`,
      JSON.stringify({ backup, from: basename(stage), aside: basename(aside) })
    )
    for (const args of [["verify"], ["serve"], ["backup", join(folder, "never.db")]]) {
      const { code, stderr } = await cairn(args, { database })
      assert.strictEqual(code, 4, args.join(" "))
      assert.match(stderr, /^cairn: .*was interrupted: run cairn restore again.*\n$/)
    }
    const { code, stdout } = await cairn(["restore", backup, "--replace"], { database })
    assert.strictEqual(code, 0)
    assert.include(stdout, "was finished")
    assert.isFalse(existsSync(stage))
    assert.isFalse(existsSync(`${database}.restore`))
    assert.strictEqual(eventsIn(database), eventsIn(backup))
    assert.strictEqual(eventsIn(join(aside, "cairn.db")), eventsIn(original))
    assert.strictEqual((await cairn(["verify"], { database })).code, 0)
  })

  it("says that a PostgreSQL which is not there cannot be reached", { timeout: 60_000 }, async () => {
    const { code, stderr } = await cairn(["restore", backup], { database: "postgres://c@127.0.0.1:1/c" })
    assert.strictEqual(code, 4, stderr)
    assert.match(stderr, /^cairn: .*127\.0\.0\.1/m)
  })
})
