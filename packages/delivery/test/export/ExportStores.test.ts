import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "@20minutes/s3rver"
import { ExportStore } from "@cairn/core/export"
import { archiveContract, exportStoreContract } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import { afterAll } from "vitest"
import { layerDiskExportStore } from "../../src/export/DiskExportStore.ts"
import { S3Patience } from "../../src/export/S3Client.ts"
import { layerS3ExportStore } from "../../src/export/S3ExportStore.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-exports-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let stores = 0
const newFolder = () => join(folder, String(stores++))

const disk = () => layerDiskExportStore(newFolder())

/** A server that somebody else wrote, which checks signatures, with an empty bucket. */
const startS3 = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = new S3rver({
      port: 0,
      address: "127.0.0.1",
      silent: true,
      directory: newFolder(),
      configureBuckets: [{ name: "exports" }]
    })
    const { port } = await server.run()
    return { server, endpoint: `http://127.0.0.1:${port}` }
  }),
  ({ server }) => Effect.promise(() => server.close())
)

const s3At = (endpoint: string, secret = "S3RVER") =>
  layerS3ExportStore({
    endpoint,
    region: "us-east-1",
    bucket: "exports",
    prefix: "cairn/",
    accessKeyId: "S3RVER",
    secretAccessKey: Redacted.make(secret)
  })

const s3 = () => Layer.unwrap(Effect.map(startS3, ({ endpoint }) => s3At(endpoint)))

exportStoreContract("local disk", disk)
exportStoreContract("S3", s3)
archiveContract("local disk", disk)
archiveContract("S3", s3)

const text = Stream.make(new TextEncoder().encode("a,b\r\n"))
const DOWNLOAD = { filename: "exp_1.csv", contentType: "text/csv", seconds: 60 }

describe("the store on local disk", () => {
  it.live("has no addresses of its own", () =>
    Effect.gen(function* () {
      const { address } = yield* ExportStore
      assert.deepStrictEqual(yield* address("wsp_1/a.csv", DOWNLOAD), Option.none())
    }).pipe(Effect.provide(disk()))
  )

  it.live("leaves nothing beside its files, and removes what a crash left", () =>
    Effect.gen(function* () {
      const root = newFolder()
      yield* Effect.gen(function* () {
        const { write, remove } = yield* ExportStore
        yield* write("wsp_1/a.csv", "text/csv", text)
        assert.deepStrictEqual(readdirSync(join(root, "wsp_1")), ["a.csv"])
        mkdirSync(join(root, "wsp_2"))
        writeFileSync(join(root, "wsp_2/b.csv.part"), "half")
        yield* remove("wsp_2/b.csv")
        assert.isFalse(existsSync(join(root, "wsp_2/b.csv.part")))
      }).pipe(Effect.provide(layerDiskExportStore(root)))
    })
  )
})

describe("the store in S3", () => {
  it.live("gives an address that anyone may fetch, by the name that was asked for", () =>
    Effect.gen(function* () {
      const { write, address } = yield* ExportStore
      yield* write("wsp_1/a.csv", "text/csv", text)
      const url = Option.getOrThrow(yield* address("wsp_1/a.csv", DOWNLOAD))
      const answer = yield* Effect.promise(() => fetch(url))
      assert.strictEqual(yield* Effect.promise(() => answer.text()), "a,b\r\n")
      assert.strictEqual(answer.headers.get("content-disposition"), 'attachment; filename="exp_1.csv"')
      const changed = url.replace("a.csv", "b.csv")
      assert.strictEqual((yield* Effect.promise(() => fetch(changed))).status, 403)
    }).pipe(Effect.provide(s3()))
  )

  it.live("fails, and says that the store refused, when its key is wrong", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* startS3
      const error = yield* Effect.flip(
        Effect.flatMap(ExportStore, ({ write }) => write("wsp_1/a.csv", "text/csv", text)).pipe(
          Effect.provide(s3At(endpoint, "wrong"))
        )
      )
      assert.strictEqual(error._tag, "ExportStoreUnavailable")
      assert.match(String(error.cause), /403 SignatureDoesNotMatch/)
    }).pipe(Effect.scoped)
  )

  it.live("fails when nobody answers", () =>
    Effect.gen(function* () {
      const { read } = yield* ExportStore
      const error = yield* Effect.flip(Stream.runDrain(read("wsp_1/a.csv")))
      assert.strictEqual(error._tag, "ExportStoreUnavailable")
    }).pipe(Effect.provide(s3At("http://127.0.0.1:9")))
  )
})

describe("a store in S3 that does not work", () => {
  /** A server that answers as it is told, or never; counts the requests. */
  const faulty = (answer: (nth: number) => number | "nothing") =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const state = { requests: 0 }
        const server = createServer((request, response) => {
          request.resume()
          const status = answer(++state.requests)
          if (status !== "nothing") response.writeHead(status).end()
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        return { server, state, endpoint: `http://127.0.0.1:${port}` }
      }),
      ({ server }) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )

  const writeTo = (endpoint: string) =>
    Effect.flatMap(ExportStore, ({ write }) => write("wsp_1/a.csv", "text/csv", text)).pipe(
      Effect.provide(s3At(endpoint))
    )

  it.live("is asked again while it has too much to do, and not for ever", () =>
    Effect.gen(function* () {
      const busy = yield* faulty((nth) => (nth < 3 ? 503 : 200))
      assert.strictEqual(yield* writeTo(busy.endpoint), 5)
      assert.strictEqual(busy.state.requests, 3)
      const gone = yield* faulty(() => 503)
      const error = yield* Effect.flip(writeTo(gone.endpoint))
      assert.include(String(error.cause), "503")
      assert.strictEqual(gone.state.requests, 4)
      const refusing = yield* faulty(() => 403)
      yield* Effect.flip(writeTo(refusing.endpoint))
      assert.strictEqual(refusing.state.requests, 1)
    }).pipe(Effect.scoped)
  )

  it.live("fails in time if it never answers", () =>
    Effect.gen(function* () {
      const silent = yield* faulty(() => "nothing")
      const error = yield* Effect.flip(writeTo(silent.endpoint))
      assert.strictEqual(error._tag, "ExportStoreUnavailable")
      assert.strictEqual(silent.state.requests, 1)
    }).pipe(Effect.provideService(S3Patience, 200), Effect.scoped)
  )
})
