import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import S3rver from "@20minutes/s3rver"
import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { AwsV4Signer } from "aws4fetch"
import { Effect, Result } from "effect"
import { decodeDestination } from "../../src/sinks/Sinks.ts"
import { type Received, startWebServer, status } from "../peers/WebServer.ts"
import { records, texts } from "./Records.ts"
import { environment, openSink, type Peer, sinkContract } from "./SinkContract.ts"

/** The one account that the server knows. */
const KEY = { access_key_id: "S3RVER", secret_access_key: "S3RVER" }

/** A server that somebody else wrote, which checks signatures, with an empty bucket. */
const startS3 = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = mkdtempSync(join(tmpdir(), "cairn-s3-"))
    const server = new S3rver({
      port: 0,
      address: "127.0.0.1",
      silent: true,
      directory,
      configureBuckets: [{ name: "audit" }]
    })
    const gate: { behaviour: "serve" | "fail" | "hang" } = { behaviour: "serve" }
    // Everybody's requests pass through here first, as they would through a proxy.
    server.middleware.unshift(async (context, next) => {
      if (gate.behaviour === "hang") await new Promise(() => {})
      if (gate.behaviour === "serve") return next()
      context.status = 503
      context.body = "<Error><Code>SlowDown</Code></Error>"
    })
    const { port } = await server.run()
    return { server, directory, gate, endpoint: `http://127.0.0.1:${port}`, port }
  }),
  ({ server, directory }) =>
    Effect.promise(async () => {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    })
)

const get = async (url: string): Promise<Response> => {
  const signer = new AwsV4Signer({
    url,
    service: "s3",
    accessKeyId: KEY.access_key_id,
    secretAccessKey: KEY.secret_access_key
  })
  const { url: signed, headers } = await signer.sign()
  return fetch(signed, { headers })
}

/** Every object's key and lines, by key. */
const objects = async (endpoint: string) => {
  const listing = await (await get(`${endpoint}/audit?list-type=2`)).text()
  const keys = [...listing.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key ?? "")
  return Promise.all(
    keys.map(async (key) => {
      const response = await get(`${endpoint}/audit/${key}`)
      const stored = Buffer.from(await response.arrayBuffer())
      // `fetch` undoes the encoding that the object says it has.
      const plain = stored[0] === 0x1f ? gunzipSync(stored) : stored
      return { key, headers: response.headers, lines: plain.toString("utf8").trimEnd().split("\n") }
    })
  )
}

sinkContract(
  "s3",
  { dials: true, waits: true, said: { taken: /^200 $/, refused: /^503 SlowDown$/ } },
  Effect.gen(function* () {
    const { endpoint, gate, port } = yield* startS3
    const made: Peer = {
      config: {
        type: "s3",
        endpoint: `http://localhost:${port}`,
        bucket: "audit",
        prefix: "cairn",
        ...KEY
      },
      arrived: async () => (await objects(endpoint)).flatMap(({ lines }) => lines),
      fail: () => {
        gate.behaviour = "fail"
      },
      repair: () => {
        gate.behaviour = "serve"
      },
      hang: () => {
        gate.behaviour = "hang"
      }
    }
    return made
  })
)

describe("s3", () => {
  it.live("puts a checkpoint beside the hours of events, as the note that was signed", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* startS3
      const config = { type: "s3", endpoint, bucket: "audit", prefix: "logs/acme", ...KEY }
      const sink = yield* openSink(config, environment("cairn"))
      const note = "cairn/wsp_1\n60\nAAAA\n\n\u2014 key signature\n"
      const signedAt = Micros.parse("2024-05-01T13:02:00Z") ?? 0
      const checkpoint = { size: 60, root: "0".repeat(64), note, signedAt, text: "a line of another form" }
      const send = sink.sendCheckpoint?.(checkpoint) ?? assert.fail("it takes checkpoints")
      yield* send
      yield* sink.send(records(61, 61))
      // Sent again, as after a crash, it is the same object.
      yield* send
      const stored = yield* Effect.promise(() => objects(endpoint))
      assert.deepStrictEqual(
        stored.map(({ key }) => key),
        [
          "logs/acme/2024/05/01/13/0000000000000061-0000000000000061.ndjson.gz",
          "logs/acme/checkpoints/2024/05/01/13/0000000000000060.txt"
        ]
      )
      assert.strictEqual(`${stored[1]?.lines.join("\n")}\n`, note)
    })
  )

  it.live("writes an object for each hour, named by its hour and its sequences", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* startS3
      const config = { type: "s3", endpoint, bucket: "audit", prefix: "logs/acme/", ...KEY }
      const sink = yield* openSink(config, environment("cairn"))
      // Half a minute before one o'clock, a second apart.
      yield* sink.send(records(1, 60))
      const stored = yield* Effect.promise(() => objects(endpoint))
      assert.deepStrictEqual(
        stored.map(({ key, lines }) => [key, lines]),
        [
          ["logs/acme/2024/05/01/12/0000000000000001-0000000000000029.ndjson.gz", texts(records(1, 29))],
          ["logs/acme/2024/05/01/13/0000000000000030-0000000000000060.ndjson.gz", texts(records(30, 60))]
        ]
      )
      assert.strictEqual(stored[0]?.headers.get("content-type"), "application/x-ndjson")
      assert.strictEqual(stored[0]?.headers.get("content-encoding"), "gzip")
    })
  )

  it.live("writes the same object again when the same batch is sent again", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* startS3
      const sink = yield* openSink({ type: "s3", endpoint, bucket: "audit", ...KEY }, environment("cairn"))
      yield* sink.send(records(1, 5))
      yield* sink.send(records(1, 5))
      assert.lengthOf(yield* Effect.promise(() => objects(endpoint)), 1)
    })
  )

  it.live.each([
    ["a wrong secret", { secret_access_key: "other" }, "SignatureDoesNotMatch"],
    ["an unknown key", { access_key_id: "other" }, "InvalidAccessKeyId"],
    ["a bucket that is not there", { bucket: "nowhere" }, "NoSuchBucket"]
  ] as const)("fails with %s, and says why without the secret", ([, change, reason]) =>
    Effect.gen(function* () {
      const { endpoint } = yield* startS3
      const config = { type: "s3", endpoint, bucket: "audit", ...KEY, ...change }
      const sink = yield* openSink(config, environment("cairn"))
      const error = yield* Effect.flip(sink.send(records(1, 1)))
      assert.include(error.reason, reason)
      assert.lengthOf(yield* Effect.promise(() => objects(endpoint)), 0)
    })
  )

  it.live("signs the payload's own hash, and the key with every character that a prefix may have", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* startS3
      const config = { type: "s3", endpoint, bucket: "audit", prefix: "a=b/(c)!_-*.d", ...KEY }
      const sink = yield* openSink(config, environment("cairn"))
      yield* sink.send(records(1, 1))
      const [object] = yield* Effect.promise(() => objects(endpoint))
      assert.include(object?.key, "a=b/(c)!_-*.d/2024/")
      const seen: Array<Received> = []
      const { port } = yield* startWebServer((request, response, raw) => {
        seen.push(request)
        status(200)(request, response, raw)
      })
      const other = { ...config, endpoint: `http://127.0.0.1:${port}` }
      yield* (yield* openSink(other, environment("cairn"))).send(records(1, 1))
      const body = seen[0]?.body ?? Buffer.alloc(0)
      const digest = Buffer.from(
        yield* Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(body)))
      )
      assert.strictEqual(seen[0]?.headers["x-amz-content-sha256"], digest.toString("hex"))
      assert.include(seen[0]?.headers.authorization, "x-amz-content-sha256")
    })
  )

  it("finds AWS by region and bucket when no endpoint is set", () => {
    const destination = Result.getOrThrow(
      decodeDestination({ type: "s3", bucket: "audit", region: "eu-central-1", ...KEY })
    )
    let asked = ""
    const { guard, ...rest } = environment("cairn")
    destination.check({
      ...rest,
      guard: {
        ...guard,
        checkUrl: (url) => {
          asked = url
          return guard.checkUrl(url)
        }
      }
    })
    assert.strictEqual(asked, "https://audit.s3.eu-central-1.amazonaws.com")
  })

  it.each([
    [{ bucket: "Audit" }, "destination.bucket: must be the name of a bucket"],
    [{ bucket: "a/b" }, "destination.bucket: must be the name of a bucket"],
    [
      { prefix: "a/../b" },
      "destination.prefix: must be at most 512 letters, digits and characters of !_.*()/=-"
    ]
  ])("refuses %j", (config, message) => {
    const result = decodeDestination({ type: "s3", bucket: "audit", ...KEY, ...config })
    assert.strictEqual(Result.isFailure(result) ? result.failure.message : "", message)
  })
})
