/** Ingesting without an Effect answers as the other way does, byte for byte, whatever is sent. */
import { connect } from "node:net"
import { Micros } from "@cairn/core/encoding"
import { eventGenerator, manualClock, naughtyStrings, type SeededRandom } from "@cairn/testing"
import { seededStory } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { ServerFront } from "../../../src/http/plumbing/NodeServer.ts"
import { standing } from "../StandingClock.ts"
import { EVENT, makeKey, makeTenant, makeWorkspace, TestServer, testServer } from "../TestServer.ts"

const CONVERSATIONS = 1_200

/** One request as it stands on the wire, by the name of the key that it brings. */
interface Request {
  readonly key: string
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: ReadonlyArray<string>
  readonly body: Buffer
  /** Into how many pieces the request is cut; a piece is sent when the one before has arrived. */
  readonly pieces: number
  /** By how many milliseconds the clock advances before it. */
  readonly later: number
}

/** Requests on one connection. */
interface Conversation {
  readonly requests: ReadonlyArray<Request>
  /** Whether none of them waits for the answer to the one before. */
  readonly isPipelined: boolean
}

const utf8 = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value))

const KEYS = [
  "all",
  "all",
  "all",
  "all",
  "warns",
  "limited",
  "small",
  "shut",
  "reader",
  "over",
  "wrong",
  "none"
]
const HEADERS: ReadonlyArray<readonly [name: string, ...values: ReadonlyArray<string>]> = [
  ["x-request-id", "one", "a b", "x".repeat(128), "x".repeat(129), ""],
  ["x-forwarded-for", "192.0.2.1", "192.0.2.1, 127.0.0.1", "nonsense", "[2001:db8::1]:4711"],
  ["accept", "application/problem+json", "application/json, application/problem+json;q=0.1", "*/*"],
  ["accept-encoding", "gzip, br", "zstd"],
  ["origin", "https://app.example.com"],
  ["cookie", "cairn=abc; other=1"],
  ["if-none-match", "*"],
  ["expect", "100-continue"],
  ["upgrade", "h2c"],
  ["connection", "Upgrade, HTTP2-Settings", "keep-alive"],
  ["content-encoding", "gzip", "identity", ""]
]
const TYPES = [
  "application/json; charset=utf-8",
  "application/json;charset=latin1",
  "application/cloudevents+json",
  "text/plain",
  "APPLICATION/JSON"
]

/** An event, mostly a good one. */
const anEvent = ({ chance, pick, below }: SeededRandom, ordinary: () => object): unknown => {
  const event = ordinary()
  if (chance(0.15)) return { ...event, idempotency_key: `key ${below(20)}` }
  if (chance(0.75)) return event
  return pick<() => unknown>([
    () => ({ ...event, actor_nmae: "typo", nested: { deep: [1, 2] } }),
    () => ({ ...event, metadata: { text: pick(naughtyStrings), list: [-0, 1.5e3], z: 1, a: null } }),
    () => ({ ...event, actor_name: pick(naughtyStrings) }),
    () => ({ ...event, action: "cairn.own" }),
    () => ({ ...event, action: 7, version: "1" }),
    () => ({ ...event, actor_id: "x".repeat(below(2) * 256 + 1) }),
    () => ({ ...event, occurred_at: pick(["2026-01-01T00:00:00Z", "2026-13-01", "0000-01-01", null]) }),
    () => ({ ...event, ip_address: pick(["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7", "nowhere"]) }),
    () => ({ ...event, targets: [{ type: "a" }, { type: "", id: null }, { typ: "b" }] }),
    () => ({ ...event, targets: Array.from({ length: 99 + below(3) }, () => ({ type: "a" })) }),
    () => ({ ...event, metadata: { long: "é".repeat(40_000) } }),
    () => ({}),
    () => [],
    () => null,
    () => "text"
  ])()
}

/** The body of a request, mostly a good one. */
const aBody = (random: SeededRandom, isBatch: boolean, ordinary: () => object): Buffer => {
  const { chance, pick, below } = random
  const item = () => anEvent(random, ordinary)
  const value: unknown = isBatch
    ? { events: Array.from({ length: below(8) || 101 * below(2) }, item) }
    : item()
  if (chance(0.8)) return utf8(value)
  const text = JSON.stringify(value)
  return pick<() => Buffer>([
    () => utf8(text.slice(0, -1)),
    () => utf8(`\ufeff${text}`),
    () => utf8(` \n${text} `),
    () => utf8(text.replace("{", '{"version":1,"version":2,')),
    () => utf8(text.replace("{", '{"metadata":{"n":12345678901234567890,"n":1},')),
    () => utf8(text.replace("{", '{"\\u0061ctor_id":"escaped",')),
    () => Buffer.concat([utf8('{"actor_id":"'), Buffer.from([0xff, 0xc0]), utf8('"}')]),
    () => utf8(isBatch ? text.replace("{", '{"other":1,') : `[${text}]`),
    () => utf8(`{"actor_id":"a","action":"b","metadata":{"x":"${"y".repeat(300_000)}"}}`),
    () =>
      utf8({ events: Array.from({ length: 90 }, () => ({ ...EVENT, metadata: { x: "y".repeat(3_500) } })) }),
    () => Buffer.alloc(0)
  ])()
}

/** A request, mostly a good one. */
const aRequest = (random: SeededRandom, ordinary: () => object): Request => {
  const { chance, pick, below } = random
  const isBatch = chance(0.3)
  const path = isBatch ? "/api/v1/events/batch" : "/api/v1/events"
  const body = aBody(random, isBatch, ordinary)
  const headers = chance(0.93) ? ["content-type: application/json"] : [`content-type: ${pick(TYPES)}`]
  while (chance(0.3)) {
    const [name, ...values] = pick(HEADERS)
    headers.push(`${name}: ${pick(values)}`)
  }
  const isChunked = chance(0.05)
  headers.push(isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`)
  const chunked = Buffer.concat([utf8(`${body.length.toString(16)}\r\n`), body, utf8("\r\n0\r\n\r\n")])
  return {
    key: pick(KEYS),
    method: chance(0.97) ? "POST" : pick(["GET", "PUT", "DELETE", "OPTIONS", "HEAD"]),
    target: chance(0.95)
      ? path
      : pick([`${path}?limit=1`, `${path}?`, `${path}/`, `http://host${path}`, `/x${path}`]),
    version: chance(0.97) ? "1.1" : "1.0",
    headers,
    body: isChunked && body.length > 0 ? chunked : isChunked ? utf8("0\r\n\r\n") : body,
    pieces: chance(0.9) ? 1 : 1 + below(4),
    later: chance(0.05) ? below(3_000) : 0
  }
}

const bytesOf = (request: Request, keys: ReadonlyMap<string, string>): Buffer => {
  const { key, method, target, version, headers, body } = request
  const secret = keys.get(key)
  const head = [
    `${method} ${target} HTTP/${version}`,
    "host: cairn.example.com",
    ...(secret === undefined ? [] : [`authorization: Bearer ${secret}`]),
    ...headers
  ]
  return Buffer.concat([utf8(`${head.join("\r\n")}\r\n\r\n`), body])
}

const LAST = utf8("GET /nothing HTTP/1.1\r\nhost: x\r\nx-request-id: last\r\nconnection: close\r\n\r\n")

/** All that was answered on one connection. */
interface Answered {
  readonly text: string
  /** The server closed the connection while something was still sent: some of its answers may be lost. */
  readonly isCut: boolean
}

/** Sends each message once the one before is answered, a few milliseconds between its pieces. */
const converse = (port: number, messages: ReadonlyArray<ReadonlyArray<Buffer>>): Promise<Answered> =>
  new Promise((resolve) => {
    let text = ""
    let isCut = false
    let sent = 0
    let isSending = false
    const socket = connect(port, "127.0.0.1")
    socket.setNoDelay(true)
    const next = () => {
      const answers = text.match(/HTTP\/1\.1 (?!100)\d/g)?.length ?? 0
      const pieces = messages[sent]
      if (isSending || answers < sent || pieces === undefined) return
      isSending = true
      send(pieces)
    }
    const send = (pieces: ReadonlyArray<Buffer>, at = 0) => {
      const piece = pieces[at]
      if (socket.destroyed) return
      if (piece !== undefined) {
        socket.write(piece, () => setTimeout(send, 3, pieces, at + 1))
        return
      }
      isSending = false
      sent++
      next()
    }
    socket
      .setEncoding("latin1")
      .on("connect", next)
      .on("data", (chunk) => {
        text += chunk
        next()
      })
      .on("error", () => {
        isCut = true
      })
      .on("close", () => resolve({ text, isCut }))
  })

const cut = (bytes: Buffer, pieces: number): ReadonlyArray<Buffer> => {
  const size = Math.ceil(bytes.length / pieces)
  return Array.from({ length: pieces }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}

/** Most bytes of a body that a server reads to its end though it refuses the request. */
const SMALL_BODY = 60_000

/** What Node answers in the same way, however soon the next request comes after it on its connection. */
const mayBePipelined = ({ method, version, headers, body }: Request): boolean =>
  method === "POST" &&
  version === "1.1" &&
  body.length < SMALL_BODY &&
  !headers.some((header) => /^(?:expect|upgrade|connection):/.test(header))

/** Whether the server certainly closes the connection after it. */
const isLast = ({ version, headers }: Request): boolean =>
  version === "1.0" && !headers.includes("connection: keep-alive")

/** Whether it may close the connection after it: where it refuses a request whose body has not come yet. */
const mayBeLast = ({ pieces, headers, body }: Request): boolean =>
  pieces > 1 || body.length >= SMALL_BODY || headers.includes("expect: 100-continue")

/**
 * The messages of a conversation. After a request that the server may answer by closing the connection
 * nothing is sent that would change anything: whether it arrives is a matter of time.
 */
const messagesOf = (
  { requests, isPipelined }: Conversation,
  keys: ReadonlyMap<string, string>
): ReadonlyArray<ReadonlyArray<Buffer>> => {
  if (isPipelined && requests.every(mayBePipelined))
    return [[Buffer.concat([...requests.map((request) => bytesOf(request, keys)), LAST])]]
  const end = requests.findIndex((request) => isLast(request) || mayBeLast(request))
  const sent = end < 0 ? requests : requests.slice(0, end + 1)
  const messages = sent.map((request) => cut(bytesOf(request, keys), request.pieces))
  return sent.some(isLast) ? messages : [...messages, [LAST]]
}

/** Without what two servers cannot agree on: ids, which are numbered as they appear, and Node's date. */
const comparable = (text: string): string => {
  const ids = new Map<string, string>()
  const numbered = (id: string) => {
    const known = ids.get(id) ?? `id ${ids.size}`
    ids.set(id, known)
    return known
  }
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered)
    .replace(/\b[0-9a-f]{24}\b/g, "request id")
    .replace(/Date: [^\r]*/g, "Date")
}

const makeKeys = Effect.gen(function* () {
  const all = yield* makeTenant()
  const reader = yield* makeKey(all.workspace.id, ["read"])
  const over = yield* makeKey(all.workspace.id, ["ingest"], {
    expires_at: Micros.parse("2026-05-01T12:00:20Z") ?? 0
  })
  const warns = yield* makeTenant({ unknown_fields: "warn" })
  const limited = yield* makeTenant({ overrides: { requests_per_minute: 40 } })
  const small = yield* makeTenant({ overrides: { events_per_month: 60 } })
  const shut = yield* makeKey((yield* makeWorkspace({ ip_allowlist: ["192.0.2.0/24"] })).id)
  return new Map([
    ["all", all.key],
    ["warns", warns.key],
    ["limited", limited.key],
    ["small", small.key],
    ["shut", shut.key],
    ["reader", reader.key],
    ["over", over.key],
    ["wrong", all.key.replace(/.$/, (last) => (last === "x" ? "y" : "x"))]
  ])
})

/** What is answered to all conversations, in order, and how many requests were taken at the front. */
const answersOf = (conversations: ReadonlyArray<Conversation>, prompt: boolean) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return Effect.gen(function* () {
    const { port } = yield* TestServer
    const front = yield* ServerFront
    const keys = yield* makeKeys
    const { take } = front
    let taken = 0
    front.take = (request, response) => {
      const isTaken = prompt && take(request, response)
      if (isTaken) taken++
      return isTaken
    }
    const answers: Array<Answered> = []
    for (const conversation of conversations) {
      time.advance(conversation.requests.reduce((sum, { later }) => sum + later * 1_000, 0))
      const { text, isCut } = yield* Effect.promise(() => converse(port, messagesOf(conversation, keys)))
      answers.push({ text: comparable(text), isCut })
    }
    return { answers, taken }
  }).pipe(
    Effect.provide(testServer({ inboxCapacity: 1_000_000, config: { trustedProxies: [] } })),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

/** Whether both answer the same, as far as both answers arrived. */
const agree = (one: Answered, other: Answered): boolean =>
  one.text === other.text ||
  (one.isCut && other.text.startsWith(one.text)) ||
  (other.isCut && one.text.startsWith(other.text))

describe("Ingesting without an Effect", () => {
  it.live("answers as the other way does", () =>
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const ordinary = eventGenerator({ seed: random.below(2 ** 31) })
        const conversations = Array.from({ length: CONVERSATIONS }, () => ({
          requests: Array.from({ length: random.chance(0.2) ? 1 + random.below(4) : 1 }, () =>
            aRequest(random, ordinary)
          ),
          isPipelined: random.chance(0.3)
        }))
        const others = yield* answersOf(conversations, false)
        const { answers, taken } = yield* answersOf(conversations, true)
        for (const [index, answered] of answers.entries()) {
          const other = others.answers[index]
          assert.isDefined(other)
          if (other === undefined || agree(answered, other)) continue
          const sent = conversations[index]?.requests.map((one) => bytesOf(one, new Map()).toString("latin1"))
          assert.strictEqual(answered.text, other.text, sent?.join("\n").slice(0, 2_000))
        }
        assert.strictEqual(others.taken, 0)
        const count = (status: string) =>
          others.answers.filter(({ text }) => text.includes(` ${status} `)).length
        for (const status of ["202", "400", "401", "403", "413", "415", "422", "429"])
          assert.isAbove(count(status), 5, status)
        // PostgreSQL's inbox needs an Effect.
        if (process.env.CAIRN_TEST_STORAGE !== "postgres") assert.isAbove(taken, CONVERSATIONS / 4)
        // Most connections end as their server means it.
        assert.isBelow(answers.filter(({ isCut }) => isCut).length, CONVERSATIONS / 20)
      })
    )
  )
})
