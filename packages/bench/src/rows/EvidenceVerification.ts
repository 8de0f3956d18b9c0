/**
 * Row 5: the offline verifier on a bundle as it lies on a disk: how long it takes, and how much of one core's
 * time.
 */
import { createHash } from "node:crypto"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nativeSha256 } from "@cairn/core/hashing"
import { layerTools, type Report, verifyEvidence } from "@cairn/verifier"
import { Effect, Stream } from "effect"
import type { Bench } from "../Bench.ts"
import { answer, isTask, residentMebibytes, runTask, taskArgument, watchingMemory } from "../ChildTask.ts"
import { boundedRow, type Row, ratioRow } from "../Row.ts"
import { cairn } from "../ServerUnderTest.ts"
import { timed } from "../Timing.ts"

/** Events of the bundle that is timed, unless a smaller bench is asked for. */
const EVENTS = 100_000
/** By how much another one is smaller, which must take as much memory. */
const SMALLER = 10
/** MiB by which a verifier's memory may differ between the two. */
const FLAT = 32

/** Events a second. */
const LEAST = 100_000

/** Bytes that a content hash is over, with its prefix and salt, and a header's hash. */
const CONTENT_BYTES = 577 + 50
const HEADER_BYTES = 360
/** A Merkle leaf and an inner node: one byte before one hash, or two. */
const LEAF_BYTES = 33
const NODE_BYTES = 65
/** Trees that an event is in: that of the log, and that of its anchor's period. */
const TREES = 2

/** What the task returns. */
interface Verified {
  readonly verdict: Report["verdict"]
  readonly events: number
  /** Milliseconds of the best of some runs. */
  readonly millis: number
  /** Milliseconds of processors' time that one of them took, all its threads together. */
  readonly processor: number
  /** Milliseconds that all its hashes take. */
  readonly hashing: number
  /** MiB above the idle process. */
  readonly mebibytes: number
}

const verify = (file: string) =>
  Effect.runPromise(
    verifyEvidence(Stream.fromAsyncIterable(createReadStream(file), (error) => error)).pipe(
      Effect.provide(layerTools)
    )
  )

/** All the hashes that this many events need, with the platform's own function. */
const hashAll = (events: number): void => {
  const hex =
    nativeSha256?.hex ?? ((data: string | Uint8Array) => createHash("sha256").update(data).digest("hex"))
  const content = "a".repeat(CONTENT_BYTES)
  const header = "b".repeat(HEADER_BYTES)
  const leaf = new Uint8Array(LEAF_BYTES)
  const node = new Uint8Array(NODE_BYTES)
  for (let event = 0; event < events; event++) {
    hex(content)
    hex(header)
    // The leaf is the same in each of them.
    hex(leaf)
    for (let tree = 0; tree < TREES; tree++) hex(node)
  }
}

const task = async ({ file, runs }: { readonly file: string; readonly runs: number }): Promise<Verified> => {
  const idle = residentMebibytes()
  const [[report, first], peak] = await watchingMemory(() => timed(() => verify(file)))
  const { events } = report.counts
  let millis = first
  let processor = Number.POSITIVE_INFINITY
  let hashing = Number.POSITIVE_INFINITY
  for (let run = 1; run < runs; run++) {
    const before = process.cpuUsage()
    millis = Math.min(millis, (await timed(() => verify(file)))[1])
    const { user, system } = process.cpuUsage(before)
    processor = Math.min(processor, (user + system) / 1000)
    hashing = Math.min(hashing, (await timed(() => hashAll(events)))[1])
  }
  return { verdict: report.verdict, events, millis, processor, hashing, mebibytes: peak - idle }
}

/** Measures it. The log lies in SQLite; a bundle is the same from any database. */
export const evidenceVerification = async ({
  server,
  logs,
  settings
}: Bench): Promise<ReadonlyArray<Row>> => {
  if (server.product !== "SQLite") return []
  const folder = mkdtempSync(join(tmpdir(), "cairn-evidence-"))
  const verified = async (events: number, runs: number) => {
    const { database } = await logs.of(server, events)
    const file = join(folder, `${events}.gz`)
    cairn(database, "evidence", "--output", file)
    return runTask<Verified>(import.meta.url, { file, runs })
  }
  const events = Math.min(EVENTS, settings.events)
  const few = await verified(events / SMALLER, 1)
  const many = await verified(events, 4)
  rmSync(folder, { recursive: true, force: true })
  const rate = (millis: number) => (many.events / millis) * 1000
  const elapsed = rate(many.millis)
  return [
    ratioRow({
      number: "5",
      what: "offline verifier on a bundle, gzip, by the time of one core",
      limit: rate(many.hashing),
      measured: rate(many.processor),
      unit: "/s",
      atLeast: 0.25,
      also: many.verdict === "intact",
      note: `${many.events} events, verdict ${many.verdict}, five hashes an event`
    }),
    {
      number: "5",
      what: "the same by the clock, decompressed beside it",
      measured: elapsed,
      unit: "/s",
      target: `≥ ${LEAST} /s`,
      met: elapsed >= LEAST && many.verdict === "intact"
    },
    boundedRow({
      number: "5",
      what: `its memory on ${many.events} events, more than on ${few.events}`,
      measured: Math.max(0, many.mebibytes - few.mebibytes),
      unit: "MiB",
      atMost: FLAT,
      note: `${Math.round(many.mebibytes)} MiB above idle`
    })
  ]
}

if (isTask(import.meta.url)) answer(await task(JSON.parse(taskArgument())))
