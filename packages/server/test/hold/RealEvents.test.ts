import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { BlockList, isIP, isIPv4 } from "node:net"
import { join } from "node:path"
import { canonicalize, Micros } from "@cairn/core/encoding"
import type { Event } from "@cairn/core/event"
import { Cursor } from "@cairn/core/log"
import { ordinaryEvents, seededRandom, wholeVerification } from "@cairn/testing"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { writeMmdb } from "../../../geo/test/MmdbWriter.ts"
import { type ApiClient, apiClient, type BatchItem, type Query } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, type Server, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { chainOfSoundStore } from "../support/SoundStore.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const foreign = process.env.CAIRN_FOREIGN

const decodeLine = Schema.decodeUnknownSync(
  Schema.Struct({
    client_ip: Schema.NullOr(Schema.String),
    body: Schema.Record(Schema.String, Schema.Unknown)
  })
)

/** The places that the test's geolocation database knows, by network. */
const PLACES = [
  { network: "12.0.0.0", bits: 8, country: "US", city: "Middletown" },
  { network: "1.1.1.0", bits: 24, country: "AU", city: "Sydney" },
  { network: "3.0.0.0", bits: 8, country: "DE", city: "Frankfurt am Main" },
  { network: "10.0.0.0", bits: 8, country: "XX", city: "Nowhere" }
] as const

const privateNetworks = new BlockList()
privateNetworks.addSubnet("10.0.0.0", 8)
privateNetworks.addSubnet("172.16.0.0", 12)
privateNetworks.addSubnet("192.168.0.0", 16)

/** Where an address lies, according to {@link PLACES}; private ones lie nowhere. */
const placeOf = (address: string | null): readonly [country: string | null, city: string | null] => {
  if (address === null || !isIPv4(address) || privateNetworks.check(address)) return [null, null]
  for (const { network, bits, country, city } of PLACES) {
    const list = new BlockList()
    list.addSubnet(network, bits)
    if (list.check(address)) return [country, city]
  }
  return [null, null]
}

const fold = (text: string | null) => (text ?? "").toLowerCase().normalize("NFC")

const texts = new WeakMap<Event, ReadonlyArray<string>>()

/** Where a search looks; folded once for each event. */
const textsOf = (event: Event): ReadonlyArray<string> => {
  const known = texts.get(event)
  if (known !== undefined) return known
  const metadata = event.metadata === null ? "" : Result.getOrThrow(canonicalize(event.metadata))
  const folded = [event.actor.name, event.action, event.resource.name, metadata].map(fold)
  texts.set(event, folded)
  return folded
}

/** Every filter, said once more and plainly, over the events as they are returned. */
const plainly: Record<string, (event: Event, value: string) => boolean> = {
  action: (event, value) =>
    value === "*" ||
    (value.endsWith(".*") ? event.action.startsWith(value.slice(0, -1)) : event.action === value),
  actor_id: (event, value) => event.actor.id === value,
  resource: (event, value) => event.resource.type === value,
  resource_id: (event, value) => event.resource.id === value,
  tenant_id: (event, value) => event.tenant_id === value,
  session_id: (event, value) => event.session_id === value,
  from: (event, value) => event.created_at >= value,
  to: (event, value) => event.created_at <= value,
  search: (event, value) => textsOf(event).some((text) => text.includes(fold(value)))
}

const satisfies = (event: Event, query: Record<string, string>): boolean => {
  const { target_type: type, target_id: id, ...rest } = query
  return (
    Object.entries(rest).every(([name, value]) => plainly[name]?.(event, value) === true) &&
    ((type === undefined && id === undefined) ||
      event.targets.some(
        (target) => (type === undefined || target.type === type) && (id === undefined || target.id === id)
      ))
  )
}

const BATCH = 100

describe.skipIf(foreign === undefined)("3,384 real events over HTTP (needs CAIRN_FOREIGN)", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  const data = join(foreign ?? "", "data")
  const lines =
    foreign === undefined
      ? []
      : readdirSync(data)
          .filter((name) => name.endsWith(".jsonl"))
          .sort()
          .flatMap((name) => readFileSync(join(data, name), "utf8").split("\n"))
          .filter((line) => line !== "")
          .map((line) => decodeLine(JSON.parse(line)))
  const bodies = lines.map(({ client_ip, body }) =>
    client_ip === null ? body : { ...body, ip_address: client_ip }
  )
  const items: Array<BatchItem> = []
  let server: Server
  let client: ApiClient
  /** Everything in the log, by a plain scan over all pages. */
  let all: ReadonlyArray<Event>

  beforeAll(async () => {
    const geoip = join(folder, "places.mmdb")
    writeFileSync(
      geoip,
      writeMmdb(
        Object.fromEntries(
          PLACES.map(({ network, bits, country, city }) => [
            `${network}/${bits}`,
            { country: { iso_code: country }, city: { names: { en: city } } }
          ])
        )
      )
    )
    server = await startServer({ database, tenant: true, variables: { CAIRN_GEOIP_DB: geoip } })
    client = apiClient(server.baseUrl, server.key)
    for (let at = 0; at < bodies.length; at += BATCH) {
      items.push(...(await client.acceptBatch(bodies.slice(at, at + BATCH))))
    }
    // Real targets are few of a kind: these have several each, that share types and ids.
    await client.acceptBatch(ordinaryEvents(BATCH, { seed: 7, keyed: 0 }))
    const queued = items.filter(({ status }) => status === "queued").length + BATCH
    all = await eventually("every event is sequenced", async () => {
      const events = await client.list({ limit: 100 })
      return events.filter(({ actor }) => actor.id !== "cairn-cli").length === queued ? events : undefined
    })
  })

  it("accepts each, tells each repeated key, and refuses only what is no address", () => {
    assert.strictEqual(bodies.length, 3_384)
    assert.strictEqual(items.length, bodies.length)
    const holders = new Map<unknown, string | null>()
    for (const [index, item] of items.entries()) {
      const { idempotency_key: key } = bodies[index] ?? {}
      const address = lines[index]?.client_ip ?? null
      if (address !== null && isIP(address) === 0) {
        assert.deepStrictEqual(item, {
          id: null,
          status: "rejected",
          error: "validation_failed",
          message: `events[${index % BATCH}].ip_address: must be an IPv4 or IPv6 address`
        })
      } else if (key !== undefined && holders.has(key)) {
        assert.deepStrictEqual(item, { id: holders.get(key) ?? null, status: "duplicate" })
      } else {
        assert.strictEqual(item.status, "queued")
        holders.set(key, item.id)
      }
    }
  })

  it("returns each as it was sent, in the order in which it was sent", () => {
    const sent = items.flatMap(({ id, status }, index) => (status === "queued" ? [{ id, index }] : []))
    const received = all.filter(
      ({ actor, tenant_id }) => actor.id !== "cairn-cli" && !tenant_id?.startsWith("tenant_")
    )
    assert.deepStrictEqual(
      received.map(({ id }) => id).reverse(),
      sent.map(({ id }) => id)
    )
    const byId = new Map(all.map((event) => [event.id, event]))
    for (const { id, index } of sent) {
      const body: Record<string, unknown> = bodies[index] ?? {}
      const event = byId.get(id ?? "")
      assert.deepStrictEqual(
        [event?.actor.id, event?.actor.name, event?.action, event?.action_category, event?.resource.type],
        [
          body.actor_id,
          body.actor_name ?? null,
          body.action,
          body.action_category ?? null,
          body.resource ?? null
        ]
      )
      assert.deepStrictEqual(
        [event?.tenant_id, event?.session_id, event?.idempotency_key, event?.metadata, event?.targets],
        [
          body.tenant_id ?? null,
          body.session_id ?? null,
          body.idempotency_key ?? null,
          body.metadata ?? null,
          body.targets ?? []
        ]
      )
    }
  })

  it("knows the country and the city of each address that the database knows", () => {
    const byId = new Map(all.map((event) => [event.id, event]))
    let known = 0
    for (const [index, { id, status }] of items.entries()) {
      if (status !== "queued") continue
      const event = byId.get(id ?? "")
      const place = placeOf(lines[index]?.client_ip ?? null)
      assert.deepStrictEqual([event?.ip_country ?? null, event?.ip_city ?? null], place)
      if (place[0] !== null) known++
    }
    assert.isAbove(known, 30)
  })

  it("is a valid chain, by the interface and by the command", async () => {
    const expected = wholeVerification(all.length)
    assert.deepStrictEqual(await client.verify({ limit: 100_000 }), expected)
    assert.deepStrictEqual<object>(chainOfSoundStore(await cairnJson(["verify"], { database })), expected)
  })

  /**
   * Holds the whole answer against the scan; of a long one its total, its beginning and a page from its
   * midst.
   */
  const expectSame = async (query: Record<string, string>): Promise<number> => {
    const expected = all.filter((event) => satisfies(event, query))
    const ids = (events: ReadonlyArray<Event>) => events.map(({ id }) => id)
    const said = JSON.stringify(query)
    const { data, pagination } = await client.page({ ...query, limit: 100 })
    assert.strictEqual(pagination.total, expected.length, said)
    assert.deepStrictEqual(ids(data), ids(expected.slice(0, 100)), said)
    const middle = expected[Math.floor(expected.length / 2)]
    if (expected.length > 500 && middle !== undefined) {
      const cursor = Cursor.encode(Micros.parse(middle.created_at) ?? 0)
      const rest = expected.slice(expected.indexOf(middle) + 1)
      const page = await client.page({ ...query, limit: 100, cursor })
      assert.deepStrictEqual(ids(page.data), ids(rest.slice(0, 100)), said)
    } else if (expected.length > 100) {
      assert.deepStrictEqual(ids(await client.list(query)), ids(expected), said)
    }
    return expected.length
  }

  const valuesOf = (event: Event): Record<string, string | null | undefined> => ({
    action: event.action,
    actor_id: event.actor.id,
    resource: event.resource.type,
    resource_id: event.resource.id,
    tenant_id: event.tenant_id,
    session_id: event.session_id,
    target_type: event.targets[0]?.type,
    target_id: event.targets[0]?.id
  })

  it("answers each filter as a plain scan does", () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      for (const name of Object.keys(valuesOf(all[0] as Event))) {
        const counts = new Map<string, number>()
        for (const event of all) {
          const value = valuesOf(event)[name]
          if (typeof value === "string") counts.set(value, (counts.get(value) ?? 0) + 1)
        }
        assert.isAbove(counts.size, 0, name)
        const byFrequency = [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value)
        const chosen = new Set([
          ...byFrequency.slice(0, 3),
          ...Array.from({ length: 5 }, () => random.pick(byFrequency))
        ])
        for (const value of chosen) assert.isAbove(await expectSame({ [name]: value }), 0)
        assert.strictEqual(await expectSame({ [name]: "no such thing" }), 0)
      }
    }))

  it("answers a wildcard action as a plain scan does", async () => {
    const prefixes = new Set(all.map(({ action }) => action.split(".")[0] ?? ""))
    for (const prefix of [...prefixes].slice(0, 12)) await expectSame({ action: `${prefix}.*` })
    for (const action of ["*", "s3.Get*", "*.Get", "%", "s3%", "e_2.*", "google.admin.*", ".*"])
      await expectSame({ action })
  })

  it("answers a search as a plain scan does", { timeout: 60_000 }, () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      const terms = [
        "S3",
        "assumed",
        "AssumedRole",
        "HOMER",
        "zz-nothing-zz",
        '":"',
        "%",
        "_",
        "a",
        "ü",
        "é",
        "  ",
        '"',
        "arn:aws:iam::"
      ]
      for (let count = 0; count < 20; count++) {
        const text = JSON.stringify(random.pick(all).metadata)
        const at = random.below(Math.max(1, text.length - 20))
        const term = text.slice(at, at + 3 + random.below(15))
        terms.push(random.chance(0.5) ? term.toUpperCase() : term)
      }
      let found = 0
      for (const search of terms) found += (await expectSame({ search })) > 0 ? 1 : 0
      assert.isAbove(found, 15)
    })
  )

  it("answers a range of times as a plain scan does, its ends included", () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      for (let count = 0; count < 8; count++) {
        const [from = "", to = ""] = [random.pick(all).created_at, random.pick(all).created_at].sort()
        assert.isAbove(await expectSame({ from, to }), 0)
        await expectSame({ from })
        await expectSame({ to })
        await expectSame({ from: to, to: from })
      }
    }))

  it("answers filters together as a plain scan does", () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      let found = 0
      for (let count = 0; count < 40; count++) {
        const event = random.pick(all)
        const query: Record<string, string> = {}
        for (const [name, value] of Object.entries(valuesOf(event))) {
          if (typeof value === "string" && random.chance(0.35)) query[name] = value
        }
        if (random.chance(0.3)) query.action = `${event.action.split(".")[0]}.*`
        if (random.chance(0.3)) query.from = random.pick(all).created_at
        if (random.chance(0.3)) query.to = random.pick(all).created_at
        if (random.chance(0.3)) query.search = event.action.slice(1, 6)
        found += (await expectSame(query)) > 0 ? 1 : 0
      }
      assert.isAbove(found, 10)
    }))

  it("asks the type and the id of a target of the same target", async () => {
    const types = (event: Event) => new Set(event.targets.map(({ type }) => type)).size
    const mixed = all.filter((event) => types(event) > 1).slice(0, 5)
    assert.isAbove(mixed.length, 0)
    for (const { targets } of mixed) {
      const [first] = targets
      const other = targets.find(({ type }) => type !== first?.type)
      if (first?.id === undefined || other === undefined) continue
      await expectSame({ target_type: first.type, target_id: first.id })
      await expectSame({ target_type: other.type, target_id: first.id })
    }
  })

  it("pages through each event exactly once while more are being written", { timeout: 60_000 }, async () => {
    const seen: Array<Event> = []
    let batches = 0
    let pages = 0
    let total = all.length
    const write = () => client.acceptBatch(ordinaryEvents(5, { seed: ++batches, keyed: 0 }))
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query: Query = { limit: 7, ...(cursor === undefined ? {} : { cursor }) }
      const [{ data, pagination }] = await Promise.all([
        client.page(query),
        pages++ % 4 === 0 ? write() : undefined
      ])
      assert.isAtLeast(pagination.total, total)
      total = pagination.total
      seen.push(...data)
      cursor = pagination.next_cursor
    }
    assert.isAbove(batches, 10)
    const before = seen.filter(({ created_at }) => created_at <= (all[0]?.created_at ?? ""))
    assert.deepStrictEqual(
      before.map(({ id }) => id),
      all.map(({ id }) => id)
    )
    assert.strictEqual(new Set(seen.map(({ id }) => id)).size, seen.length)
    // What was written meanwhile is counted, and counted right.
    const count = all.length + batches * 5
    await eventually("the total is exact", async () =>
      (await client.page({ limit: 1 })).pagination.total === count ? true : undefined
    )
    assert.deepStrictEqual(await client.verify(), wholeVerification(count))
  })
})
