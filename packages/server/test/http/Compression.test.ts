import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { ExportMaker } from "@cairn/core/export"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CODINGS, type Coding } from "../../src/http/plumbing/Answer.ts"
import { readCoding } from "../../src/http/plumbing/Compression.ts"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"

const UNPACK: Readonly<Record<Coding, (bytes: Uint8Array) => Buffer>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync
}

const accepting = (coding: string) => ({ "accept-encoding": coding })

describe("Accept-Encoding", () => {
  it("names the coding that is taken: the one with most weight, then the best", () => {
    const cases: ReadonlyArray<readonly [string | undefined, Coding | undefined]> = [
      [undefined, undefined],
      ["", undefined],
      ["identity", undefined],
      ["gzip", "gzip"],
      ["x-gzip", "gzip"],
      ["GZIP , deflate", "gzip"],
      ["gzip, deflate, br, zstd", "zstd"],
      ["gzip;q=1.0, br;q=0.5", "gzip"],
      ["br;q=0, gzip;q=0.001", "gzip"],
      ["*", "zstd"],
      ["*;q=0.1, gzip;q=0.2", "gzip"],
      ["*;q=0", undefined],
      ["gzip;q=0", undefined],
      ["gzip;q=much", undefined]
    ]
    for (const [header, coding] of cases) assert.strictEqual(readCoding(header, CODINGS), coding, header)
  })
})

describe("A list that a client asks for compressed", () => {
  it.live("is the same, says so, and has its length, to HEAD too", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      // Longer than a piece, with a surrogate pair at each place where one might end.
      const metadata = { text: "\u{1F600}".repeat(12_000), more: "ä".repeat(5_001) }
      const events = Array.from({ length: 6 }, () => ({ ...EVENT, metadata }))
      assert.strictEqual((yield* send({ path: `${EVENTS}/batch`, key, body: { events } })).status, 202)
      yield* sequence
      const plain = yield* send({ path: EVENTS, key })
      assert.isUndefined(plain.headers["content-encoding"])
      assert.match(String(plain.headers.vary), /accept-encoding/)
      for (const coding of CODINGS) {
        const packed = yield* send({ path: EVENTS, key, headers: accepting(coding) })
        assert.strictEqual(packed.headers["content-encoding"], coding)
        assert.strictEqual(packed.headers["content-type"], "application/json")
        assert.strictEqual(packed.headers["content-length"], String(packed.bytes.length))
        assert.match(String(packed.headers.vary), /accept-encoding/)
        assert.isBelow(packed.bytes.length, plain.bytes.length / 10)
        assert.isTrue(UNPACK[coding](packed.bytes).equals(plain.bytes), coding)
        const head = yield* send({ path: EVENTS, key, method: "HEAD", headers: accepting(coding) })
        assert.strictEqual(head.headers["content-length"], packed.headers["content-length"])
        assert.strictEqual(head.headers["content-encoding"], coding)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is not, when it is small, an error, or may hold a secret", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const url = (index: number) => `https://example.com/${index}/${"x".repeat(400)}`
      for (let index = 0; index < 5; index++) {
        for (const [path, body] of [
          ["webhooks", { url: url(index) }],
          ["log-streams", { name: "n", destination: { type: "https", url: url(index) } }],
          ["api-keys", { name: "n".repeat(400) }],
          ["exports", { search: "x".repeat(400) }]
        ] as const) {
          const made = yield* send({ path: `/api/v1/${path}`, key, body, headers: accepting("gzip") })
          assert.isBelow(made.status, 300, made.text)
          assert.isUndefined(made.headers["content-encoding"], path)
        }
      }
      for (const path of ["webhooks", "log-streams", "api-keys"]) {
        const list = yield* send({ path: `/api/v1/${path}`, key, headers: accepting("gzip") })
        assert.isAbove(list.bytes.length, 1_500, path)
        assert.isUndefined(list.headers["content-encoding"], path)
      }
      const token = yield* send({
        path: "/api/v1/viewer-token",
        key,
        body: { tenant_id: "t".repeat(256), actor_id: "é".repeat(256) },
        headers: accepting("gzip")
      })
      assert.isUndefined(token.headers["content-encoding"])
      for (const path of [EVENTS, `${EVENTS}?search=${"x".repeat(2_000)}`]) {
        const small = yield* send({ path, key, headers: accepting("gzip") })
        assert.isUndefined(small.headers["content-encoding"], path)
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The file of an export that a client asks for compressed", () => {
  it.live("is the same, with another tag; a part of it, and a bundle, are as they are", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: EVENTS, key, body: EVENT })
      yield* sequence
      const fileOf = Effect.fnUntraced(function* (format: string) {
        const made = yield* send({ path: "/api/v1/exports", key, body: { format } })
        const { id } = made.json<{ data: { id: string } }>().data
        const { advance } = yield* ExportMaker
        while (yield* Effect.orDie(advance));
        const redirect = yield* send({ path: `/api/v1/exports/${id}/download`, key })
        const { pathname, search } = new URL(redirect.headers.location ?? "")
        return `${pathname}${search}`
      })
      const path = yield* fileOf("csv")
      const plain = yield* send({ path })
      const packed = yield* send({ path, headers: accepting("gzip") })
      assert.strictEqual(packed.headers["content-encoding"], "gzip")
      assert.isTrue(gunzipSync(packed.bytes).equals(plain.bytes))
      assert.notStrictEqual(packed.headers.etag, plain.headers.etag)
      assert.isUndefined(packed.headers["content-length"])
      assert.strictEqual(packed.headers["content-disposition"], plain.headers["content-disposition"])
      const stale = { ...accepting("gzip"), range: "bytes=0-9", "if-range": String(packed.headers.etag) }
      assert.strictEqual((yield* send({ path, headers: stale })).status, 200)
      const part = yield* send({ path, headers: { ...accepting("gzip"), range: "bytes=0-9" } })
      assert.strictEqual(part.status, 206)
      assert.isUndefined(part.headers["content-encoding"])
      const bundle = yield* send({ path: yield* fileOf("evidence"), headers: accepting("gzip") })
      assert.isUndefined(bundle.headers["content-encoding"])
    }).pipe(Effect.provide(testServer()))
  )
})
