/**
 * The logs that insiders tamper with, in six shapes, and what belongs to each: the truth, other bundles,
 * another log.
 */
import type { Ed25519SignerShape } from "@cairn/core/hashing"
import { FIRST_LEGACY_SEQUENCE, type LogEntry } from "@cairn/core/log"
import { type TestBundleOptions, testBundle, testCheckpoint } from "../generators/EvidenceBuilder.ts"
import { type TestLog, type TestLogOptions, testLog } from "../generators/TestLog.ts"
import { type BundleLines, readLines } from "./BundleLines.ts"
import { hashBytes } from "./EventMending.ts"
import type { Leaves } from "./TreeMending.ts"

/** What a bundle is about. */
export const SHAPES = [
  "whole",
  "range",
  "erasures",
  "retention",
  "anchors over both edges",
  "legacy"
] as const
export type ShapeName = (typeof SHAPES)[number]

/** Who signs the checkpoints, and the chain that anchors are sent to. */
export interface ShapeTools {
  readonly signer: Ed25519SignerShape
  readonly send: NonNullable<TestLogOptions["send"]>
}

/** A log, everything that was ever in it, and what a verifier must find. */
export interface Truth {
  /** As it is now. */
  readonly log: TestLog
  /** Its events with the contents that were removed since. */
  readonly events: ReadonlyArray<LogEntry>
  readonly legacy: ReadonlyArray<LogEntry>
  /** The hashes of its events. */
  readonly leaves: Leaves
  /** Its true checkpoints by size; each was published once. */
  readonly notes: ReadonlyMap<number, string>
}

/** An older bundle of the same log, and its last event. */
export interface OlderBundle {
  readonly lines: BundleLines
  readonly end: number
}

/** An honest bundle of a shape. */
export interface ShapeBundle {
  readonly truth: Truth
  readonly lines: BundleLines
  readonly from: number
  readonly to: number
  readonly older: ReadonlyArray<OlderBundle>
  /** Other honest bundles of the log. */
  readonly others: ReadonlyArray<BundleLines>
  /** Bundles of another log. */
  readonly strangers: ReadonlyArray<BundleLines>
}

interface Plan {
  readonly log: TestLogOptions
  readonly ranges: ReadonlyArray<TestBundleOptions>
  /** The sequences at which older bundles end. */
  readonly older: ReadonlyArray<number>
}

const oldest = FIRST_LEGACY_SEQUENCE

const PLANS: Readonly<Record<ShapeName, Plan>> = {
  whole: { log: { events: 14, periods: [5, 9, 12] }, ranges: [{}, { to: 12, size: 12 }], older: [7, 10] },
  range: {
    log: { events: 16, periods: [5, 10] },
    ranges: [
      { from: 6, to: 13 },
      { from: 2, to: 12 },
      { from: 7, to: 10, size: 15 }
    ],
    older: [8, 9]
  },
  erasures: {
    log: { events: 12, periods: [4, 8, 14], erased: [3, 7], later: 3 },
    ranges: [{ to: 11 }, {}, { from: 3, to: 10 }],
    older: [6, 9]
  },
  retention: {
    log: {
      events: 13,
      legacy: 2,
      periods: [4, 9, 15],
      announced: [4, 9],
      retained: [{ at: 7, below: 3 }],
      erased: [10],
      retainedFrom: 9,
      later: 3
    },
    ranges: [{ to: 13 }, {}, { from: 3, to: 11 }, { to: 8 }],
    older: [6, 10]
  },
  "anchors over both edges": {
    log: { events: 17, periods: [4, 9, 14] },
    ranges: [
      { from: 6, to: 12 },
      { from: 6, to: 8 },
      { from: 3, to: 11, size: 15 }
    ],
    older: [7, 8]
  },
  legacy: {
    log: { events: 11, legacy: 4, periods: [4, 9], erased: [oldest + 1, 6], later: 1 },
    ranges: [{}, { to: 9 }],
    older: [5, 8]
  }
}

const makeTruth = (options: TestLogOptions, { signer, send }: ShapeTools): Truth => {
  const log = testLog({ ...options, send })
  const before = testLog({ ...options, unremoved: true })
  const whole = (all: ReadonlyArray<LogEntry>) => (event: LogEntry, index: number) =>
    event.content === null
      ? { ...event, content: all[index]?.content ?? null, salt: all[index]?.salt ?? null }
      : event
  const sizes = log.events.map((_, index) => index + 1)
  return {
    log,
    events: log.events.map(whole(before.events)),
    legacy: log.legacy.map(whole(before.legacy)),
    leaves: log.events.flatMap(({ eventHash }) => hashBytes(eventHash ?? "") ?? []),
    notes: new Map(sizes.map((size) => [size, testCheckpoint(log, size, signer)]))
  }
}

/** The log when its last event was the one with this sequence: nothing was removed yet. */
const earlier = ({ log, events, legacy }: Truth, end: number): TestLog => ({
  ...log,
  events: events.slice(0, end),
  legacy,
  anchors: log.anchors.filter(({ last_sequence: last }) => last <= end)
})

const bundle = (log: TestLog, options: TestBundleOptions, signer: Ed25519SignerShape): BundleLines =>
  readLines(testBundle(log, { ...options, signer }))

const SEEDS = { own: 11, other: 12 }

const makeShape = (name: ShapeName, tools: ShapeTools): ReadonlyArray<ShapeBundle> => {
  const { log: options, ranges, older } = PLANS[name]
  const { signer } = tools
  const seed = SHAPES.indexOf(name) * 100
  const truth = makeTruth({ ...options, seed: seed + SEEDS.own }, tools)
  const stranger = makeTruth({ ...options, seed: seed + SEEDS.other }, tools)
  const size = truth.events.length
  const bundles = ranges.map((range) => bundle(truth.log, range, signer))
  const olderBundles = older.map((end) => ({ lines: bundle(earlier(truth, end), {}, signer), end }))
  const more = [{ from: 3, to: size - 1 }, { from: 5 }, { to: size - 2, size: size - 1 }, { from: 8 }]
  const others = [
    ...bundles,
    ...olderBundles.map(({ lines }) => lines),
    ...more.map((range) => bundle(truth.log, range, signer))
  ]
  const strangers = [{}, ...ranges, { from: 4, to: size - 2 }].map((range) =>
    bundle(stranger.log, range, signer)
  )
  return bundles.map((lines, index) => {
    const { from = 1, to = size } = ranges[index] ?? {}
    return {
      truth,
      lines,
      from,
      to,
      older: olderBundles,
      others: others.filter((other) => other !== lines),
      strangers
    }
  })
}

/** The bundles of every shape. Takes about a tenth of a second. */
export const insiderShapes = (tools: ShapeTools): ReadonlyMap<ShapeName, ReadonlyArray<ShapeBundle>> =>
  new Map(SHAPES.map((name) => [name, makeShape(name, tools)]))
