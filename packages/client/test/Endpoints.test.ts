/** Each operation of the OpenAPI document has one method, which makes the request that it describes. */
import { openApiDocument } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Cairn, CairnApiError } from "../src/index.ts"

interface Operation {
  readonly method: string
  readonly path: string
  readonly takesBody: boolean
  readonly query: ReadonlyArray<string>
}

interface Described {
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly requestBody?: unknown
  readonly parameters?: ReadonlyArray<{ in: string; name: string }>
}

/** Whether an operation is about the person who has signed in: there is none behind a key. */
const isForSessionsAlone = ({ security = [] }: Described): boolean =>
  security.length > 0 && security.every((scheme) => "session" in scheme)

const operations = Object.entries(openApiDocument("http://127.0.0.1").paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Described>)
    .filter(([, described]) => !isForSessionsAlone(described))
    .map(
      ([method, { requestBody, parameters = [] }]): Operation => ({
        method: method.toUpperCase(),
        path,
        takesBody: requestBody !== undefined,
        query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name)
      })
    )
)

/** Operations that are not called by a method of a group, and why. */
const ELSEWHERE = new Map([
  ["POST /api/v1/events", "record"],
  ["POST /api/v1/events/batch", "enqueue"],
  ["POST /api/v1/viewer-tokens", "another name of /api/v1/viewer-token"]
])

const GROUPS = [
  "events",
  "checkpoints",
  "anchors",
  "exports",
  "viewerTokens",
  "alerts",
  "alertRules",
  "webhooks",
  "deliveries",
  "logStreams",
  "members",
  "sessions",
  "apiKeys",
  "workspace",
  "health"
] as const

interface Asked {
  readonly method: string
  readonly url: URL
  readonly body: unknown
  readonly headers: Headers
}

/** A client whose requests are kept, and answered by `answer`. */
const clientOf = (answer: (asked: Asked, count: number) => Response | Promise<Response>) => {
  const asked: Array<Asked> = []
  const client = new Cairn({
    url: "https://audit.test/base/",
    apiKey: "secret-key",
    retry: { baseMillis: 1, maxMillis: 2 },
    fetch: async (url, init) => {
      const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined
      const one = {
        method: String(init?.method),
        url: new URL(String(url)),
        body,
        headers: new Headers(init?.headers)
      }
      asked.push(one)
      return answer(one, asked.length)
    }
  })
  return { client, asked }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

type Loose = Record<string, (...given: ReadonlyArray<unknown>) => unknown>

/** Calls a method; a list gives its first page. */
const call = async (method: (...given: ReadonlyArray<unknown>) => unknown, given: ReadonlyArray<unknown>) => {
  const result = method(...given)
  return (result as { page?: () => Promise<unknown> }).page?.() ?? (await result)
}

describe("the methods of a client", () => {
  it("are one for each operation, with its method, path, query and body", async () => {
    const { client, asked } = clientOf(() => json({ data: [] }))
    assert.isAbove(operations.length, 60)
    const seen: Array<string> = []
    for (const group of GROUPS) {
      for (const [name, method] of Object.entries(client[group] as unknown as Loose)) {
        // What a method asks for with nothing but an id, tells which operation it is.
        await call(method, ["an id/with?signs"]).catch(() => undefined)
        await call(method, []).catch(() => undefined)
        const first = asked.splice(0)
        assert.isAbove(first.length, 0, `${group}.${name}`)
        const path = String(first[0]?.url.pathname)
          .replace("/base", "")
          .replace("an%20id%2Fwith%3Fsigns", "{id}")
        const operation = operations.find((one) => one.method === first[0]?.method && one.path === path)
        assert.isDefined(operation, `${group}.${name} asks ${first[0]?.method} ${path}`)
        const { takesBody, query } = operation as Operation
        seen.push(`${operation?.method} ${path}`)
        const id = path.includes("{id}") ? ["an id/with?signs"] : []
        const filter = Object.fromEntries(query.map((parameter) => [parameter, `${parameter} & more`]))
        await call(method, [...id, ...(takesBody ? [{ any: "body" }] : query.length > 0 ? [filter] : []), {}])
        const [whole] = asked.splice(0)
        assert.deepStrictEqual(whole?.body, takesBody ? { any: "body" } : undefined, `${group}.${name}`)
        assert.deepStrictEqual(Object.fromEntries(whole?.url.searchParams ?? []), filter, `${group}.${name}`)
        assert.strictEqual(whole?.headers.get("authorization"), "Bearer secret-key")
      }
    }
    const all = operations.map(({ method, path }) => `${method} ${path}`).filter((one) => !ELSEWHERE.has(one))
    assert.deepStrictEqual(seen.toSorted(), all.toSorted())
  })

  it("read a list over its pages, as far as it is read", async () => {
    const pages = new Map([
      [null, { data: [1, 2], pagination: { next_cursor: "a/b+c=" } }],
      ["a/b+c=", { data: [3], pagination: { next_cursor: "end" } }],
      ["end", { data: [4], pagination: { next_cursor: null } }]
    ])
    const { client, asked } = clientOf(({ url }) => json(pages.get(url.searchParams.get("cursor"))))
    const all: Array<unknown> = []
    for await (const event of client.events.list({ actor_id: "ada" })) all.push(event)
    assert.deepStrictEqual(all, [1, 2, 3, 4])
    assert.deepStrictEqual(
      new Set(asked.map(({ url }) => url.searchParams.get("actor_id"))),
      new Set(["ada"])
    )
    asked.length = 0
    for await (const event of client.events.list()) if (event !== undefined) break
    assert.strictEqual(asked.length, 1)
  })

  it("repeat what only reads until it is answered, and a change only where the service did not take it", async () => {
    const flaky = (status: number) =>
      clientOf((_, count) =>
        count < 3 ? json({ error: "unavailable", message: "later" }, status) : json({ data: 1 })
      )
    const reading = flaky(503)
    await reading.client.workspace.get()
    assert.strictEqual(reading.asked.length, 3)
    const limited = flaky(429)
    await limited.client.members.delete("one")
    assert.strictEqual(limited.asked.length, 3)
    const changing = flaky(503)
    const error = await changing.client.members.delete("one").then(
      () => undefined,
      (error: unknown) => error
    )
    assert.instanceOf(error, CairnApiError)
    assert.strictEqual(changing.asked.length, 1)
  })

  it("end with their signal, and say so", async () => {
    const { client, asked } = clientOf(() =>
      json({ error: "unavailable", message: "later" }, 503, { "retry-after": "5" })
    )
    const controller = new AbortController()
    const reading = client.workspace.get({ signal: controller.signal }).then(
      () => undefined,
      (error: unknown) => error
    )
    setTimeout(() => controller.abort(new Error("enough")), 10)
    assert.strictEqual(String(await reading), "Error: enough")
    assert.strictEqual(asked.length, 1)
  })

  for (const id of ["", ".", "..", undefined]) {
    it(`take no ${JSON.stringify(id)} for an id`, async () => {
      const { client, asked } = clientOf(() => json({}))
      let error: unknown
      try {
        await client.webhooks.delete(id as string)
      } catch (thrown) {
        error = thrown
      }
      assert.instanceOf(error, TypeError)
      assert.deepStrictEqual(asked, [])
    })
  }
})
