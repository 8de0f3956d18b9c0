/** The API key is in nothing that an application is told, however a peer repeats it. */
import { assert, describe, it } from "@effect/vitest"
import { Cairn } from "../src/index.ts"

const KEY = 'cairn_live_5"e\\c/ret'
const written: ReadonlyArray<string> = [
  JSON.stringify(KEY),
  // Each character as an escape.
  `"${[...KEY].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`,
  JSON.stringify(encodeURIComponent(KEY)),
  JSON.stringify(KEY).replace("/", "\\/")
]

/** What the application is told of one event that is answered so. */
const told = async (status: number, body: string, headers: Record<string, string>) => {
  const reports: Array<unknown> = []
  const client = new Cairn({
    url: "https://audit.test",
    apiKey: KEY,
    batch: { delayMillis: 3_600_000 },
    retry: { baseMillis: 3_600_000 },
    handleExit: false,
    fetch: async () => new Response(body, { status, headers }),
    onError: (error, report) => reports.push([error.message, { ...error }, report])
  })
  const event = { actor_id: "ada", action: "a.b" }
  const error = await client
    .record(event, { timeoutMillis: 50 })
    .catch((cause: Error) => [cause.message, { ...cause }])
  await client.enqueue(event)
  await client.flush({ timeoutMillis: 50 })
  return JSON.stringify([error, reports])
}

describe("an answer that repeats the API key", () => {
  const bodies: Readonly<Record<string, readonly [number, (key: string) => string]>> = {
    "in an error of the service": [401, (key) => `{"error":"unauthenticated","message":${key}}`],
    "in a refusal": [
      422,
      (key) =>
        `{"error":"validation_failed","message":${key},"errors":[{"field":${key},"message":${key}}],"unknown_fields":[${key}]}`
    ],
    "in an error of another": [403, (key) => `{"blocked":{${key}:[${key}]}}`],
    "in warnings": [202, (key) => `{"id":"1","status":"queued","warnings":[${key}]}`]
  }
  for (const [name, [status, body]] of Object.entries(bodies)) {
    it(`does not bring it into errors and reports: ${name}`, async () => {
      for (const key of written) {
        const said = await told(status, body(key), {})
        for (const form of [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY)]) {
          assert.notInclude(said, form, key)
          assert.notInclude(said, JSON.stringify(form).slice(1, -1), key)
        }
        assert.include(said, "[redacted]", key)
      }
    })
  }

  it("does not bring it into errors and reports: as the id of the request", async () => {
    for (const id of [KEY, encodeURIComponent(KEY)]) {
      const body = '{"error":"validation_failed","message":"no","errors":[]}'
      const said = await told(422, body, { "x-request-id": id })
      assert.notInclude(said, JSON.stringify(id).slice(1, -1))
      assert.include(said, "[redacted]")
    }
  })
})
