/** The contract of `LogStreamSink`, held against a destination and a real peer. */
import type { EventFormatName } from "@cairn/core/event"
import type { LogStreamSinkShape } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, type Scope } from "effect"
import { makeOutboundGuard } from "../../src/outbound/OutboundGuard.ts"
import { makeFileAppender } from "../../src/sinks/file/FileAppender.ts"
import type { SinkEnvironment } from "../../src/sinks/SinkKind.ts"
import { decodeDestination } from "../../src/sinks/Sinks.ts"
import { internal, internalGuard } from "../peers/Guards.ts"
import { records, texts } from "./Records.ts"

/** Someone to send to. */
export interface Peer {
  readonly config: Record<string, unknown>
  /** The texts that have arrived, in order. */
  readonly arrived: () => Promise<ReadonlyArray<string>>
  /** From now on it fails whoever sends; then it works again. */
  readonly fail: () => void
  readonly repair: () => void
  /** From now on it takes connections and says nothing; absent where there is nobody to wait for. */
  readonly hang?: () => void
}

/** What sinks are opened with in tests, apart from what writes files. */
export type TestEnvironment = Omit<SinkEnvironment, "files">

/** That of a format. */
export const environment = (
  format: EventFormatName,
  changes: Partial<TestEnvironment> = {}
): TestEnvironment => ({
  guard: internalGuard,
  workspaceId: "wsp_1",
  json: format !== "cef",
  mediaType: "application/json",
  folder: null,
  timeout: 5_000,
  ...changes
})

/** Opens the sink that a configuration describes. */
export const openSink = (
  config: Record<string, unknown>,
  sinkEnvironment: TestEnvironment
): Effect.Effect<LogStreamSinkShape, never, Scope.Scope> =>
  Effect.flatMap(makeFileAppender({ timeout: sinkEnvironment.timeout }), (files) =>
    Result.getOrThrow(decodeDestination(config)).open({ ...sinkEnvironment, files })
  )

/** What a destination's protocol lets be tried. */
export interface Reach {
  /** It is dialled, so there are addresses that it must not dial. */
  readonly dials: boolean
  /** It waits for an answer, so there is one that never comes. */
  readonly waits: boolean
  /** What a test is told, with its status, when the destination works and when it fails. */
  readonly said: { readonly taken: RegExp; readonly refused: RegExp }
}

/** Resolves as the tests' own guard does, and allows nothing of it. */
const strict = makeOutboundGuard({ ...internal, allow: [] })

/** Runs the suite. */
export const sinkContract = (
  name: string,
  { dials, waits, said }: Reach,
  start: Effect.Effect<Peer & { readonly folder?: string }, never, Scope.Scope>
): void => {
  const open = (peer: Peer & { readonly folder?: string }, format: EventFormatName, timeout = 5_000) =>
    openSink(peer.config, environment(format, { folder: peer.folder ?? null, timeout }))

  describe(`${name} as a LogStreamSink`, () => {
    it.live.each(["cairn", "ocsf", "cloudevents", "cef"] as const)(
      "delivers batches in order, as %s",
      (format) =>
        Effect.gen(function* () {
          const peer = yield* start
          const sink = yield* open(peer, format)
          yield* sink.send(records(1, 20, format))
          yield* sink.send(records(21, 21, format))
          yield* sink.send(records(22, 60, format))
          const arrived = yield* Effect.promise(peer.arrived)
          assert.deepStrictEqual(arrived, texts(records(1, 60, format)))
        })
    )

    it.live("fails while its destination does, and misses nothing when the batch is sent again", () =>
      Effect.gen(function* () {
        const peer = yield* start
        const sink = yield* open(peer, "cairn")
        yield* sink.send(records(1, 10))
        peer.fail()
        const error = yield* Effect.flip(sink.send(records(11, 20)))
        assert.strictEqual(error._tag, "SinkFailed")
        assert.notStrictEqual(error.reason, "")
        peer.repair()
        yield* sink.send(records(11, 20))
        yield* sink.send(records(21, 30))
        // At least once: what arrived in the failed attempt may have arrived twice.
        const arrived = [...new Set(yield* Effect.promise(peer.arrived))]
        assert.deepStrictEqual(arrived, texts(records(1, 30)))
      })
    )

    it.live("says of a test what its destination said, or why it said nothing", () =>
      Effect.gen(function* () {
        const peer = yield* start
        const sink = yield* open(peer, "cairn")
        const test = { id: "dlv_1", at: 0, text: '{"type":"test"}' }
        const { accepted, text, status } = yield* sink.sendTest(test)
        assert.isTrue(accepted)
        assert.match(`${status} ${text}`, said.taken)
        assert.deepStrictEqual(yield* Effect.promise(peer.arrived), [test.text])
        peer.fail()
        const refused = yield* Effect.result(sink.sendTest(test))
        if (Result.isSuccess(refused)) assert.isFalse(refused.success.accepted)
        const answer = Result.match(refused, {
          onSuccess: ({ status, text }) => `${status} ${text}`,
          onFailure: ({ reason }) => reason
        })
        assert.match(answer, said.refused)
      })
    )

    it.live("goes on after it was interrupted", () =>
      Effect.gen(function* () {
        const peer = yield* start
        const sink = yield* open(peer, "cairn")
        yield* Effect.timeoutOption(sink.send(records(1, 10)), 0)
        yield* sink.send(records(1, 10))
        const arrived = [...new Set(yield* Effect.promise(peer.arrived))]
        assert.deepStrictEqual(arrived, texts(records(1, 10)))
      })
    )

    if (waits)
      it.live("ends by itself when its destination says nothing", () =>
        Effect.gen(function* () {
          const peer = yield* start
          peer.hang?.()
          const sink = yield* open(peer, "cairn", 200)
          const error = yield* Effect.flip(sink.send(records(1, 2)))
          assert.strictEqual(error._tag, "SinkFailed")
        })
      )

    if (dials)
      it.live.each([
        ["when its look-up gives such an address", { ...strict, checkUrl: internalGuard.checkUrl }],
        [
          "when its look-up was deceived and the connection led there",
          { ...internalGuard, watch: strict.watch }
        ]
      ] as const)("sends nothing to an address that may not be called, %s", ([, guard]) =>
        Effect.gen(function* () {
          const peer = yield* start
          const sink = yield* openSink(peer.config, environment("cairn", { guard }))
          const error = yield* Effect.flip(sink.send(records(1, 2)))
          assert.include(error.reason, "public address")
          assert.deepStrictEqual(yield* Effect.promise(peer.arrived), [])
        })
      )
  })
}
