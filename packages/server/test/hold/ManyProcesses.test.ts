import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { seededRandom } from "@cairn/testing"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient, decodeItem } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, type Server, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** Processes that are killed: a few in the short form; `CAIRN_SOAK_KILLS` sets another number. */
const KILLS = Number(process.env.CAIRN_SOAK_KILLS ?? (isEndurance() ? "100" : "6"))
/** Most events that are acknowledged between two kills. */
const EVENTS_BETWEEN = 1_500
const PROCESSES = 4
const CONNECTIONS = 200
/** Acknowledged requests that are sent once more. */
const RETRIED = 100
/** Seconds between the clocks of one process and the next. */
const CLOCKS_APART = 5

const SHIFTED_CLOCK = fileURLToPath(new URL("../support/ShiftedClock.mjs", import.meta.url))

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** What the clients have seen. */
interface Seen {
  /** Ids of events whose request was answered 202, by idempotency key. */
  readonly acknowledged: Map<string, string>
  readonly statuses: Map<number, number>
  /** Answers of 503 that did not say when to come back. */
  withoutRetryAfter: number
  /** Requests that were tried again after an answer of 503 or none. */
  retried: number
  /** Of those, the ones whose event turned out to be there already. */
  foundAgain: number
  /** Processes that were killed. */
  killed: number
}

describe("four processes on one PostgreSQL", () => {
  const folder = temporaryFolder()
  killLeftovers()
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres({ settings: { max_connections: "200" } })
  })
  afterAll(() => postgres.stop())

  const start = (database: string, index: number): Promise<Server> => {
    const file = join(folder, `clock-${index}`)
    writeFileSync(file, String(index * CLOCKS_APART))
    return startServer({
      database,
      preload: [SHIFTED_CLOCK],
      variables: { TEST_CLOCK_FILE: file, CAIRN_LOG_LEVEL: "none" }
    })
  }

  it(
    "keep one unbroken chain a workspace, while they are killed and the database restarts",
    {
      timeout: (KILLS * 10 + 400) * 1_000
    },
    () =>
      seededTrial(import.meta.url, async (seed) => {
        const database = await postgres.newDatabase()
        const random = seededRandom(seed)
        const tenants: Array<Tenant> = []
        for (const name of ["one", "two"])
          tenants.push(await makeTenant(name, { database, plan: "enterprise" }))
        const servers: Array<Server | undefined> = await Promise.all(
          Array.from({ length: PROCESSES }, (_, index) => start(database, index))
        )
        const seen: Seen = {
          acknowledged: new Map(),
          statuses: new Map(),
          withoutRetryAfter: 0,
          retried: 0,
          foundAgain: 0,
          killed: 0
        }
        let restarted = false
        const isOver = () => restarted && seen.killed >= KILLS

        /** One event after the other, each until it is acknowledged: by whichever server is there. */
        const client = async (number: number) => {
          const tenant = tenants[number % tenants.length] as Tenant
          for (let count = 0; !isOver(); count++) {
            const idempotencyKey = `${number}-${count}`
            const event = {
              actor_id: `client-${number}`,
              action: "load.sent",
              idempotency_key: idempotencyKey
            }
            for (let attempt = 0; ; attempt++) {
              const server = servers[(number + attempt) % PROCESSES]
              if (server === undefined) {
                await pause(20)
                continue
              }
              if (attempt > 0) seen.retried++
              const answer = await apiClient(server.baseUrl, tenant.key)
                .send(event)
                .catch(() => undefined)
              if (answer !== undefined)
                seen.statuses.set(answer.status, (seen.statuses.get(answer.status) ?? 0) + 1)
              if (answer?.status === 202 || answer?.status === 200) {
                const { id, status } = decodeItem(answer.body)
                seen.acknowledged.set(`${tenant.workspaceId} ${idempotencyKey}`, id ?? "")
                if (status === "duplicate") seen.foundAgain++
                break
              }
              if (answer?.status === 503 && !answer.headers.has("retry-after")) seen.withoutRetryAfter++
              await pause(100)
            }
          }
        }

        /** Tries until it starts: it does not while the database is away. */
        const startAgain = async (index: number): Promise<Server | undefined> => {
          let started: Server | undefined
          while (started === undefined && !isOver()) {
            started = await start(database, index).catch(() => undefined)
          }
          return started
        }

        const killer = async () => {
          while (!isOver()) {
            const count = seen.acknowledged.size + 1 + random.below(EVENTS_BETWEEN)
            const index = random.below(PROCESSES)
            await eventually(
              `${count} events are acknowledged`,
              () => seen.acknowledged.size >= count || isOver() || undefined,
              120_000
            )
            if (isOver()) return
            const server = servers[index]
            if (server === undefined) continue
            servers[index] = undefined
            assert.strictEqual((await server.kill()).signal, "SIGKILL")
            seen.killed++
            servers[index] = await startAgain(index)
          }
        }

        const restarter = async () => {
          await eventually(
            "half of the processes were killed",
            () => seen.killed >= KILLS / 2 || undefined,
            (KILLS * 10 + 300) * 1_000
          )
          await postgres.restart(1_500)
          restarted = true
        }

        await Promise.all([
          ...Array.from({ length: CONNECTIONS }, (_, number) => client(number)),
          killer(),
          restarter()
        ])

        if (process.env.CAIRN_SOAK_KILLS !== undefined) {
          console.info({ ...seen, acknowledged: seen.acknowledged.size })
        }
        assert.isAbove(seen.acknowledged.size, 500)
        assert.isAtLeast(seen.killed, KILLS, "processes were killed")
        assert.isAbove(seen.statuses.get(503) ?? 0, 0, "the restart of the database was not felt")
        assert.strictEqual(seen.withoutRetryAfter, 0)
        assert.deepStrictEqual(
          Array.from(seen.statuses.keys()).filter((status) => ![200, 202, 503].includes(status)),
          []
        )

        const rows = (statement: string) => postgres.query(database, statement)
        await eventually("everything is sequenced", async () => {
          const [row] = await rows("SELECT count(*)::int AS count FROM inbox")
          return row?.count === 0 ? true : undefined
        })
        assert.deepStrictEqual(await rows("SELECT * FROM parked"), [])
        const stored = await rows(`
      SELECT w.id AS workspace, e.id, e.content::json ->> 'idempotency_key' AS key
      FROM event e JOIN workspace w ON w.number = e.workspace WHERE e.content::json ->> 'action' = 'load.sent'`)
        const byKey = new Map<string, Array<unknown>>()
        for (const { workspace, id, key } of stored) {
          const name = `${String(workspace)} ${String(key)}`
          byKey.set(name, [...(byKey.get(name) ?? []), id])
        }
        for (const [name, id] of seen.acknowledged) assert.deepStrictEqual(byKey.get(name), [id], name)
        assert.deepStrictEqual(
          Array.from(byKey.values()).filter((ids) => ids.length !== 1),
          []
        )
        const unordered = await rows(`
      SELECT * FROM (
        SELECT workspace, sequence, created_at, lag(created_at) OVER (PARTITION BY workspace ORDER BY sequence) AS before
        FROM event) e WHERE before >= created_at`)
        assert.deepStrictEqual(unordered, [])
        // Unless the client says otherwise an event occurred when its process's clock says so.
        const [clocks] = await rows(`
      SELECT max(extract(epoch FROM (content::json ->> 'occurred_at')::timestamptz) - created_at / 1e6)::float AS ahead
      FROM event WHERE content::json ->> 'action' = 'load.sent'`)
        assert.isAbove(Number(clocks?.ahead), CLOCKS_APART * (PROCESSES - 1) - 1, "the clocks were apart")
        const [counts] = await rows("SELECT count(*)::int AS events FROM event")
        const server = servers.find((candidate) => candidate !== undefined)
        // Whatever was acknowledged is acknowledged again as the same event.
        for (const [name, id] of [...seen.acknowledged].slice(-RETRIED)) {
          const [workspaceId, idempotency_key] = name.split(" ")
          const tenant = tenants.find((candidate) => candidate.workspaceId === workspaceId)
          const again = { actor_id: "again", action: "load.sent", idempotency_key }
          const { status, body } = await apiClient(server?.baseUrl ?? "", tenant?.key ?? "").send(again)
          assert.strictEqual(status, 202)
          assert.deepInclude(decodeItem(body), { id, status: "duplicate" }, name)
        }
        let checked = 0
        for (const { key } of tenants) {
          const { valid, events_checked, breaks } = await apiClient(server?.baseUrl ?? "", key).verify()
          assert.deepStrictEqual({ valid, breaks }, { valid: true, breaks: [] })
          checked += events_checked
        }
        assert.strictEqual(checked, counts?.events)
        await Promise.all(servers.map((running) => running?.stop()))
      })
  )
})
