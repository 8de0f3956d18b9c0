/**
 * Checkpoints that are signed unasked: by webhook and in a file they leave the machine, and hold against a
 * bundle of the log.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Sha256, toHex } from "@cairn/core/hashing"
import { appendLeaves, emptyFrontier, frontierRoot, hashFromHex, verifyConsistency } from "@cairn/core/merkle"
import { openCheckpoint, parseVerifierKey, SignedCheckpointView } from "@cairn/core/note"
import { portableEd25519 } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { startWebServer, status } from "../../../delivery/test/peers/WebServer.ts"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** Milliseconds that a busy machine may take over anything. */
const PATIENCE = 120_000

const decodeMessage = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ type: Schema.String, data: SignedCheckpointView }))
)
const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(SignedCheckpointView),
    pagination: Schema.Struct({
      has_more: Schema.Boolean,
      next_cursor: Schema.NullOr(Schema.String),
      total: Schema.Number
    })
  })
)
const decodeKeys = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: Schema.String })))
const decodeConsistency = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      first_size: Schema.Number,
      second_size: Schema.Number,
      hashes: Schema.Array(Schema.String)
    })
  })
)
const Line = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  id: Schema.optionalKey(Schema.String),
  size: Schema.optionalKey(Schema.Number),
  note: Schema.optionalKey(Schema.String),
  integrity: Schema.optionalKey(Schema.Struct({ event_hash: Schema.NullOr(Schema.String) }))
})
const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Line))
const decodeBundleLine = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ type: Schema.String, event_hash: Schema.optionalKey(Schema.String) }))
)

const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256.layer))
const bytes = (hex: string) => Result.getOrThrow(hashFromHex(hex, "leaf_data"))
const rootOver = (hashes: ReadonlyArray<string>) =>
  toHex(frontierRoot(sha256, appendLeaves(sha256, emptyFrontier, hashes.map(bytes))))

describe.each(DATABASES)("checkpoints that are signed unasked, on %s", (kind) => {
  const folder = temporaryFolder()
  const { newDatabase } = testDatabases(kind)

  it.live(
    "leave by webhook and in a file, once each however many servers run, and hold against a bundle",
    () =>
      Effect.gen(function* () {
        const receiver = yield* startWebServer(status(200))
        yield* Effect.promise(async () => {
          const { database } = await newDatabase()
          const streams = join(folder, `streams-${kind}`)
          const variables = {
            CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
            CAIRN_OUTBOUND_HTTP: "true",
            CAIRN_STREAM_FOLDER: streams,
            CAIRN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
            CAIRN_CHECKPOINT_EVERY_SECONDS: "2"
          }
          const options = { database, variables }
          const tenant = await makeTenant("Acme", options)
          const first = await startServer(options)
          const second = await startServer(options)
          const client = apiClient(first.baseUrl, tenant.key)
          const make = async (path: string, body: unknown) => {
            const answer = await client.request("POST", `/api/v1${path}`, body)
            assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
          }
          await make("/webhooks", {
            url: `http://127.0.0.1:${receiver.port}/`,
            types: ["checkpoint.signed"]
          })
          await make("/log-streams", {
            name: "File",
            start: "beginning",
            batch_seconds: 0,
            destination: { type: "file", path: "log.ndjson" }
          })
          const told = () => receiver.received.map(({ body }) => decodeMessage(body.toString()))
          const listed = async (query: Record<string, string | number> = {}) =>
            decodePage((await client.get("/checkpoints", query)).body)

          /** Whatever is signed for more than this was signed after the webhook was there. */
          const { total: before } = await client.verify()
          let count = 0
          for (const wanted of [1, 2, 3]) {
            for (let more = 0; more < 4; more++) {
              await client.accept({ actor_id: "ada", action: `thing.done.${count++}` })
            }
            await eventually(
              `checkpoint ${wanted}`,
              async () => {
                const { data } = await listed()
                const { total } = await client.verify()
                const covered = Math.max(0, ...data.map(({ size }) => size))
                return (data.length >= wanted && total >= before + count && covered === total) || undefined
              },
              PATIENCE
            )
          }
          // An idle log is signed for no more: what is there now is all there will be.
          const { data: all, pagination } = await eventually(
            "all that were signed are told of",
            async () => {
              const page = await listed()
              const expected = page.data.filter(({ size }) => size > before)
              return expected.length <= told().filter(({ data }) => data.size > before).length
                ? page
                : undefined
            },
            PATIENCE
          )
          assert.strictEqual(pagination.total, all.length)
          const sizes = all.map(({ size }) => size)
          assert.deepStrictEqual(
            sizes,
            [...new Set(sizes)].toSorted((a, b) => b - a),
            "each size once, newest first"
          )
          const messages = new Map(told().map(({ type, data }) => [data.size, { type, data }]))
          assert.strictEqual(messages.size, told().length, "told once each")
          for (const one of all.filter(({ size }) => size > before))
            assert.deepStrictEqual(messages.get(one.size), { type: "checkpoint.signed", data: one })

          const paged = await listed({ limit: 1 })
          assert.isTrue(paged.pagination.has_more)
          const next = await listed({ limit: 1, cursor: paged.pagination.next_cursor ?? "" })
          assert.deepStrictEqual([...paged.data, ...next.data], all.slice(0, 2))

          // In the file each comes after the events that it covers.
          const path = join(streams, tenant.workspaceId, "log.ndjson")
          const lines = await eventually(
            "the file has all of them",
            () => {
              const found = readFileSync(path, "utf8")
                .trimEnd()
                .split("\n")
                .map((line) => decodeLine(line))
              return found.filter(({ type }) => type === "checkpoint").length >= all.length
                ? found
                : undefined
            },
            PATIENCE
          )
          let events = 0
          const noted: Array<{ readonly size: number; readonly note: string }> = []
          for (const { type, size = 0, note = "" } of lines) {
            if (type !== "checkpoint") events++
            else {
              assert.isAtLeast(events, size, "a checkpoint before the events that it covers")
              noted.push({ size, note })
            }
          }
          assert.deepStrictEqual(
            noted.map(({ size }) => size),
            sizes.toReversed()
          )

          // A bundle that is made later has the log that each of them was signed for.
          const bundle = join(folder, `bundle-${kind}.gz`)
          const written = await cairn(["evidence", "--output", bundle], options)
          assert.strictEqual(written.code, 0, written.stderr)
          const hashes = gunzipSync(readFileSync(bundle))
            .toString("utf8")
            .trimEnd()
            .split("\n")
            .flatMap((line) => decodeBundleLine(line).event_hash ?? [])
          const [{ key } = { key: "" }] = decodeKeys(await cairnJson(["checkpoint-key", "show"], options))
          const trusted = Result.getOrThrow(parseVerifierKey(sha256, key))
          for (const { note, size } of noted) {
            const { checkpoint } = Result.getOrThrow(openCheckpoint(portableEd25519, note, [trusted]))
            assert.strictEqual(checkpoint.size, size)
            assert.strictEqual(toHex(checkpoint.root), rootOver(hashes.slice(0, size)))
          }
          // Between the first and the last of them the log only grew.
          const [oldest, newest] = [noted[0], noted.at(-1)]
          const consistency = decodeConsistency(
            (await client.get("/checkpoint/consistency", { from: oldest?.size ?? 0, to: newest?.size ?? 0 }))
              .body
          ).data
          const proven = verifyConsistency(
            sha256,
            bytes(rootOver(hashes.slice(0, oldest?.size))),
            bytes(rootOver(hashes.slice(0, newest?.size))),
            {
              firstSize: consistency.first_size,
              secondSize: consistency.second_size,
              hashes: consistency.hashes.map(bytes)
            }
          )
          assert.isTrue(Result.isSuccess(proven))
          // And the command holds the live log against the line that the file carried away, or the note in
          // it.
          const kept = join(folder, `note-${kind}.txt`)
          for (const text of [oldest?.note ?? "", JSON.stringify({ ...oldest, type: "checkpoint" })]) {
            writeFileSync(kept, text)
            const held = await cairn(["verify", "--against", kept], options)
            assert.strictEqual(held.code, 0, held.stdout + held.stderr)
            assert.include(held.stdout, `The first ${oldest?.size} events are the ones that were signed`)
          }
          await Promise.all([first.stop(), second.stop()])
        })
      }).pipe(Effect.scoped),
    { timeout: 3 * PATIENCE }
  )
})
