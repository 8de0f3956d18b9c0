import { Access, Api } from "@cairn/api"
import { ExportMaker } from "@cairn/core/export"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const GZIP = { "accept-encoding": "gzip" }

const ENDPOINTS = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .map(({ method, path, annotations }) => ({ method, path, access: Context.get(annotations, Access) }))

/** What each collection is filled with, so that there is one of each to read. */
const CREATIONS: Readonly<Record<string, object>> = {
  "alert-rules": { name: "n", rule_type: "new_country" },
  "log-streams": { name: "n", destination: { type: "https", url: "https://example.com/" } },
  webhooks: { url: "https://example.com/" },
  members: { email: "ada@example.com" },
  "api-keys": {},
  exports: { format: "csv" },
  events: { ...EVENT, metadata: { text: "x".repeat(4_000) } }
}

const varies = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  String(headers.vary ?? "").split(/, */)

describe("Every answer of an operation", () => {
  it.live("is stored by nobody, and says what it depends on", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const ids: Record<string, string> = {}
      for (const [name, body] of Object.entries(CREATIONS)) {
        const made = (yield* send({ path: `/api/v1/${name}`, key, body })).json<{
          id?: string
          data?: { id: string }
        }>()
        ids[name] = made.data?.id ?? made.id ?? ""
      }
      yield* sequence
      let compressed = 0
      for (const { method, path: template, access } of ENDPOINTS) {
        const path = template.replace(":id", ids[template.split("/")[3] ?? ""] ?? "x")
        const what = `${method} ${template}`
        const wrong = yield* send({ path, method, headers: { accept: "application/problem+json" } })
        assert.strictEqual(wrong.headers["cache-control"], "no-store", what)
        if (wrong.status >= 400 && !/z$/.test(template)) {
          assert.strictEqual(wrong.headers["content-type"], "application/problem+json", what)
          assert.include(varies(wrong), "accept", what)
        }
        if (method !== "GET") continue
        const plain = yield* send({ path, key })
        const packed = yield* send({ path, key, headers: { ...GZIP, origin: "https://example.com" } })
        for (const answer of [plain, packed]) {
          assert.strictEqual(answer.headers["cache-control"]?.split(",")[0], "no-store", what)
        }
        if (access === "key_or_viewer") assert.include(varies(packed), "origin", what)
        if (packed.headers["content-encoding"] === undefined) continue
        compressed++
        for (const answer of [plain, packed]) assert.include(varies(answer), "accept-encoding", what)
      }
      assert.isAtLeast(compressed, 3)
    }).pipe(Effect.provide(testServer()))
  )
})

/** Headers of a request, and the status of its answer, by the tags of the whole and of its coding. */
const CONDITIONS = (etag: string, packed: string): ReadonlyArray<readonly [object, number]> => [
  [{ "if-none-match": etag }, 304],
  [{ "if-none-match": `W/${etag}` }, 304],
  [{ "if-none-match": `"a,b", ${etag}` }, 304],
  [{ "if-none-match": "*" }, 304],
  [{ "if-none-match": packed }, 200],
  [{ "if-none-match": '"another"' }, 200],
  [{ "if-none-match": etag.slice(1, -1) }, 200],
  [{ ...GZIP, "if-none-match": packed }, 304],
  [{ ...GZIP, "if-none-match": etag }, 200]
]

/** What a file at a path answers to conditions. */
const checkConditions = Effect.fnUntraced(function* (
  path: string,
  cacheControl: string,
  more: (etag: string, packed: string) => ReadonlyArray<readonly [object, number]>
) {
  const plain = yield* send({ path })
  const packed = yield* send({ path, headers: GZIP })
  assert.strictEqual(packed.headers["content-encoding"], "gzip", path)
  const tags = [String(plain.headers.etag), String(packed.headers.etag)] as const
  assert.notStrictEqual(...tags)
  for (const [headers, status] of [...CONDITIONS(...tags), ...more(...tags)]) {
    for (const method of status === 206 ? ["GET"] : ["GET", "HEAD"]) {
      const answer = yield* send({ path, method, headers: { ...headers } })
      const what = `${method} ${path} ${JSON.stringify(headers)}`
      assert.strictEqual(answer.status, status, what)
      assert.include(varies(answer), "accept-encoding", what)
      assert.strictEqual(answer.headers["cache-control"], cacheControl, what)
      if (status !== 304) continue
      assert.strictEqual(answer.bytes.length, 0, what)
      assert.include(tags, answer.headers.etag, what)
      for (const name of Object.keys(answer.headers)) assert.notMatch(name, /^content-(?!security)/, what)
    }
  }
})

describe("A condition on what a client has", () => {
  it.live("is answered for the file of an export, before the part that is asked for", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      yield* sequence
      const made = yield* send({ path: "/api/v1/exports", key, body: { format: "csv" } })
      const { id } = made.json<{ data: { id: string } }>().data
      const { advance } = yield* ExportMaker
      while (yield* Effect.orDie(advance));
      const redirect = yield* send({ path: `/api/v1/exports/${id}/download`, key })
      assert.strictEqual(redirect.headers["cache-control"], "no-store")
      const { pathname, search } = new URL(redirect.headers.location ?? "")
      const range = "bytes=0-9"
      yield* checkConditions(`${pathname}${search}`, "no-store", (etag, packed) => [
        [{ range, "if-none-match": etag }, 304],
        [{ range, "if-none-match": '"another"', "if-range": etag }, 206],
        [{ ...GZIP, range, "if-range": etag }, 206],
        [{ ...GZIP, range, "if-range": packed }, 200]
      ])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is answered for what the documentation loads", () =>
    Effect.gen(function* () {
      const page = yield* send({ path: "/docs" })
      const addresses = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]*)"/g)]
      assert.lengthOf(addresses, 2)
      for (const [, address] of addresses) {
        yield* checkConditions(`/${address}`, "public, max-age=31536000, immutable", () => [])
      }
    }).pipe(Effect.provide(testServer()))
  )
})
