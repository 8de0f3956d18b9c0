/** The conformance suite of `testdata/client` on this client. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  Cairn,
  CairnApiError,
  CairnConnectionError,
  type CairnOptions,
  CairnTimeoutError,
  ClosedError,
  type EventInput,
  EventRefusedError,
  QueueFullError,
  type Report
} from "../src/index.ts"
import { type Expect, type Step, scriptedServer } from "./ScriptedServer.ts"
import { matches, Names } from "./SuiteValues.ts"

const FOLDER = fileURLToPath(new URL("../../../testdata/client/", import.meta.url))

type Json = Readonly<Record<string, unknown>>

interface Fails {
  readonly type: keyof typeof TYPES
  readonly code?: string
  readonly status?: number
  readonly request_id?: string
  readonly key?: unknown
  readonly has?: ReadonlyArray<string>
  readonly lacks?: ReadonlyArray<string>
}

interface Call {
  readonly do: "record" | "enqueue" | "flush" | "close" | "list"
  readonly event?: Json
  readonly repeat?: number
  readonly filter?: Json
  readonly options?: {
    readonly timeout_millis?: number
    readonly failure?: "open"
    readonly when_full?: "drop"
  }
  readonly gives?: unknown
  readonly fails?: Fails
}

interface ExpectedReport {
  readonly kind: string
  readonly actors: ReadonlyArray<string>
  readonly has?: ReadonlyArray<string>
  readonly lacks?: ReadonlyArray<string>
}

interface Case {
  readonly name: string
  readonly client?: {
    readonly timeout_millis?: number
    readonly failure?: "open"
    readonly when_full?: "drop"
    readonly batch?: { readonly count?: number; readonly bytes?: number; readonly delay_millis?: number }
    readonly retry?: { readonly base_millis: number; readonly max_millis: number }
    readonly queue?: { readonly events: number }
    readonly context?: Json
    readonly redact?: ReadonlyArray<string>
    readonly api_key?: string
    readonly path?: string
  }
  readonly server?: ReadonlyArray<Step>
  readonly calls?: ReadonlyArray<Call>
  readonly makes?: { readonly fails: Fails }
  readonly after?: { readonly counters?: Json; readonly reports?: ReadonlyArray<ExpectedReport> | "any" }
}

const TYPES = {
  refused: EventRefusedError,
  api: CairnApiError,
  connection: CairnConnectionError,
  timeout: CairnTimeoutError,
  queue_full: QueueFullError,
  closed: ClosedError,
  usage: TypeError
}

const optionsOf = (
  url: string,
  client: Case["client"] = {},
  onError: CairnOptions["onError"]
): CairnOptions => ({
  url: url + (client.path ?? ""),
  apiKey: client.api_key ?? "test-key",
  // The suite's own limits are small where one is to pass: nothing else may on a slow machine.
  timeoutMillis: client.timeout_millis ?? 60_000,
  failure: client.failure,
  whenFull: client.when_full,
  batch: client.batch && {
    count: client.batch.count,
    bytes: client.batch.bytes,
    delayMillis: client.batch.delay_millis
  },
  retry: { baseMillis: client.retry?.base_millis ?? 1, maxMillis: client.retry?.max_millis ?? 4 },
  queue: client.queue,
  context: client.context && (() => client.context as Partial<EventInput>),
  redact: client.redact,
  onError,
  handleExit: false
})

const assertText = (text: string, { has = [], lacks = [] }: Pick<Fails, "has" | "lacks">) => {
  for (const part of has) assert.include(text, part)
  for (const part of lacks) assert.notInclude(text, part)
}

const assertError = (error: unknown, fails: Fails, names: Names) => {
  assert.instanceOf(error, TYPES[fails.type], String(error))
  const { message, code, status, requestId, key } = error as CairnApiError
  if (fails.code !== undefined) assert.strictEqual(code, fails.code)
  if (fails.status !== undefined) assert.strictEqual(status, fails.status)
  if (fails.request_id !== undefined) assert.strictEqual(requestId, fails.request_id)
  if (fails.key !== undefined) assert.isTrue(matches(fails.key, key, names), `key: ${key}`)
  assertText(`${message}\n${JSON.stringify(error)}`, fails)
}

/** A given event with its long texts written out, for the n-th of repeated calls. */
const eventOf = ({ event = {}, repeat }: Call, index: number): EventInput => {
  const written = JSON.parse(JSON.stringify(event), (_, value) =>
    typeof value === "object" && value !== null && typeof value.$text === "string"
      ? value.$text.repeat(value.$times)
      : value
  )
  return repeat === undefined ? written : { ...written, actor_id: `${written.actor_id}-${index}` }
}

const perform = async (cairn: Cairn, call: Call, index: number): Promise<unknown> => {
  const { timeout_millis: timeoutMillis, failure, when_full: whenFull } = call.options ?? {}
  const options = { timeoutMillis, failure, whenFull }
  switch (call.do) {
    case "record":
      return cairn.record(eventOf(call, index), options)
    case "enqueue":
      return cairn.enqueue(eventOf(call, index), options)
    case "flush":
      return cairn.flush({ timeoutMillis: timeoutMillis ?? 60_000 })
    case "close":
      return cairn.close({ timeoutMillis: timeoutMillis ?? 60_000 })
    case "list": {
      const ids: Array<string> = []
      for await (const { id } of cairn.events.list(call.filter)) ids.push(id)
      return ids
    }
  }
}

const assertCall = async (cairn: Cairn, call: Call, names: Names) => {
  const many = Array.from({ length: call.repeat ?? 1 }, (_, index) =>
    perform(cairn, call, index).then(
      (value) => ({ value }),
      (error: unknown) => ({ error })
    )
  )
  for (const result of await Promise.all(many)) {
    if (call.fails !== undefined) {
      if (!("error" in result)) assert.fail(`${call.do} gave ${JSON.stringify(result.value)}`)
      assertError(result.error, call.fails, names)
    } else {
      if ("error" in result) throw result.error
      if (Array.isArray(call.gives)) assert.deepStrictEqual(result.value, call.gives)
      for (const [name, expected] of Object.entries(Array.isArray(call.gives) ? {} : (call.gives ?? {}))) {
        const actual = (result.value as Json)[name]
        assert.isTrue(matches(expected, actual, names), `${call.do}: ${name} was ${JSON.stringify(actual)}`)
      }
    }
  }
}

const assertReports = (
  expected: ReadonlyArray<ExpectedReport>,
  reports: ReadonlyArray<Report & { readonly message: string }>
) => {
  const said = reports.map(({ kind, events }) => ({
    kind: String(kind),
    actors: events.map(({ json }) => JSON.parse(json).actor_id)
  }))
  assert.deepStrictEqual(
    said,
    expected.map(({ kind, actors }) => ({ kind, actors: [...actors] }))
  )
  for (const [index, one] of expected.entries()) assertText(reports[index]?.message ?? "", one)
}

const run = async ({ client, server = [], calls = [], makes, after = {} }: Case) => {
  const names = new Names()
  const script = await scriptedServer(
    server,
    (expect: Expect, asked) => expect.body === undefined || matches(expect.body, asked, names)
  )
  const reports: Array<Report & { readonly message: string }> = []
  const options = optionsOf(script.url, client, ({ message }, report) => {
    reports.push({ ...report, message })
  })
  try {
    if (makes !== undefined) {
      let error: unknown
      try {
        new Cairn(options)
      } catch (thrown) {
        error = thrown
      }
      return assertError(error, makes.fails, names)
    }
    const cairn = new Cairn(options)
    try {
      for (const call of calls) await assertCall(cairn, call, names)
      script.assertDone()
    } finally {
      script.end()
      await cairn.close({ timeoutMillis: 50 })
    }
    assert.deepInclude(cairn.counters, after.counters ?? {})
    if (after.reports !== undefined && after.reports !== "any") assertReports(after.reports, reports)
  } finally {
    await script.close()
  }
}

describe("the conformance suite of clients", () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".json"))) {
    const { about, cases } = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as {
      readonly about: string
      readonly cases: ReadonlyArray<Case>
    }
    describe(about, () => {
      for (const one of cases) it(one.name, () => run(one))
    })
  }
})
