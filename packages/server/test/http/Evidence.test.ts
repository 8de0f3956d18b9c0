import { AnchorChain } from "@cairn/core/anchor"
import { CheckpointSigner } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { AnchorEvidence, EvidenceExport, type EvidenceRequest } from "@cairn/core/evidence"
import { Sha256 } from "@cairn/core/hashing"
import { ClockGuard, EventCounts, EventLog, type Needed, Replicas, type ReplicasShape } from "@cairn/core/log"
import { parseVerifierKey } from "@cairn/core/note"
import { Archive, Erasure, Retention } from "@cairn/core/retention"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { acceptEvents, importHistory, plainEvents } from "@cairn/testing"
import { layerTools, verifyEvidence } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const evidence = EvidenceExport.layer.pipe(
  Layer.provide(AnchorEvidence.layer.pipe(Layer.provide(AnchorChain.layerNone)))
)

/** The bundle of a request, as its file, and what the offline verifier says of it. */
const verify = Effect.fnUntraced(function* (request: EvidenceRequest) {
  return yield* verifyText((yield* EvidenceExport).text(request))
})

const verifyText = Effect.fnUntraced(function* <E>(text: Stream.Stream<string, E>) {
  const packed = Stream.fromReadableStream({
    evaluate: () =>
      Stream.toReadableStream(Stream.encodeText(text)).pipeThrough(new CompressionStream("gzip")),
    onError: (error) => error
  })
  const keys = yield* (yield* CheckpointSigner).list
  const sha256 = yield* Sha256
  const trustedKeys = keys.map(({ verifierKey }) => Result.getOrThrow(parseVerifierKey(sha256, verifierKey)))
  return yield* verifyEvidence(packed, { trustedKeys }).pipe(Effect.provide(layerTools))
})

/** Accepts and sequences `count` events. */
const accept = Effect.fnUntraced(function* (key: string, count: number) {
  const body = { events: Array.from({ length: count }, (_, index) => ({ ...EVENT, metadata: { index } })) }
  yield* send({ path: "/api/v1/events/batch", key, body })
  yield* sequence
})

const close = (key: string) => send({ path: "/api/v1/anchors", key, method: "POST" })

const createdAt = Effect.fnUntraced(function* (key: string, fromNewest: number) {
  const { data } = (yield* send({ path: "/api/v1/events?limit=100", key })).json<{
    data: ReadonlyArray<{ created_at: string }>
  }>()
  return Micros.parse(data[fromNewest]?.created_at ?? "") ?? 0
})

const onServer = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(Effect.provide(evidence), Effect.provide(testServer()))

describe("evidence of a log", () => {
  it.live("is proven whole: chain, anchors and checkpoint", () =>
    onServer(
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant({ log_origin: "audit.example.com" })
        for (const count of [3, 60, 20]) {
          yield* accept(key, count)
          yield* close(key)
        }
        yield* accept(key, 5)
        const report = yield* verify({ workspaceId: workspace.id })
        assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
        assert.deepInclude(report.counts, { events: 88, anchors: 3, removed: 0 })
        assert.deepInclude(report.bundle, { workspace_id: workspace.id, from: 1, to: 88 })
      })
    )
  )

  it.live("is read from replicas that have all that was confirmed when they are asked", () => {
    const needs: Array<Needed> = []
    const replicas: ReplicasShape = {
      position: null,
      reading: (_needed, work) => work,
      streaming: (needed, stream) =>
        Stream.suspend(() => {
          needs.push(needed)
          return stream
        })
    }
    return onServer(
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        yield* accept(key, 3)
        assert.deepStrictEqual(needs, [])
        assert.strictEqual((yield* verify({ workspaceId: workspace.id })).counts.events, 3)
        assert.isNotEmpty(needs)
        assert.deepStrictEqual(new Set(needs), new Set<Needed>(["now"]))
      })
    ).pipe(Effect.provideService(Replicas, replicas))
  })

  it.live("of any part of it is proven too, wherever the part begins and ends", () =>
    onServer(
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        const workspaceId = workspace.id
        for (const count of [10, 30, 30]) {
          yield* accept(key, count)
          yield* close(key)
        }
        yield* accept(key, 10)
        for (const [newest, oldest] of [
          [0, 9],
          [0, 10],
          [5, 20],
          [12, 12],
          [20, 55],
          [39, 40],
          [40, 69],
          [70, 79],
          [2, 78]
        ] as const) {
          const range = { from: yield* createdAt(key, oldest), to: yield* createdAt(key, newest) }
          const report = yield* verify({ workspaceId, ...range })
          assert.strictEqual(report.verdict, "intact", `${newest} ${oldest} ${JSON.stringify(report.failed)}`)
          assert.strictEqual(report.counts.events, oldest - newest + 1)
        }
      })
    )
  )

  it.live(
    "of a part is proven though the log grows while it is written, with what it records as removed",
    () =>
      onServer(
        Effect.gen(function* () {
          const { workspace, key } = yield* makeTenant()
          const workspaceId = workspace.id
          yield* accept(key, 20)
          const { data } = (yield* send({ path: "/api/v1/events?limit=100", key })).json<{
            data: ReadonlyArray<{ id: string; created_at: string }>
          }>()
          const to = Micros.parse(data[5]?.created_at ?? "") ?? 0
          yield* (yield* Erasure).erase(workspaceId, { eventIds: [data[15]?.id ?? ""] }, "asked for")
          const bundle = yield* (yield* EvidenceExport).open({ workspaceId, to })
          yield* accept(key, 13)
          const report = yield* verifyText(bundle.text)
          assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
          assert.strictEqual(report.counts.removed, 1)
        }).pipe(Effect.provide(Erasure.layer.pipe(Layer.provide([Archive.layerNone, EventCounts.layer]))))
      )
  )

  it.live("is intact although contents are erased while it is written, and names what records it", () =>
    onServer(
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        const workspaceId = workspace.id
        yield* accept(key, 20)
        const { data } = (yield* send({ path: "/api/v1/events?limit=100", key })).json<{
          data: ReadonlyArray<{ id: string; created_at: string }>
        }>()
        const ranges = [{}, { to: Micros.parse(data[5]?.created_at ?? "") ?? 0 }]
        for (const [index, range] of ranges.entries()) {
          const bundle = yield* (yield* EvidenceExport).open({ workspaceId, ...range })
          yield* (yield* Erasure).erase(workspaceId, { eventIds: [data[15 - index]?.id ?? ""] }, "asked for")
          const report = yield* verifyText(bundle.text)
          assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
          assert.strictEqual(report.counts.removed, 1 + index)
        }
      }).pipe(Effect.provide(Erasure.layer.pipe(Layer.provide([Archive.layerNone, EventCounts.layer]))))
    )
  )

  it.live("is intact after retention, history from before the chain included, in whatever part", () =>
    onServer(
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        const { id: workspaceId, created_at: created } = workspace
        const now = yield* Micros.now
        const past = (days: number) => ({ acceptedAt: now - days * Micros.DAY })
        yield* importHistory(workspaceId, plainEvents(4), past(100).acceptedAt)
        const started = (yield* (yield* EventLog).entries(workspaceId, -(2 ** 36), 1))[0]?.createdAt ?? 0
        for (const days of [90, 70, 50]) {
          yield* acceptEvents(workspaceId, plainEvents(5), past(days))
          yield* sequence
          yield* close(key)
        }
        yield* accept(key, 3)
        const workspaces = yield* ManagedWorkspaces
        const ranges = [
          {},
          { to: past(60).acceptedAt },
          { to: past(80).acceptedAt },
          { from: past(80).acceptedAt, to: past(60).acceptedAt },
          { from: past(60).acceptedAt },
          // Before the chain began.
          { to: started }
        ]
        for (const [index, days] of [95, 80, 60, 40].entries()) {
          yield* workspaces.update(workspaceId, { overrides: { retention_days: days } }, now)
          assert.strictEqual(yield* (yield* Retention).apply(workspaceId), index === 0 ? 4 : 5)
          for (const range of ranges) {
            const report = yield* verify({ workspaceId, ...range })
            const said = `${days} ${JSON.stringify(range)} of ${created}: ${JSON.stringify(report.failed)}`
            assert.strictEqual(report.verdict, "intact", said)
            assert.isAbove(report.counts.events, 0, said)
          }
        }
      }).pipe(
        Effect.provide(
          Retention.layer.pipe(Layer.provide([Archive.layerNone, EventCounts.layer, ClockGuard.layer]))
        )
      )
    )
  )

  it.live("of a log without events, or of a time without any, is a bundle without events", () =>
    onServer(
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        const workspaceId = workspace.id
        assert.strictEqual((yield* verify({ workspaceId })).verdict, "intact")
        yield* accept(key, 3)
        for (const range of [{ from: yield* Effect.map(Micros.now, (now) => now + Micros.DAY) }, { to: 1 }]) {
          const report = yield* verify({ workspaceId, ...range })
          // Nothing fails, and there is no event that the key could vouch for.
          assert.strictEqual(report.verdict, "unproven", JSON.stringify(report.failed))
          assert.strictEqual(report.counts.events, 0)
        }
      })
    )
  )
})
