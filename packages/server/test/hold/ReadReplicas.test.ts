/** Servers that read from a replica of their database, whatever happens to the replica. */
import { type SeededRandom, seededRandom } from "@cairn/testing"
import {
  type PostgresNode,
  type ReplicatedPostgres,
  startReplicated
} from "@cairn/testing/ReplicatedPostgres"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Answer, type ApiClient, apiClient, decodeItem } from "../support/ApiClient.ts"
import {
  cairn,
  killLeftovers,
  makeTenant,
  type Server,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { scrapedValue } from "../support/ScrapedMetrics.ts"

const TOKEN = "0123456789abcdef0123456789abcdef"
const HEADER = "x-cairn-position"
/** What an answer may take at most, whatever has happened to the replica. */
const SLOWEST_MILLIS = 6_000
/** After so long everybody sees what was confirmed. */
const LATELY_MILLIS = 3_000
/** Generated reads that are compared after each fault. */
const READS = 12

const WORDS = ["opened", "closed", "moved", "renamed"]
const ACTORS = ["ada", "ben", "cho"]

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** The same URL, on another server. */
const onPort = (url: string, port: number): string => {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}

const generatedEvent = (random: SeededRandom, label: string) => ({
  actor_id: random.pick(ACTORS),
  action: `file.${random.pick(WORDS)}`,
  resource_id: label,
  metadata: { note: `${random.pick(WORDS)} by ${random.pick(ACTORS)}` },
  ...(random.chance(0.5) ? { occurred_at: new Date(Date.now() - random.below(1_000_000)).toISOString() } : {})
})

/** A read of any kind. */
const generatedRead = (random: SeededRandom, ids: ReadonlyArray<string>): string => {
  const conditions = new URLSearchParams({
    // Of nobody else: that something was exported is an event too.
    actor_id: random.pick(ACTORS),
    ...(random.chance(0.4) ? { action: `file.${random.pick(WORDS)}` } : {}),
    ...(random.chance(0.3) ? { search: random.pick(WORDS) } : {}),
    ...(random.chance(0.4) ? { time: random.pick(["occurred", "recorded"]) } : {})
  })
  return random.pick([
    () => `/events/${random.pick(ids)}`,
    () => `/events?limit=${1 + random.below(100)}&${conditions}`,
    () => `/events/count?${conditions}`,
    () => `/events/histogram?buckets=${2 + random.below(50)}&${conditions}`,
    () => `/events/facets?field=${random.pick(["action", "actor", "resource_id"])}&${conditions}`,
    () => `/events/export?format=csv&${conditions}`,
    () => "/verify?limit=1000000"
  ])()
}

describe("a read replica", () => {
  killLeftovers()
  let servers: ReplicatedPostgres
  let primary: PostgresNode
  let standby: PostgresNode
  let database: string
  let tenant: Tenant
  const started: Array<Server> = []
  /** Two that read from the replica, and one that does not. */
  let one: Server
  let other: Server
  let writer: ApiClient
  let reader: ApiClient
  let plain: ApiClient

  const start = async (variables: Record<string, string>): Promise<Server> => {
    const role = "CAIRN_DATABASE_READ_URL" in variables ? "all" : "api"
    const server = await startServer({
      database,
      role,
      variables: { CAIRN_METRICS_TOKEN: TOKEN, ...variables }
    })
    started.push(server)
    return server
  }

  const metric = async ({ baseUrl }: Server, name: string, labels: Record<string, string>) => {
    const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    return scrapedValue(await answer.text(), name, labels) ?? 0
  }

  const isUsed = (server: Server, used = 1) =>
    eventually(`cairn_replica_used is ${used}`, async () =>
      (await metric(server, "cairn_replica_used", { replica: "1" })) === used ? true : undefined
    )

  /** A read with a position; it must not take long. */
  const read = async (api: ApiClient, path: string, position?: string): Promise<Answer> => {
    const began = performance.now()
    const headers: Record<string, string> = position === undefined ? {} : { [HEADER]: position }
    const answer = await api.request("GET", `/api/v1${path}`, undefined, headers)
    assert.isBelow(performance.now() - began, SLOWEST_MILLIS, path)
    return answer
  }

  /** Sends an event; its id, and the position of the answer. */
  const send = async (event: unknown) => {
    const answer = await writer.send(event)
    assert.strictEqual(answer.status, 202, JSON.stringify(answer.body))
    const position = answer.headers.get(HEADER) ?? ""
    assert.match(position, /^1-[0-9a-f]{16}-[0-9a-f]{8}-[0-9a-f]{14}$/)
    return { id: decodeItem(answer.body).id ?? "", position }
  }

  const sequenced = () =>
    eventually("everything is sequenced", async () => {
      const [row] = await primary.query(database, "SELECT count(*)::int AS count FROM inbox")
      return row?.count === 0 ? true : undefined
    })

  /** The position of an answer that comes now: the event was there before. */
  const positionNow = async () =>
    (await send({ actor_id: "same", action: "same.event", idempotency_key: "same" })).position

  /** Writes, and compares what is read where a replica may answer with what the primary answers. */
  const compare = async (random: SeededRandom, label: string) => {
    const ids: Array<string> = []
    for (let count = 0; count < 8; count++) {
      const { id, position } = await send(generatedEvent(random, label))
      ids.push(id)
      assert.strictEqual((await read(reader, `/events/${id}`, position)).status, 200, label)
      assert.strictEqual((await read(reader, `/events/${id}`)).status, 200, label)
    }
    await sequenced()
    let position = await positionNow()
    const listed = await read(reader, `/events?resource_id=${label}&limit=100`, position)
    const { data } = listed.body as { readonly data: ReadonlyArray<{ readonly id: string }> }
    assert.deepStrictEqual(new Set(data.map(({ id }) => id)), new Set(ids), label)
    for (let count = 0; count < READS; count++) {
      const path = generatedRead(random, ids)
      const [found, expected] = [await read(reader, path, position), await read(plain, path)]
      assert.strictEqual(found.status, 200, `${label}: ${path} ${JSON.stringify(found.body)}`)
      // Values are counted as long as they may take: a busy machine counts fewer.
      const isCut = [found, expected].some(({ body }) => JSON.stringify(body).includes('"complete":false'))
      if (!isCut) assert.deepStrictEqual(found.body, expected.body, `${label}: ${path}`)
      if (!path.includes("/export")) continue
      await sequenced()
      position = await positionNow()
    }
  }

  /** Walks through pages while the log moves: none of what was there is skipped, and nothing comes twice. */
  const walk = async (random: SeededRandom, label: string) => {
    const resource_id = `moving-${label}`
    const more = () =>
      writer.acceptBatch(Array.from({ length: 30 }, () => generatedEvent(random, resource_id)))
    await more()
    await sequenced()
    const before = (await plain.list({ resource_id })).map(({ id }) => id)
    for (const time of ["recorded", "occurred"]) {
      const load = more()
      const found = (await reader.list({ resource_id, time, limit: 4 + random.below(5) })).map(({ id }) => id)
      await load
      assert.strictEqual(new Set(found).size, found.length, `${label}: an event is there twice`)
      const seen = new Set(found)
      assert.deepStrictEqual(
        before.filter((id) => !seen.has(id)),
        [],
        `${label}: events were skipped`
      )
    }
  }

  const onStandby = (statement: string) => standby.query(onPort(database, standby.port), statement)

  beforeAll(async () => {
    servers = await startReplicated({ max_standby_streaming_delay: "0" })
    ;[primary, standby] = servers.nodes
    // Its commits wait for nobody: what a replica has is another question.
    await primary.session(async (query) => {
      await query("ALTER SYSTEM SET synchronous_standby_names = ''")
      await query("SELECT pg_reload_conf()")
    })
    database = await primary.newDatabase()
    tenant = await makeTenant("one", { database, plan: "enterprise" })
    // The primary is named as well: it takes writes, so it is no replica.
    const readUrl = onPort(database, standby.port).replace(/(@[^/]+)/, `$1,127.0.0.1:${primary.port}`)
    const variables = { CAIRN_DATABASE_READ_URL: readUrl }
    const [first, second, third] = await Promise.all([start(variables), start(variables), start({})])
    one = first
    other = second
    ;[writer, reader, plain] = [one, other, third].map(({ baseUrl }) => apiClient(baseUrl, tenant.key)) as [
      ApiClient,
      ApiClient,
      ApiClient
    ]
    await Promise.all([isUsed(one), isUsed(other), positionNow()])
  }, 120_000)
  afterAll(async () => {
    await Promise.all(started.map((server) => server.kill()))
    await servers.stop()
  })

  it("answers what is asked of the log, and leaves it to the primary what is changed", {
    timeout: 60_000
  }, async () => {
    const random = seededRandom(1)
    for (let sent = 0; sent < 1_000; sent += 100) {
      await writer.acceptBatch(Array.from({ length: 100 }, () => generatedEvent(random, "many")))
    }
    await sequenced()
    /** Rows of the log that a server has read. */
    const rowsRead = async (node: PostgresNode) => {
      const statement = `SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS rows
        FROM pg_stat_user_tables WHERE relname = 'event'`
      const [row] = await node.query(onPort(database, node.port), statement)
      return Number(row?.rows)
    }
    // Without it single rows are looked for by reading all of them.
    await primary.query(database, "ANALYZE")
    // Until what follows the log has done its work.
    let [before, now] = [-1_000, await rowsRead(primary)]
    while (now - before > 100) {
      await pause(1_500)
      ;[before, now] = [now, await rowsRead(primary)]
    }
    const [ofPrimary, ofStandby] = [await rowsRead(primary), await rowsRead(standby)]
    assert.strictEqual((await read(reader, "/verify?limit=1000000")).status, 200)
    assert.strictEqual((await read(reader, "/events/export?format=csv")).status, 200)
    await eventually("the statistics of the standby tell", async () =>
      (await rowsRead(standby)) - ofStandby >= 2_000 ? true : undefined
    )
    await pause(1_500)
    assert.isBelow((await rowsRead(primary)) - ofPrimary, 500)
    assert.isAbove(await metric(other, "cairn_log_reads_total", { source: "replica" }), 0)
    assert.isBelow(await metric(other, "cairn_replica_lag_bytes", { replica: "1" }), 1_000_000)
    assert.strictEqual(await metric(other, "cairn_replica_used", { replica: "2" }), 0)
    assert.match(other.stderr(), /it is no replica: it takes writes/)
  })

  it("is not believed where a request names a position that it cannot have", {
    timeout: 60_000
  }, async () => {
    const { id, position } = await send(generatedEvent(seededRandom(2), "positions"))
    const [, system = "", timeline = "", written = ""] = position.split("-")
    for (const wrong of [
      "",
      "1",
      `${position}0`,
      position.toUpperCase(),
      `1-${system}-00000000-${written}`
    ]) {
      const answer = await read(reader, `/events/${id}`, wrong)
      assert.strictEqual(answer.status, 400, wrong)
      assert.include(JSON.stringify(answer.body), "X-Cairn-Position")
    }
    for (const foreign of [
      `1-${"f".repeat(16)}-${timeline}-${written}`,
      `1-${system}-ffffffff-${written}`,
      `1-${system}-${timeline}-1${"f".repeat(13)}`
    ]) {
      const before = await metric(other, "cairn_log_reads_total", { source: "primary" })
      assert.strictEqual((await read(reader, `/events/${id}`, foreign)).status, 200, foreign)
      await eventually(`the primary is asked for ${foreign}`, async () =>
        (await metric(other, "cairn_log_reads_total", { source: "primary" })) > before ? true : undefined
      )
    }
    assert.strictEqual((await read(plain, `/events/${id}`, position)).status, 200)
    assert.strictEqual((await plain.send(generatedEvent(seededRandom(3), "plain"))).headers.get(HEADER), null)
  })

  it("costs time only, whatever happens to it", { timeout: 120_000 }, () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      const lap = async (label: string) => {
        await compare(random, label)
        await walk(random, label)
      }
      await isUsed(other)
      await lap("well")

      await onStandby("SELECT pg_wal_replay_pause()")
      await lap("paused")
      const [erased] = await plain.list({ limit: 1, resource_id: "paused" })
      const options = { database, input: "yes\n" }
      const ended = await cairn(
        [
          "erase",
          "--workspace",
          tenant.workspaceId,
          "--event",
          erased?.id ?? "",
          "--reason",
          "asked for",
          "--yes"
        ],
        options
      )
      assert.strictEqual(ended.code, 0, ended.stderr)
      await pause(LATELY_MILLIS)
      assert.strictEqual((await read(reader, `/events/${erased?.id}`)).status, 404)
      assert.notInclude(
        (await reader.list({ resource_id: "paused" })).map(({ id }) => id),
        erased?.id
      )
      await onStandby("SELECT pg_wal_replay_resume()")
      await isUsed(other)

      await standby.freeze()
      await lap("frozen")
      await standby.thaw()
      await isUsed(other)

      await standby.kill()
      await lap("killed")
      await standby.start()
      await isUsed(other)

      const conflicts = async () => {
        const [row] = await onStandby(
          "SELECT sum(confl_lock + confl_snapshot + confl_bufferpin)::int AS count FROM pg_stat_database_conflicts"
        )
        return Number(row?.count)
      }
      let over = false
      const locking = (async () => {
        while (!over) {
          await primary.query(database, "BEGIN; LOCK TABLE event IN ACCESS EXCLUSIVE MODE; COMMIT")
          await pause(50)
        }
      })()
      const reading = Array.from({ length: 3 }, async () => {
        while (!over) assert.strictEqual((await read(reader, "/verify?limit=1000000")).status, 200)
      })
      await compare(random, "conflicts")
      await eventually("reads were cancelled", async () => ((await conflicts()) > 0 ? true : undefined))
      over = true
      await Promise.all([locking, ...reading])
      await isUsed(other)

      await standby.promote()
      await isUsed(other, 0)
      await lap("promoted")
      assert.match(other.stderr(), /A read replica is used again/)
    })
  )
})
