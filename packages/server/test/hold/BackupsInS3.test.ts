import { mkdirSync } from "node:fs"
import { join } from "node:path"
import S3rver from "@20minutes/s3rver"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { scrapedValue } from "../support/ScrapedMetrics.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const TOKEN = "0123456789abcdef0123456789abcdef"

/** A bucket on a server that somebody else wrote; what it does to its answers is up to each test. */
const s3 = new S3rver({
  port: 0,
  address: "127.0.0.1",
  silent: true,
  directory: join(folder, "s3"),
  configureBuckets: [{ name: "backups" }]
})
let store = ""
let answers: "well" | "others' bytes" | "nothing" | "never" = "well"

beforeAll(async () => {
  mkdirSync(join(folder, "s3"))
  s3.middleware.unshift(async (context, next) => {
    if (answers === "never") await new Promise(() => {})
    await next()
    if (answers === "nothing") {
      context.status = 503
      context.body = ""
    }
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(context.get("range")) ?? []
    if (answers === "others' bytes" && context.status === 206) {
      context.body = Buffer.alloc(Number(end) - Number(start) + 1, 7)
    }
  })
  const { port } = await s3.run()
  store = `s3://S3RVER:S3RVER@backups/cairn?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
})
afterAll(() => s3.close())

const newDatabase = async (name: string, count: number, variables: Record<string, string> = {}) => {
  const database = join(folder, name, "cairn.db")
  mkdirSync(join(folder, name))
  await seedTenant(database, {
    name,
    events: Array.from({ length: count }, (_, number) => ({
      actor_id: "a",
      action: "b",
      metadata: { number, text: `${number}`.repeat(3_000) }
    }))
  })
  return { database, variables: { CAIRN_BACKUP_STORE: store.replace("/cairn?", `/${name}?`), ...variables } }
}

describe("backups in S3", () => {
  it("are made, restored and verified in parts, and restored by one command", async () => {
    const options = await newDatabase("whole", 900)
    const made = await cairn(["backup", "--json"], options)
    assert.strictEqual(made.code, 0, made.stderr)
    const { holds, bytes } = JSON.parse(made.stdout)
    assert.isTrue(holds)
    assert.isAbove(bytes, 8 * 1024 * 1024)
    const target = join(folder, "restored", "cairn.db")
    const restored = await cairn(["restore", "latest"], { ...options, database: target })
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.strictEqual((await cairn(["verify"], { database: target })).code, 0)
  })

  it("that come back with other bytes are an alarm; a store that is away is one too, and both end", async () => {
    const options = await newDatabase("hostile", 20, {
      CAIRN_BACKUP_EVERY_SECONDS: "1",
      CAIRN_METRICS_TOKEN: TOKEN
    })
    const server = await startServer(options)
    const value = async (name: string, labels: Record<string, string> = {}) => {
      const answer = await fetch(`${server.baseUrl}/metrics`, {
        headers: { authorization: `Bearer ${TOKEN}` }
      })
      return scrapedValue(await answer.text(), name, labels) ?? 0
    }
    const reaches = (name: string, labels: Record<string, string>, wanted: (found: number) => boolean) =>
      eventually(
        `${name} ${JSON.stringify(labels)}`,
        async () => wanted(await value(name, labels)) || undefined
      )
    await reaches("cairn_backups_total", { outcome: "holds" }, (count) => count > 0)
    answers = "others' bytes"
    await reaches("cairn_backups_total", { outcome: "does_not_hold" }, (count) => count > 0)
    await reaches("cairn_backup_failing", {}, (failing) => failing === 1)
    answers = "nothing"
    await eventually("the store is away", () => server.stderr().includes("store of backups") || undefined)
    assert.strictEqual(await value("cairn_backup_failing"), 1)
    assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
    answers = "well"
    await reaches("cairn_backup_failing", {}, (failing) => failing === 0)
    // A store that hangs does not keep the server from stopping.
    answers = "never"
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
    const began = performance.now()
    assert.strictEqual((await server.stop()).code, 0)
    assert.isBelow(performance.now() - began, 10_000)
    const log = server.stderr()
    assert.include(log, "A backup does not hold and cannot be restored")
    assert.include(log, "is not what was written")
    assert.notInclude(log, "S3RVER:S3RVER")
    assert.notInclude(log, "X-Amz-Signature")
  })
})
