/**
 * Verifies a bundle of as many events as it is told, made while it is read, and prints its live memory after
 * each fiftieth.
 */
import { Readable } from "node:stream"
import { createGzip } from "node:zlib"
import { Micros } from "@cairn/core/encoding"
import { contentHash, eventHash } from "@cairn/core/event"
import { EVIDENCE_FORMAT, endLine, eventLine, headerLine } from "@cairn/core/evidence"
import { nativeSha256, portableSha256 } from "@cairn/core/hashing"
import { Effect, Stream } from "effect"
import { layerTools, verifyEvidence } from "../../src/index.ts"

const sha256 = nativeSha256 ?? portableSha256
const events = Number(process.argv[2])
const workspaceId = "wsp_00000000-0000-4000-8000-000000000000"
const samples: Array<number> = []

const content = (sequence: number): string =>
  `{"action":"document.created","action_category":null,"actor":{"id":"ada","name":"Ada Lovelace","type":"user"},` +
  `"idempotency_key":null,"ip_city":"London","ip_country":"GB","metadata":{"number":${sequence}},` +
  `"occurred_at":"2026-01-15T09:30:00.000000Z","resource":{"id":"42","name":null,"type":"document"},` +
  `"session_id":null,"targets":[],"tenant_id":null,"version":null}`

/**
 * One event of three was removed, each for itself, and nothing records it: what a verifier has to remember
 * most of.
 */
const isRemoved = (sequence: number): boolean => sequence % 3 === 0

function* lines(): Generator<string> {
  yield headerLine({
    type: "header",
    format: EVIDENCE_FORMAT,
    workspace_id: workspaceId,
    origin: "cairn.test/memory",
    from: 1,
    to: events,
    keys: [],
    created_at: Micros.format(0)
  })
  let previousEventHash: string | null = null
  for (let sequence = 1; sequence <= events; sequence++) {
    const salt = sequence.toString(16).padStart(32, "0")
    const id = `00000000-0000-4000-8000-${sequence.toString(16).padStart(12, "0")}`
    const header = {
      contentHash: contentHash(sha256, salt, content(sequence)),
      createdAt: sequence * 1_000,
      id,
      previousEventHash,
      sequence
    }
    const hash = eventHash(sha256, { ...header, workspaceId })
    const kept = isRemoved(sequence) ? { content: null, salt: null } : { content: content(sequence), salt }
    yield eventLine({ ...header, ...kept, eventHash: hash })
    previousEventHash = hash
    if (sequence % Math.floor(events / 50) === 0) {
      globalThis.gc?.()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      samples.push(heapUsed + arrayBuffers)
    }
  }
  yield endLine({ type: "end", anchors: 0, events, legacy: 0, removals: 0 })
}

const bundle = Stream.fromAsyncIterable<Uint8Array, Error>(
  Readable.from(lines(), { highWaterMark: 16 }).pipe(createGzip({ level: 1 })),
  (error) => new Error(String(error))
)

const report = await Effect.runPromise(Effect.provide(verifyEvidence(bundle), layerTools))
if (report.counts.events !== events) throw new Error(JSON.stringify(report))
process.stdout.write(samples.join(" "))
