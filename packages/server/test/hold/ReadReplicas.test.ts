/** Servers that read from a replica of their database, whatever happens to the replica. */
import { formatPosition } from "@cairn/core/log"
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import {
  type PostgresNode,
  type ReplicatedPostgres,
  startReplicated
} from "@cairn/testing/ReplicatedPostgres"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makePositionSeal } from "../../src/secret/PositionSeal.ts"
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
import {
  bundleReport,
  exportedIds,
  generatedEvent,
  generatedRead,
  idsOfTable,
  openedPosition,
  POSITION_HEADER,
  sealedPosition,
  walkPages
} from "../support/ReplicaReads.ts"
import { scrapedValue } from "../support/ScrapedMetrics.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const OTHER_KEY = Buffer.alloc(32, 8).toString("base64")
const TOKEN = "0123456789abcdef0123456789abcdef"
/** What an answer may take at most, whatever has happened to the replica. */
const SLOWEST_MILLIS = 6_000
/** After so long everybody sees what was confirmed. */
const LATELY_MILLIS = 3_000
/** Generated reads that are compared after each fault. */
const READS = 8

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** The same URL, on another server. */
const onPort = (url: string, port: number): string => {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}

describe("a read replica", () => {
  killLeftovers()
  const folder = temporaryFolder()
  let servers: ReplicatedPostgres
  let foreign: TestPostgres
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

  const shown = async ({ baseUrl }: Server, name: string, labels: Record<string, string>) => {
    const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    return scrapedValue(await answer.text(), name, labels) ?? 0
  }

  const isUsed = (server: Server, used = 1) =>
    eventually(`cairn_replica_used is ${used}`, async () =>
      (await shown(server, "cairn_replica_used", { replica: "1" })) === used ? true : undefined
    )

  /** A read with a position; it must not take long. */
  const read = async (api: ApiClient, path: string, position?: string): Promise<Answer> => {
    const began = performance.now()
    const headers: Record<string, string> = position === undefined ? {} : { [POSITION_HEADER]: position }
    const answer = await api.request("GET", `/api/v1${path}`, undefined, headers)
    assert.isBelow(performance.now() - began, SLOWEST_MILLIS, path)
    return answer
  }

  /** Sends an event; its id, and the position of the answer. */
  const send = async (event: unknown) => {
    const answer = await writer.send(event)
    assert.strictEqual(answer.status, 202, JSON.stringify(answer.body))
    const position = answer.headers.get(POSITION_HEADER) ?? ""
    assert.match(position, /^[0-9a-f]{14}\.[A-Za-z0-9_-]{68}$/)
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

  /**
   * Walks through pages while the log moves, each answered by another server: none of what was there is
   * skipped, and nothing comes twice.
   */
  const walk = async (random: SeededRandom, label: string) => {
    const resource_id = `moving-${label}`
    const more = () =>
      writer.acceptBatch(Array.from({ length: 30 }, () => generatedEvent(random, resource_id)))
    await more()
    await sequenced()
    const before = (await plain.list({ resource_id })).map(({ id }) => id)
    for (const time of ["recorded", "occurred"]) {
      const position = await positionNow()
      const load = more()
      const limit = String(4 + random.below(5))
      const found = await walkPages([reader, writer, reader, plain], { resource_id, time, limit }, position)
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

  /** Sends events, and asks for them in every way in which they leave the service, as soon as they can. */
  const exportAll = async (random: SeededRandom, label: string) => {
    const resource_id = `exported-${label}`
    const events = Array.from({ length: 20 }, () => generatedEvent(random, resource_id))
    const ids = (await writer.acceptBatch(events)).map(({ id }) => id ?? "")
    await sequenced()
    const [row] = await primary.query(
      database,
      `SELECT sequence::int AS total FROM head JOIN workspace ON number = workspace
       WHERE workspace.id = '${tenant.workspaceId}'`
    )
    const [lines, exported, bundle, verified] = await Promise.all([
      read(reader, `/events/export?format=csv&resource_id=${resource_id}`),
      exportedIds(reader, resource_id),
      bundleReport(reader),
      reader.verify()
    ])
    assert.deepStrictEqual(new Set(idsOfTable(lines.body)), new Set(ids), label)
    assert.deepStrictEqual(new Set(exported), new Set(ids), label)
    assert.deepStrictEqual(bundle.failed, [], label)
    assert.isAtLeast(bundle.counts.events, Number(row?.total), label)
    assert.isTrue(verified.valid, label)
    assert.isAtLeast(verified.events_checked, Number(row?.total), label)
  }

  const onStandby = (statement: string) => standby.query(onPort(database, standby.port), statement)

  beforeAll(async () => {
    ;[servers, foreign] = await Promise.all([
      startReplicated({ max_standby_streaming_delay: "0" }),
      startPostgres()
    ])
    ;[primary, standby] = servers.nodes
    // Its commits wait for nobody: what a replica has is another question.
    await primary.session(async (query) => {
      await query("ALTER SYSTEM SET synchronous_standby_names = ''")
      await query("SELECT pg_reload_conf()")
    })
    database = await primary.newDatabase()
    tenant = await makeTenant("one", { database, plan: "enterprise" })
    await foreign.query(
      onPort(database, foreign.port).replace(/[^/]+$/, "postgres"),
      `CREATE DATABASE ${new URL(database).pathname.slice(1)}`
    )
    // The primary is named as well: it takes writes, so it is no replica. So is a server of another system.
    const others = [primary, foreign].map(({ port }) => `,127.0.0.1:${port}`).join("")
    const variables = {
      CAIRN_DATABASE_READ_URL: onPort(database, standby.port).replace(/(@[^/]+)/, `$1${others}`),
      CAIRN_EXPORT_STORE: folder,
      // All the time.
      CAIRN_VERIFY_EVERY_SECONDS: "2",
      CAIRN_VERIFY_RATE: "1000000"
    }
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
    await Promise.all([servers.stop(), foreign.stop()])
  })

  it("answers what is asked of the log, and leaves it to the primary what is changed", {
    timeout: 60_000
  }, async () => {
    const random = seededRandom(1)
    // Enough that the log is read in many pieces: what follows it reads a few events at any length.
    for (let sent = 0; sent < 4_000; sent += 100) {
      await writer.acceptBatch(Array.from({ length: 100 }, () => generatedEvent(random, "many")))
    }
    await sequenced()
    /** How often servers were asked for pieces of the log while something was done. */
    const asked = async (work: () => Promise<unknown>) => {
      const begins = [primary, standby].map((node) => node.log().length)
      await work()
      return [primary, standby].map(
        (node, index) =>
          [
            ...node
              .log()
              .slice(begins[index])
              .matchAll(/SELECT \* FROM event WHERE/g)
          ].length
      )
    }
    const logStatements = (which: "all" | "none") =>
      Promise.all(
        [primary, standby].map((node) =>
          node.session(async (query) => {
            await query(`ALTER SYSTEM SET log_statement = '${which}'`)
            await query("SELECT pg_reload_conf()")
          })
        )
      )
    await logStatements("all")
    // Until what follows the log has done its work: what is left is the service's own verification.
    await eventually(
      "nobody but the verification reads",
      async () => {
        const [ofPrimary, ofStandby = 0] = await asked(() => pause(2_500))
        return ofPrimary === 0 && ofStandby > 0 ? true : undefined
      },
      60_000
    )
    const [ofPrimary = 0, ofStandby = 0] = await asked(async () => {
      assert.strictEqual((await read(reader, "/verify?limit=1000000")).status, 200)
      assert.strictEqual((await read(reader, "/events/export?format=csv")).status, 200)
      await bundleReport(reader)
    })
    // What follows the log reads the events that tell of the export.
    assert.isBelow(ofPrimary, ofStandby / 2)
    await logStatements("none")
    assert.isAbove(await shown(other, "cairn_log_reads_total", { source: "replica" }), 0)
    assert.isBelow(await shown(other, "cairn_replica_lag_bytes", { replica: "1" }), 1_000_000)
    assert.strictEqual(await shown(other, "cairn_replica_used", { replica: "2" }), 0)
    assert.match(other.stderr(), /it is no replica: it takes writes/)
    assert.match(other.stderr(), /it is a copy of another database/)
  })

  it("shows what was there when it was asked for, though it comes to the replica a moment later", {
    timeout: 60_000
  }, async () => {
    const random = seededRandom(4)
    const delayBy = (delay: string) =>
      standby.session(async (query) => {
        await query(`ALTER SYSTEM SET recovery_min_apply_delay = '${delay}'`)
        await query("SELECT pg_reload_conf()")
      })
    await delayBy("250ms")
    await isUsed(other)
    await exportAll(random, "late")
    await walk(random, "late")
    await delayBy("0")
  })

  it("makes wait who has changed something, and nobody else", { timeout: 90_000 }, async () => {
    const second = apiClient(one.baseUrl, (await makeTenant("two", { database })).key)
    const millisOf = async (api: ApiClient) => {
      const began = performance.now()
      assert.strictEqual((await read(api, "/events?limit=1")).status, 200)
      return performance.now() - began
    }
    const seen: Array<string> = []
    await eventually(
      "the replica that is behind answers at once who has changed nothing",
      async () => {
        await isUsed(one)
        await millisOf(second)
        // What is replayed may cancel the statement itself.
        await onStandby("SELECT pg_wal_replay_pause()").catch(() => undefined)
        assert.strictEqual((await writer.request("POST", "/api/v1/viewer-tokens", {})).status, 200)
        const others = await millisOf(second)
        const own = await millisOf(writer)
        await onStandby("SELECT pg_wal_replay_resume()")
        seen.push(`${Math.round(others)} and ${Math.round(own)}`)
        return others < 250 && own > 450 ? true : undefined
      },
      60_000
    ).catch((error: unknown) => assert.fail(`${error}: ${seen.join("; ")}`))
  })

  it("is not believed where a request names a position that it cannot have", {
    timeout: 60_000
  }, async () => {
    const { id, position } = await send(generatedEvent(seededRandom(2), "positions"))
    const { system, timeline, written } = openedPosition(position)
    for (const wrong of [
      "",
      "1",
      `${position}0`,
      position.toUpperCase(),
      formatPosition({ system, timeline, written }),
      sealedPosition({ system, timeline: 0, written })
    ]) {
      const answer = await read(reader, `/events/${id}`, wrong)
      assert.strictEqual(answer.status, 400, wrong)
      assert.include(JSON.stringify(answer.body), "X-Cairn-Position")
    }
    const replaced = sealedPosition({ system, timeline, written }, makePositionSeal([OTHER_KEY]))
    assert.strictEqual((await read(reader, `/events/${id}`, replaced)).status, 200)
    for (const foreign of [
      { system: "f".repeat(16), timeline, written },
      { system, timeline: 0xff_ff_ff_ff, written },
      { system, timeline, written: Number.MAX_SAFE_INTEGER }
    ].map((one) => sealedPosition(one))) {
      const before = await shown(other, "cairn_log_reads_total", { source: "primary" })
      assert.strictEqual((await read(reader, `/events/${id}`, foreign)).status, 200, foreign)
      await eventually(`the primary is asked for ${foreign}`, async () =>
        (await shown(other, "cairn_log_reads_total", { source: "primary" })) > before ? true : undefined
      )
    }
    assert.strictEqual((await read(plain, `/events/${id}`, position)).status, 200)
    assert.strictEqual(
      (await plain.send(generatedEvent(seededRandom(3), "plain"))).headers.get(POSITION_HEADER),
      null
    )
  })

  it("costs time only, whatever happens to it", { timeout: 120_000 }, () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      const lap = async (label: string) => {
        await compare(random, label)
        if (label !== "well" && label !== "killed") await exportAll(random, label)
        await walk(random, label)
      }
      await isUsed(other)
      await lap("well")

      await onStandby("SELECT pg_wal_replay_pause()")
      await lap("paused")
      assert.isAbove(await shown(other, "cairn_replica_lag_bytes", { replica: "1" }), 0)
      assert.isAbove(await shown(other, "cairn_replica_lag_seconds", { replica: "1" }), 1)
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
      // What is replayed then may cancel the statement itself.
      await onStandby("SELECT pg_wal_replay_resume()").catch(() => undefined)
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
      for (const { stderr } of started) assert.notMatch(stderr(), /hash chain/)
    })
  )
})
