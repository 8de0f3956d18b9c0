import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { SecretBox } from "@cairn/core/hashing"
import { LogStreams, Outbox, streamConsumer } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { EVENT, makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const STREAMS = "/api/v1/log-streams"

interface Stream {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly enabled: boolean
  readonly format: string
  readonly action: string | null
  readonly sequence: number
  readonly lag: number
  readonly destination: Record<string, unknown>
  readonly updated_at: string
}
interface Told {
  readonly action: string
  readonly metadata: Record<string, unknown>
}

const SPLUNK = { type: "splunk_hec", url: "https://splunk.example.com:8088", token: "hec-token" }

const toldText = (key: string) =>
  Effect.gen(function* () {
    yield* sequence
    return (yield* send({ path: "/api/v1/events?action=cairn.*&limit=100", key })).text
  })
const told = (key: string) =>
  Effect.map(toldText(key), (text) => (JSON.parse(text) as { data: Array<Told> }).data.toReversed())

const create = (key: string, body: unknown) => send({ path: STREAMS, key, body })
const stream = (key: string, body: unknown = { name: "SIEM", destination: SPLUNK }) =>
  Effect.map(create(key, body), (answer) => answer.json<{ data: Stream }>().data)
const patch = (key: string, id: string, body: unknown) =>
  send({ path: `${STREAMS}/${id}`, method: "PATCH", key, body })
const post = (key: string, path: string) => send({ path, method: "POST", key })

/** The secrets of a stored stream, opened. */
const secretsOf = (workspaceId: string, id: string) =>
  Effect.gen(function* () {
    const stored = Option.getOrThrow(yield* (yield* LogStreams).get(workspaceId, id))
    const { open } = yield* SecretBox
    return { stored, secrets: Result.getOrThrow(open(stored.sealed ?? "", id)) }
  })

describe("/api/v1/log-streams", () => {
  it.live("creates a stream with defaults, and shows its secret to nobody", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const answer = yield* create(key, { name: "SIEM", destination: SPLUNK })
      assert.strictEqual(answer.status, 201)
      const { data } = answer.json<{ data: Stream }>()
      assert.match(data.id, /^str_/)
      assert.deepInclude(data, { name: "SIEM", enabled: true, format: "cairn", status: "healthy" })
      assert.deepStrictEqual(data.destination, {
        ...SPLUNK,
        token: "***",
        index: null,
        source: "cairn",
        sourcetype: "cairn:audit"
      })
      assert.notInclude((yield* send({ path: STREAMS, key })).text, "hec-token")
      assert.notInclude(yield* toldText(key), "hec-token")
      const { stored, secrets } = yield* secretsOf(workspace.id, data.id)
      assert.notInclude(JSON.stringify(stored), "hec-token")
      assert.strictEqual(secrets, '{"token":"hec-token"}')
      assert.deepInclude((yield* told(key))[0], { action: "cairn.log_stream.created" })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("begins with the next event, or with the first where it is told to", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      yield* sequence
      const next = yield* stream(key)
      assert.deepInclude(next, { sequence: 1, lag: 0 })
      yield* sequence
      const first = yield* stream(key, { name: "All", destination: SPLUNK, start: "beginning" })
      // The event, and that of the stream before.
      assert.strictEqual(first.lag, 2)
      assert.strictEqual(first.sequence, 0)
      const shown = (yield* send({ path: `${STREAMS}/${next.id}`, key })).json<{ data: Stream }>().data
      assert.deepInclude(shown, { sequence: 1, lag: 1 })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are twenty at most, on or off, whoever asks at once", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const body = { name: "SIEM", destination: SPLUNK, enabled: false }
      const create = send({ path: STREAMS, key, body })
      const answers = yield* Effect.forEach(Array.from({ length: 25 }), () => create, { concurrency: 5 })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array.from({ length: 20 }, () => 201),
        ...Array.from({ length: 5 }, () => 409)
      ])
      const refused = yield* create
      assert.deepStrictEqual(refused.json(), {
        error: "conflict",
        message: "a workspace has at most 20 log streams; delete one to make room"
      })
      const listed = (yield* send({ path: `${STREAMS}?limit=100`, key })).json<{ data: Array<Stream> }>()
      assert.lengthOf(listed.data, 20)
      yield* send({ path: `${STREAMS}/${listed.data[0]?.id}`, method: "DELETE", key })
      assert.strictEqual((yield* create).status, 201)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses what is wrong with 422 and its path", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const good = { name: "x", destination: SPLUNK }
      const cases: ReadonlyArray<readonly [unknown, string, string?]> = [
        [{ destination: SPLUNK }, "name"],
        [{ name: "x" }, "destination"],
        [{ name: "x", destination: {} }, "destination.type"],
        [{ name: "x", destination: { type: "fax" } }, "destination.type"],
        [{ name: "x", destination: { ...SPLUNK, url: undefined } }, "destination.url"],
        [
          { name: "x", destination: { ...SPLUNK, url: "https://10.0.0.1:8088" } },
          "destination.url",
          "CAIRN_OUTBOUND_ALLOW"
        ],
        [{ name: "x", destination: { ...SPLUNK, token: "***" } }, "destination.token"],
        [
          { name: "x", destination: { type: "syslog", host: "192.168.1.1" } },
          "destination.host",
          "CAIRN_OUTBOUND_ALLOW"
        ],
        [
          { name: "x", destination: { type: "file", path: "a.log" } },
          "destination.type",
          "CAIRN_STREAM_FOLDER"
        ],
        [{ ...good, format: "xml" }, "format"],
        [{ ...good, batch_events: 0 }, "batch_events"],
        [{ ...good, start: "yesterday" }, "start"],
        [{ ...good, action: "" }, "action"]
      ]
      for (const [body, path, variable = ""] of cases) {
        const answer = yield* create(key, body)
        assert.strictEqual(answer.status, 422, JSON.stringify(body))
        assert.match(
          String(answer.json().message),
          new RegExp(`^${path}:? .*${variable}`),
          JSON.stringify(body)
        )
      }
      assert.strictEqual((yield* create(key, [])).status, 422)
      assert.deepStrictEqual((yield* send({ path: STREAMS, key })).json<{ data: unknown }>().data, [])
    }).pipe(Effect.provide(testServer()))
  )

  it.live(
    "keeps the secret of a destination that is sent back as it was shown, at the same address only",
    () =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant()
        const { id, destination, updated_at } = yield* stream(key)
        const same = yield* patch(key, id, {
          name: "Renamed",
          destination: { ...destination, index: "audit" }
        })
        assert.strictEqual(same.status, 200)
        const { data } = same.json<{ data: Stream }>()
        assert.deepInclude(data, { name: "Renamed" })
        assert.deepInclude(data.destination, { index: "audit", token: "***" })
        assert.notStrictEqual(data.updated_at, updated_at)
        assert.strictEqual((yield* secretsOf(workspace.id, id)).secrets, '{"token":"hec-token"}')

        const elsewhere = { ...destination, url: "https://thief.example.com:8088" }
        const refused = yield* patch(key, id, { destination: elsewhere })
        assert.strictEqual(refused.status, 422)
        assert.match(String(refused.json().message), /^destination\.token: must be given again/)
        const given = yield* patch(key, id, { destination: { ...elsewhere, token: "another" } })
        assert.strictEqual(given.status, 200)
        assert.strictEqual((yield* secretsOf(workspace.id, id)).secrets, '{"token":"another"}')
        assert.notInclude(yield* toldText(key), "another")
      }).pipe(Effect.provide(testServer()))
  )

  it.live("changes settings one by one", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = yield* stream(key, { name: "x", destination: SPLUNK, format: "cef", action: "user.*" })
      const changed = (yield* patch(key, id, { format: "cairn", enabled: false })).json<{ data: Stream }>()
        .data
      assert.deepInclude(changed, { format: "cairn", action: "user.*", enabled: false, status: "disabled" })
      yield* patch(key, id, {})
      const changes = (yield* told(key)).filter(({ action }) => action === "cairn.log_stream.updated")
      assert.deepStrictEqual(
        changes.map(({ metadata }) => metadata),
        [{ changed: { enabled: { from: true, to: false }, format: { from: "cef", to: "cairn" } } }]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("stops where it stands and goes on from there, and tells the log when that changes anything", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = yield* stream(key)
      const paused = yield* post(key, `${STREAMS}/${id}/pause`)
      assert.strictEqual(paused.status, 200)
      assert.deepInclude(paused.json<{ data: Stream }>().data, { status: "paused" })
      yield* post(key, `${STREAMS}/${id}/pause`)
      const resumed = yield* post(key, `${STREAMS}/${id}/resume`)
      assert.deepInclude(resumed.json<{ data: Stream }>().data, { status: "healthy" })
      assert.deepStrictEqual(
        (yield* told(key)).map(({ action }) => action),
        ["cairn.log_stream.created", "cairn.log_stream.paused", "cairn.log_stream.resumed"]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("that is deleted leaves no position behind", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const { id } = yield* stream(key)
      yield* post(key, `${STREAMS}/${id}/pause`)
      const positions = Effect.flatMap(Consumers, ({ list }) => list(workspace.id))
      assert.deepStrictEqual(
        (yield* positions).map(({ consumer }) => consumer),
        [streamConsumer(id)]
      )
      assert.strictEqual((yield* send({ path: `${STREAMS}/${id}`, method: "DELETE", key })).status, 200)
      assert.deepStrictEqual(yield* positions, [])
      assert.strictEqual((yield* send({ path: `${STREAMS}/${id}`, key })).status, 404)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are tested by hand, and the test says what the destination answered", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = yield* stream(key, { name: "x", destination: SPLUNK, enabled: false })
      const path = `${STREAMS}/${id}/test`
      for (const wait of ["0", "21", "x"])
        assert.strictEqual((yield* post(key, `${path}?wait=${wait}`)).status, 400)
      const asked = yield* Effect.forkChild(post(key, `${path}?wait=20`))
      const outbox = yield* Outbox
      // The worker's part, by hand.
      const claim = Effect.gen(function* () {
        while (true) {
          const now = yield* Micros.now
          const shares = (yield* outbox.receivers("stream", now)).map((one) => ({ ...one, limit: 1 }))
          const until = now + Micros.MINUTE
          const claimed = yield* outbox.claim({ channel: "stream", shares, now, until, claim: "test" })
          const mine = claimed.find(({ target }) => target === id)
          if (mine !== undefined) return mine
          yield* Effect.sleep("20 millis")
        }
      })
      const attempt = { started_at: 7, duration: 12, status: 403, answer: "Invalid token", error: null }
      const settlement = { attempt, status: "failed", dueAt: null } as const
      yield* outbox.settle(yield* claim, settlement)
      const answer = yield* Fiber.join(asked)
      assert.strictEqual(answer.status, 202)
      const { data } = answer.json<{ data: { readonly id: string; readonly attempt: object } }>()
      const shown = {
        channel: "stream",
        target: id,
        type: "stream.test",
        status: "failed",
        next_attempt_at: null
      }
      assert.deepInclude(data, {
        ...shown,
        attempt: {
          started_at: Micros.format(7),
          duration_ms: 12,
          status: 403,
          answer: "Invalid token",
          error: null
        }
      })
      const found = yield* send({ path: "/api/v1/deliveries?channel=stream", key })
      assert.deepInclude(found.json<{ data: ReadonlyArray<object> }>().data[0], { ...shown, id: data.id })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are for keys with the scope admin, and each workspace sees its own", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const other = yield* makeTenant()
      const { id } = yield* stream(key)
      const reader = yield* makeKey(workspace.id, ["read"])
      assert.strictEqual((yield* send({ path: STREAMS, key: reader.key })).status, 403)
      assert.strictEqual((yield* send({ path: `${STREAMS}/${id}`, key: other.key })).status, 404)
      assert.strictEqual((yield* patch(other.key, id, { name: "Mine" })).status, 404)
      for (const verb of ["pause", "resume", "test"])
        assert.strictEqual((yield* post(other.key, `${STREAMS}/${id}/${verb}`)).status, 404)
      assert.deepStrictEqual(
        (yield* send({ path: STREAMS, key: other.key })).json<{ data: unknown }>().data,
        []
      )
    }).pipe(Effect.provide(testServer()))
  )
})
