/**
 * How the main thread gets the meters of the others: it asks over a channel of the process, and each answers
 * with its samples. A thread that is busy answers late, and until then its last answer counts: nobody waits
 * longer than {@link PATIENCE_MILLIS}, and how old an answer is, is a metric of its own.
 */
import { MeterSet, Meters, type MetricSample } from "@cairn/core/log"
import { Clock, Effect, Layer, Schema } from "effect"
import { threadMeters } from "../metrics/ThreadMeters.ts"
import { processChannel } from "./ProcessChannel.ts"

/** How long a reader waits for threads. */
export const PATIENCE_MILLIS = 500

const State = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["counter", "gauge"]), value: Schema.Number }),
  Schema.Struct({
    type: Schema.Literal("histogram"),
    counts: Schema.Array(Schema.Number),
    sum: Schema.Number
  })
])

const Sample = Schema.Struct({
  name: Schema.String,
  labels: Schema.Record(Schema.String, Schema.String),
  state: State
})

const Report = Schema.Struct({
  answers: Schema.Number,
  thread: Schema.Literals(["log", "delivery"]),
  samples: Schema.Array(Sample)
})

const isAsked = Schema.is(Schema.Struct({ data: Schema.Struct({ asks: Schema.Number }) }))
const isReport = Schema.is(Schema.Struct({ data: Report }))

/** The meters of a thread, which sends them on request. */
export const layerReporting = (thread: ReportingThread, name: string) =>
  Layer.effectDiscard(Effect.andThen(threadMeters(thread), reportMeters(thread, name))).pipe(
    Layer.provideMerge(Layer.sync(Meters, () => new MeterSet()))
  )

/** Answers requests for as long as the scope lasts. */
const reportMeters = Effect.fnUntraced(function* (thread: ReportingThread, name: string) {
  const meters = yield* Meters
  const channel = yield* processChannel(name)
  channel.onmessage = (message: unknown) => {
    if (!isAsked(message)) return
    channel.postMessage({ answers: message.data.asks, thread, samples: meters.samples() })
  }
})

/** The last report of a thread. */
interface Known {
  readonly samples: ReadonlyArray<MetricSample>
  /** Milliseconds of the monotonic clock. */
  readonly at: number
}

/** The other threads of a process. */
export interface ThreadReports {
  /** Asks all, and waits until they have answered, or no longer. */
  readonly ask: Effect.Effect<void>
  readonly samples: () => ReadonlyArray<MetricSample>
  /** Seconds since a thread's last report; undefined for one that has given none. */
  readonly age: (thread: ReportingThread) => number | undefined
}

/** A thread that reports. */
export type ReportingThread = (typeof Report.Type)["thread"]

/** Those that answer on this channel. */
export const hearReports = Effect.fnUntraced(function* (
  name: string,
  threads: ReadonlyArray<ReportingThread>
) {
  const clock = yield* Clock.Clock
  const channel = yield* processChannel(name)
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  const began = now()
  const known = new Map<ReportingThread, Known>()
  let asked = 0
  let heard: ((answers: number) => void) | undefined
  channel.onmessage = (message: unknown) => {
    if (!isReport(message)) return
    const { thread, samples, answers } = message.data
    known.set(thread, { samples, at: now() })
    heard?.(answers)
  }
  const ask = Effect.callback<void>((resume) => {
    const number = ++asked
    let missing = threads.length
    if (missing === 0) return resume(Effect.void)
    heard = (answers) => {
      if (answers === number && --missing === 0) resume(Effect.void)
    }
    channel.postMessage({ asks: number })
  }).pipe(Effect.timeoutOption(PATIENCE_MILLIS), Effect.asVoid)
  const reports: ThreadReports = {
    ask,
    samples: () => [...known.values()].flatMap(({ samples }) => samples),
    age: (thread) =>
      threads.includes(thread) ? (now() - (known.get(thread)?.at ?? began)) / 1_000 : undefined
  }
  return reports
})
