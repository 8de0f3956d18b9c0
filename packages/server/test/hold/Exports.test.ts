import { readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Page } from "@cairn/core/log"
import { Export } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { beforeAll } from "vitest"
import { killLeftovers, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** Enough that making the file takes a while. */
const EVENTS = 20_000
/** An export that was done before the server could be killed proves nothing; then there is another. */
const TRIES = 5

const decodeCreated = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Struct({ id: Schema.String, status: Schema.String }) })
)
const decodeExport = Schema.decodeUnknownSync(Schema.Struct({ data: Export }))
const decodePage = Schema.decodeUnknownSync(Page(Schema.Unknown))

const client = (baseUrl: string, key: string) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const json = async (path: string, init: RequestInit = {}): Promise<unknown> =>
    (await fetch(`${baseUrl}${path}`, { headers, ...init })).json()
  return {
    request: async (body: unknown) =>
      decodeCreated(await json("/api/v1/exports", { method: "POST", body: JSON.stringify(body) })).data,
    get: async (id: string) => decodeExport(await json(`/api/v1/exports/${id}`)).data,
    /** Every event of the list, oldest first. */
    list: async (query: string) => {
      const events: Array<unknown> = []
      for (let cursor: string | null = ""; cursor !== null; ) {
        const place: string = cursor === "" ? "" : `&cursor=${cursor}`
        const { data, pagination } = decodePage(await json(`/api/v1/events?limit=100&${query}${place}`))
        events.push(...data)
        cursor = pagination.next_cursor
      }
      return events.toReversed()
    },
    download: (id: string) => fetch(`${baseUrl}/api/v1/exports/${id}/download`, { headers })
  }
}

/** As if the claim of the process that makes an export had ended. */
const letClaimRunOut = (database: string) => {
  const db = new DatabaseSync(database)
  try {
    const { changes } = db.prepare("UPDATE export SET held_until = 0 WHERE status = 'processing'").run()
    return Number(changes)
  } finally {
    db.close()
  }
}

/** When an event occurred: in another order than that in which they are recorded. */
const occurredAt = (number: number): string =>
  new Date(Date.UTC(2024, 0, 1) + ((number * 7_919) % EVENTS) * 60_000).toISOString()

describe("An export whose server is killed while it makes it", () => {
  const folder = temporaryFolder()
  const database = join(folder, "cairn.db")
  let tenant: Tenant
  killLeftovers()
  beforeAll(async () => {
    tenant = await seedTenant(database, {
      name: "Test",
      events: Array.from({ length: EVENTS }, (_, number) => ({
        actor_id: number % 2 === 0 ? "ada" : "bob",
        action: "document.created",
        occurred_at: occurredAt(number),
        metadata: { number, note: "x".repeat(number % 300) }
      }))
    })
  })

  it.each(["recorded", "occurred"])(
    "is made anew by the next one, and its file holds what a plain list by when events %s does",
    {
      timeout: 300_000
    },
    async (time) => {
      let id = ""
      for (let attempt = 0, abandoned = 0; abandoned === 0; attempt++) {
        assert.isBelow(attempt, TRIES, "no server was killed in the middle of an export")
        const first = await startServer({ database })
        const api = client(first.baseUrl, tenant.key)
        const created = await api.request({ actor_id: "ada", time, format: "ndjson" })
        assert.strictEqual(created.status, "pending")
        id = created.id
        await eventually(
          "the export is begun",
          async () => (await api.get(id)).status !== "pending" || undefined
        )
        await first.kill()
        abandoned = letClaimRunOut(database)
      }

      const second = await startServer({ database })
      const api = client(second.baseUrl, tenant.key)
      const made = await eventually("the export is made", async () => {
        const state = await api.get(id)
        return state.status === "completed" ? state : undefined
      })
      const answer = await api.download(id)
      assert.strictEqual(answer.status, 200)
      const text = await answer.text()
      assert.strictEqual(Buffer.byteLength(text), made.file_size)
      const exported = text
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line))
      const listed = await api.list(`actor_id=ada&time=${time}`)
      assert.strictEqual(exported.length, EVENTS / 2)
      assert.strictEqual(made.total_rows, exported.length)
      assert.deepStrictEqual(exported, listed)
      assert.strictEqual(new Set(text.trimEnd().split("\n")).size, exported.length)
      const files = readdirSync(join(folder, "cairn-exports"), { recursive: true, encoding: "utf8" })
      assert.deepStrictEqual(
        files.filter((file) => file.includes(id)).map((file) => file.replace(/^.*[\\/]/, "")),
        [`${id}.2.ndjson`]
      )
      assert.deepStrictEqual(await second.stop(), { code: 0, signal: null })
    }
  )
})
