import { Micros } from "@cairn/core/encoding"
import { Cursor, type Histogram } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invalidParameter } from "./InvalidParameter.ts"
import { rawRequest } from "./RawExchange.ts"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"

interface Listed {
  readonly data: ReadonlyArray<{
    readonly action: string
    readonly occurred_at: string
    readonly created_at: string
  }>
  readonly pagination: { readonly next_cursor: string | null; readonly total: number }
}

/** When events occurred, in the order in which they are recorded; two of them at one moment. */
const OCCURRED = [
  ["now", undefined],
  ["long-ago", "1969-07-20T20:17:40Z"],
  ["tie-a", "2023-03-01T10:00:00Z"],
  ["far", "9000-01-01T00:00:00Z"],
  ["tie-b", "2023-03-01T10:00:00Z"],
  ["yesteryear", "2022-12-31T23:59:59.999999Z"]
] as const

const NEWEST_FIRST = ["far", "now", "tie-b", "tie-a", "yesteryear", "long-ago"]

/** Periods, with what occurred in them. */
const PERIODS: ReadonlyArray<readonly [query: string, actions: ReadonlyArray<string>]> = [
  ["from=2023-01-01&to=2023-12-31", ["tie-b", "tie-a"]],
  ["from=2023-03-01T10:00:00Z&to=2023-03-01T10:00:00Z", ["tie-b", "tie-a"]],
  ["from=2023-03-01T10:00:00.000001Z&to=2024-01-01", []],
  ["to=2022-12-31T23:59:59.999999Z", ["yesteryear", "long-ago"]],
  ["to=1970-01-01", ["long-ago"]],
  ["from=8999-12-31T23:59:59.999999Z", ["far"]],
  ["from=2023-01-01&action=tie-a", ["tie-a"]],
  ["to=9999-12-31", NEWEST_FIRST]
]

const record = Effect.fnUntraced(function* (key: string) {
  const events = OCCURRED.map(([action, at]) => ({
    ...EVENT,
    action,
    ...(at === undefined ? {} : { occurred_at: at })
  }))
  const response = yield* send({ path: `${EVENTS}/batch`, key, body: { events } })
  assert.strictEqual(response.status, 202)
  yield* sequence
})

const stage = Effect.gen(function* () {
  const { key } = yield* makeTenant()
  yield* record(key)
  return key
})

const list = (key: string, query: string) =>
  Effect.map(send({ path: `${EVENTS}?${query}`, key }), (response) => {
    assert.strictEqual(response.status, 200, `${query}: ${response.text}`)
    return response.json<Listed>()
  })

const actionsOf = ({ data }: Listed) => data.map(({ action }) => action)

describe("events by when they occurred", () => {
  it.live("are listed newest first, page by page, events of one moment by their recording", () =>
    Effect.gen(function* () {
      const key = yield* stage
      assert.deepStrictEqual(actionsOf(yield* list(key, "time=occurred")), NEWEST_FIRST)
      const recorded = OCCURRED.map(([action]) => action).toReversed()
      for (const query of ["", "time=recorded"])
        assert.deepStrictEqual(actionsOf(yield* list(key, query)), recorded)
      const seen: Array<string> = []
      for (let cursor: string | null = ""; cursor !== null; ) {
        const from: string = cursor === "" ? "" : `&cursor=${cursor}`
        const page: Listed = yield* list(key, `time=occurred&limit=2${from}`)
        assert.strictEqual(page.pagination.total, OCCURRED.length)
        assert.lengthOf(page.data, 2)
        seen.push(...actionsOf(page))
        cursor = page.pagination.next_cursor
        const last = Micros.parse(page.data[1]?.occurred_at ?? "")
        if (cursor !== null) assert.strictEqual(Cursor.decodeOccurrence(cursor)?.occurredAt, last)
      }
      assert.deepStrictEqual(seen, NEWEST_FIRST)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are selected by from and to, inclusively, in list, count and histogram", () =>
    Effect.gen(function* () {
      const key = yield* stage
      for (const [query, actions] of PERIODS) {
        const page = yield* list(key, `time=occurred&${query}`)
        assert.deepStrictEqual(actionsOf(page), actions, query)
        assert.strictEqual(page.pagination.total, actions.length, query)
        const counted = yield* send({ path: `${EVENTS}/count?time=occurred&${query}`, key })
        assert.deepStrictEqual(counted.json(), { data: { total: actions.length } }, query)
        const read = yield* send({ path: `${EVENTS}/histogram?time=occurred&${query}`, key })
        const { buckets } = read.json<{ readonly data: Histogram }>().data
        assert.strictEqual(
          buckets.reduce((sum, { count }) => sum + count, 0),
          actions.length,
          query
        )
      }
      const { data } = (yield* send({
        path: `${EVENTS}/histogram?time=occurred&from=2022-12-01&to=2023-12-01&buckets=100`,
        key
      })).json<{ readonly data: Histogram }>()
      assert.deepStrictEqual(data, {
        bucket_seconds: 86_400,
        buckets: [
          { start: "2022-12-31T00:00:00.000000Z", count: 1 },
          { start: "2023-03-01T00:00:00.000000Z", count: 2 }
        ]
      })
      // By when they were recorded, all are of today.
      assert.deepStrictEqual(actionsOf(yield* list(key, "to=2023-12-31")), [])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are exported oldest first, and selected by from and to", () =>
    Effect.gen(function* () {
      const key = yield* stage
      const exported = Effect.fnUntraced(function* (query: string) {
        const sent = yield* send({ path: `${EVENTS}/export?format=ndjson&${query}`, key })
        assert.strictEqual(sent.status, 200, sent.text)
        const lines = sent.text.split("\n").filter((line) => line !== "")
        return lines.map((line): string => JSON.parse(line).action)
      })
      assert.deepStrictEqual(yield* exported("time=occurred"), NEWEST_FIRST.toReversed())
      for (const [query, actions] of PERIODS)
        assert.deepStrictEqual(yield* exported(`time=occurred&${query}`), actions.toReversed(), query)
      assert.deepStrictEqual(yield* exported("time=occurred&to=2023-12-31&search=TIE"), ["tie-a", "tie-b"])
      assert.deepStrictEqual(yield* exported("to=2023-12-31"), [])
      // The events of the exports themselves are among those of today.
      const recorded = yield* exported("time=recorded")
      assert.deepStrictEqual(
        recorded.slice(0, OCCURRED.length),
        OCCURRED.map(([action]) => action)
      )
      const wrong = yield* send({ path: `${EVENTS}/export?time=created`, key })
      assert.strictEqual(wrong.json().message, "time: must be one of recorded, occurred")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are told as they are recorded, those that from and to select", () =>
    Effect.gen(function* () {
      const key = yield* stage
      const live = Effect.fnUntraced(function* (query: string) {
        const answer = yield* rawRequest({ path: `${EVENTS}/live?${query}`, key })
        yield* Effect.promise(() => answer.read((text) => text.includes("retry: 5000\n\n")))
        return answer
      })
      const streams = yield* Effect.forEach(PERIODS, ([query]) => live(`time=occurred&${query}`))
      const searching = yield* live("time=occurred&to=2023-12-31&search=TIE")
      const byRecording = yield* live("to=2023-12-31")
      const all = yield* live("")
      yield* record(key)
      const expected = [...PERIODS.map(([, actions]) => actions.length), 2, 0, OCCURRED.length]
      const answers = [...streams, searching, byRecording, all]
      for (const [at, answer] of answers.entries())
        if (expected[at] !== 0)
          yield* Effect.promise(() => answer.read((text) => text.includes("event: count")))
      // All are told in one look.
      yield* Effect.promise(() => Promise.all(answers.map((answer) => answer.readFor(200))))
      assert.deepStrictEqual(
        answers.map((answer) => [...answer.text().matchAll(/"new":(\d+)/g)].map(([, text]) => Number(text))),
        expected.map((count) => (count === 0 ? [] : [count]))
      )
      const wrong = yield* send({ path: `${EVENTS}/live?time=created`, key })
      assert.strictEqual(wrong.json().message, "time: must be one of recorded, occurred")
    }).pipe(Effect.scoped, Effect.provide(testServer()))
  )

  it.live("have cursors of their own, and a time that is known", () =>
    Effect.gen(function* () {
      const key = yield* stage
      const cursorOf = (query: string) =>
        Effect.map(list(key, `limit=1${query}`), ({ pagination }) => pagination.next_cursor)
      const [recorded, occurred] = [yield* cursorOf(""), yield* cursorOf("&time=occurred")]
      const other = "cursor: is of a list with another `time`; begin without a cursor"
      const wrong = "cursor: must be the next_cursor of a previous response"
      for (const [query, message] of [
        [`time=occurred&cursor=${recorded}`, other],
        [`time=recorded&cursor=${occurred}`, other],
        [`cursor=${occurred}`, other],
        ["time=occurred&cursor=", wrong],
        [`time=occurred&cursor=${Buffer.from("01.1").toString("base64url")}`, wrong],
        [`time=occurred&cursor=${Buffer.from("1.-0").toString("base64url")}`, wrong],
        [`time=occurred&cursor=${Buffer.from("1.1").toString("base64url")}=`, wrong],
        ["time=created", "time: must be one of recorded, occurred"],
        ["time=occurred&time=occurred", "time: must be given once"],
        ["time=occurred&from=yesterday", "from: must be an ISO 8601 date or date-time"]
      ] as const) {
        const response = yield* send({ path: `${EVENTS}?${query}`, key })
        assert.strictEqual(response.status, 400, query)
        assert.deepStrictEqual(response.json(), invalidParameter(message), query)
      }
    }).pipe(Effect.provide(testServer()))
  )
})
