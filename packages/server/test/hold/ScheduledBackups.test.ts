import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  cairn,
  cairnJson,
  killLeftovers,
  loggedErrors,
  startCairn,
  startServer
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { scrapedValue } from "../support/ScrapedMetrics.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const TOKEN = "0123456789abcdef0123456789abcdef"

const decodeList = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      state: Schema.String,
      findings: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
)

const decodeMade = Schema.decodeUnknownSync(
  Schema.Struct({
    name: Schema.String,
    holds: Schema.Boolean,
    events: Schema.Number,
    spoiled: Schema.Array(Schema.Struct({ name: Schema.String, findings: Schema.Array(Schema.String) })),
    removed: Schema.Array(Schema.String)
  })
)

/** A database with a store of its own. */
const newPlace = async (name: string, variables: Record<string, string> = {}) => {
  const database = join(folder, name, "cairn.db")
  const store = join(folder, name, "store")
  mkdirSync(join(folder, name))
  await seedTenant(database, {
    name,
    events: Array.from({ length: 300 }, (_, number) => ({ actor_id: "a", action: "b", metadata: { number } }))
  })
  const options = { database, variables: { CAIRN_BACKUP_STORE: store, ...variables } }
  const files = () => (existsSync(join(store, "backups")) ? readdirSync(join(store, "backups")) : [])
  const list = async () => decodeList(await cairnJson(["backup", "list"], options))
  const make = async () => decodeMade(await cairnJson(["backup"], options))
  return { folder: join(folder, name), database, store, options, files, list, make }
}

const hashOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

/** Changes one byte in the middle of a file. */
const flip = (path: string) => {
  const bytes = readFileSync(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

// Each has a database and a store of its own, and waits for processes most of the time.
describe.concurrent("backups in a store", () => {
  it("are made on a schedule, one at a time with two servers, kept as many as told, and shown", async () => {
    const place = await newPlace("scheduled", {
      CAIRN_BACKUP_EVERY_SECONDS: "1",
      CAIRN_BACKUP_KEEP: "2",
      CAIRN_METRICS_TOKEN: TOKEN
    })
    const servers = [await startServer(place.options), await startServer(place.options)]
    const isThere = () => place.files().some((file) => /^00000[3-9]-.*verdict/.test(file)) || undefined
    await eventually("three were made", isThere)
    const shown = await Promise.all(
      servers.map(async ({ baseUrl }) => {
        const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
        return await answer.text()
      })
    )
    const made = shown.map((text) => scrapedValue(text, "cairn_backups_total", { outcome: "holds" }) ?? 0)
    assert.isAtLeast(Math.max(...made), 1)
    for (const text of shown) {
      assert.strictEqual(scrapedValue(text, "cairn_backups_total", { outcome: "failed" }), 0)
      assert.strictEqual(scrapedValue(text, "cairn_backup_failing"), 0)
      assert.strictEqual(scrapedValue(text, "cairn_backup_interval_seconds"), 1)
      assert.isBelow(scrapedValue(text, "cairn_backup_age_seconds") ?? 999, 60)
      assert.isAbove(scrapedValue(text, "cairn_backup_size_bytes") ?? 0, 100_000)
      assert.isAbove(scrapedValue(text, "cairn_backup_duration_seconds") ?? 0, 0)
    }
    for (const server of servers) assert.strictEqual((await server.stop()).code, 0)
    const all = await place.list()
    const numbers = all.map(({ name }) => Number(name.slice(0, 6)))
    assert.strictEqual(new Set(numbers).size, numbers.length)
    assert.isAtMost(all.filter(({ state }) => state === "holds").length, 3)
    assert.isAtLeast(all.filter(({ state }) => state === "holds").length, 2)
    const log = servers.map(({ stderr }) => stderr()).join("\n")
    assert.include(log, "A backup was made, restored and verified")
    assert.deepStrictEqual(loggedErrors(log), [])
    const left = readdirSync(place.folder).filter((name) => name.startsWith("."))
    assert.deepStrictEqual(left, [])
  })

  it("whose bytes change in the store are found, are an alarm, and are not counted among those kept", async () => {
    const place = await newPlace("spoiled", { CAIRN_BACKUP_KEEP: "2" })
    const first = await place.make()
    assert.isTrue(first.holds)
    assert.strictEqual(first.events, 302)
    flip(join(place.store, "backups", `${first.name}.db`))
    const second = await place.make()
    assert.deepStrictEqual(
      second.spoiled.map(({ name }) => name),
      [first.name]
    )
    assert.include(second.spoiled[0]?.findings[0], "is not what was written")
    assert.deepStrictEqual(
      (await place.list()).map(({ name, state }) => [name, state]),
      [
        [second.name, "holds"],
        [first.name, "does_not_hold"]
      ]
    )
    const third = await place.make()
    assert.deepStrictEqual(third.removed, [first.name])
  })

  it("name the files whose hashes they have, and remove what a killed one has left", async () => {
    const place = await newPlace("whole")
    const { name } = await place.make()
    const manifest = JSON.parse(readFileSync(join(place.store, "backups", `${name}.manifest.json`), "utf8"))
    for (const { file, bytes, sha256 } of manifest.files) {
      const suffix = file === "log" ? "" : `-${file}`
      const content = readFileSync(join(place.store, "backups", `${name}${suffix}.db`))
      assert.strictEqual(content.length, bytes)
      assert.strictEqual(createHash("sha256").update(content).digest("hex"), sha256)
    }
    assert.deepStrictEqual(
      manifest.logs.map(({ size }: { size: number }) => size),
      [302]
    )
    const half = "000007-20260101T000000Z"
    writeFileSync(join(place.store, "backups", `${half}.begun.json`), "{}")
    writeFileSync(join(place.store, "backups", `${half}-search.db.part`), "half")
    writeFileSync(join(place.folder, "unrelated"), "x")
    mkdirSync(join(place.folder, ".cairn.scratch-localhost-1-00000000"))
    const [unfinished] = await place.list()
    assert.deepStrictEqual(unfinished, { name: half, state: "unfinished" })
    const next = await place.make()
    assert.match(next.name, /^000008-/)
    assert.deepStrictEqual(
      place.files().filter((file) => file.startsWith("000007")),
      []
    )
  })

  it("are restored by one command, by name or the latest, and by nobody if they do not hold", async () => {
    const place = await newPlace("restored")
    const first = await place.make()
    const second = await place.make()
    const target = join(place.folder, "elsewhere", "cairn.db")
    const options = { ...place.options, database: target }
    const dry = await cairn(["restore", "latest", "--dry-run"], options)
    assert.strictEqual(dry.code, 0, dry.stderr)
    assert.include(dry.stdout, `${second.name} holds: 302 events in 1 workspaces`)
    assert.isFalse(existsSync(target))
    const restored = await cairn(["restore", first.name], options)
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.include(restored.stdout, `Restored to ${target}`)
    assert.strictEqual((await cairn(["verify"], { database: target })).code, 0)
    assert.deepStrictEqual(
      readdirSync(join(place.folder, "elsewhere")).filter((name) => name.startsWith(".")),
      []
    )

    assert.strictEqual((await cairn(["restore", "latest"], options)).code, 2)
    const unknown = await cairn(["restore", "000009-20260101T000000Z", "--replace"], options)
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.stderr, "there is no backup 000009-20260101T000000Z")
    flip(join(place.store, "backups", `${second.name}-inbox.db`))
    const broken = await cairn(["restore", second.name, "--replace"], options)
    assert.strictEqual(broken.code, 1)
    assert.include(broken.stderr, "-inbox.db is not what was written")
    assert.strictEqual((await cairn(["backup", "verify"], options)).code, 1)
    // The newest that is still known to hold.
    const latest = await cairn(["restore", "latest", "--replace"], options)
    assert.strictEqual(latest.code, 0, latest.stderr)
    assert.include(latest.stdout, `${first.name} holds`)
    const manifest = join(place.store, "backups", `${first.name}.manifest.json`)
    const text = readFileSync(manifest, "utf8")
    writeFileSync(manifest, text.replace('"events": 302', '"events": 303'))
    const edited = await cairn(["restore", first.name, "--dry-run"], options)
    assert.strictEqual(edited.code, 1)
    assert.include(edited.stderr, "its manifest is not the one that was verified")
    writeFileSync(manifest, text.replace('"format": 1', '"format": 2'))
    const newer = await cairn(["restore", first.name, "--dry-run"], options)
    assert.strictEqual(newer.code, 2)
    assert.include(newer.stderr, "was made by a newer version of Cairn")
  })

  it("leave nothing half, wherever they and their restoring are killed", async () => {
    const place = await newPlace("killed")
    const { name } = await place.make()
    const before = place.files().length
    for (const written of [1, 6]) {
      const killed = startCairn(["backup"], place.options)
      const isThere = () => place.files().filter((file) => !file.startsWith(name)).length >= written
      await eventually(`${written} files`, () => isThere() || killed.child.exitCode !== null || undefined)
      killed.child.kill("SIGKILL")
      await killed.ended
      for (const { state } of await place.list())
        assert.include(["holds", "unverified", "unfinished"], state, `killed after ${written} files`)
    }
    const made = await place.make()
    assert.isTrue(made.holds)
    assert.notInclude(
      (await place.list()).map(({ state }) => state),
      "unfinished"
    )
    // A process that is killed as it begins leaves the beginning of a word that it begins, which is nothing.
    const files = place.files().filter((file) => !file.endsWith(".begun.json.part"))
    assert.oneOf(files.length % before, [0, before - 1], "one may lack its verdict")
    const hidden = () => readdirSync(place.folder).filter((file) => file.startsWith("."))
    assert.deepStrictEqual(hidden(), [])

    const target = join(place.folder, "there", "cairn.db")
    const options = { ...place.options, database: target }
    const isStaged = () =>
      existsSync(join(place.folder, "there")) &&
      readdirSync(join(place.folder, "there")).some((file) => file.includes(".restore-"))
    const killed = startCairn(["restore", "latest"], options)
    await eventually("files are fetched", () => isStaged() || undefined)
    killed.child.kill("SIGKILL")
    await killed.ended
    const restored = await cairn(["restore", "latest", "--replace"], options)
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.strictEqual((await cairn(["verify"], { database: target })).code, 0)
    assert.deepStrictEqual(
      readdirSync(join(place.folder, "there")).filter((file) => file.startsWith(".")),
      []
    )
  })

  it("are refused where another database has its own, and where there is no store", async () => {
    const place = await newPlace("mine")
    await place.make()
    const other = await newPlace("other")
    const refused = await cairn(["backup"], {
      ...other.options,
      variables: { CAIRN_BACKUP_STORE: place.store }
    })
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "has backups of another database")
    assert.lengthOf(await place.list(), 1)
    const none = await cairn(["backup"], { database: place.database })
    assert.strictEqual(none.code, 2)
    assert.include(none.stderr, "CAIRN_BACKUP_STORE is not set")
    rmSync(place.store, { recursive: true })
    writeFileSync(place.store, "a file")
    const away = await cairn(["backup"], place.options)
    assert.strictEqual(away.code, 4, away.stderr)
  })
})

const disk = join(folder, "disk")
mkdirSync(disk)
/** A small disk of its own, which takes root on Linux. */
const isMounted =
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m", "cairn-test", disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk])
})

describe.skipIf(!isMounted)("a full disk (needs to mount a tmpfs: root on Linux)", () => {
  it("fails the backup, which is an alarm, and touches neither older ones nor the server", async () => {
    const place = await newPlace("full", {
      CAIRN_BACKUP_STORE: disk,
      CAIRN_BACKUP_EVERY_SECONDS: "1",
      CAIRN_METRICS_TOKEN: TOKEN
    })
    const made = await place.make()
    const older = readdirSync(join(disk, "backups")).map((file) => [
      file,
      hashOf(join(disk, "backups", file))
    ])
    const { bavail, bsize } = statfsSync(disk)
    // Some of the files fit, and not all.
    writeFileSync(join(disk, "filler"), new Uint8Array(bavail * bsize - 300_000))
    const server = await startServer(place.options)
    const shown = async (name: string, labels: Record<string, string> = {}) => {
      const answer = await fetch(`${server.baseUrl}/metrics`, {
        headers: { authorization: `Bearer ${TOKEN}` }
      })
      return scrapedValue(await answer.text(), name, labels)
    }
    const isFailed = async () => ((await shown("cairn_backups_total", { outcome: "failed" })) ?? 0) > 0
    await eventually("one failed", async () => (await isFailed()) || undefined)
    assert.strictEqual(await shown("cairn_backup_failing"), 1)
    assert.include(server.stderr(), "A backup could not be made or verified")
    assert.match(server.stderr(), /ENOSPC|disk is full|disk full/)
    assert.strictEqual((await fetch(`${server.baseUrl}/readyz?for=write`)).status, 200)
    const isClean = () => readdirSync(join(disk, "backups")).length === older.length || undefined
    await eventually("nothing is left of it", isClean)
    for (const [file, hash] of older)
      assert.strictEqual(hashOf(join(disk, "backups", file ?? "")), hash, file)
    rmSync(join(disk, "filler"))
    await eventually("one holds again", async () => (await shown("cairn_backup_failing")) === 0 || undefined)
    assert.strictEqual((await server.stop()).code, 0)
    const states = decodeList(await cairnJson(["backup", "list"], place.options))
    assert.strictEqual(states.find(({ name }) => name === made.name)?.state, "holds")
    for (const { state } of states) assert.include(["holds", "unfinished"], state)
  })
})
