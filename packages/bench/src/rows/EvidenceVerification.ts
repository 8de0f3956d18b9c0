/** Row 5: the offline verifier on a bundle as it lies on a disk, on one core. */
import { createHash } from "node:crypto"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nativeSha256 } from "@cairn/core"
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

/** Bytes that a content hash is over, with its prefix and salt, and a header's hash. */
const CONTENT_BYTES = 577 + 50
const HEADER_BYTES = 360
/** A Merkle leaf and an inner node: one byte before one hash, or two. */
const LEAF_BYTES = 33
const NODE_BYTES = 65
/** Trees that an event is in: that of the log, and that of its anchor's period. */
const TREES = 2

/** What the task answers. */
interface Verified {
  readonly verdict: Report["verdict"]
  readonly events: number
  /** Milliseconds of the best of some runs. */
  readonly millis: number
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

/** All the hashes that so many events need, by the platform's own function. */
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
    for (let tree = 0; tree < TREES; tree++) {
      hex(leaf)
      hex(node)
    }
  }
}

const task = async ({ file, runs }: { readonly file: string; readonly runs: number }): Promise<Verified> => {
  const idle = residentMebibytes()
  const [[report, first], peak] = await watchingMemory(() => timed(() => verify(file)))
  const { events } = report.counts
  let millis = first
  let hashing = Number.POSITIVE_INFINITY
  for (let run = 1; run < runs; run++) {
    millis = Math.min(millis, (await timed(() => verify(file)))[1])
    hashing = Math.min(hashing, (await timed(() => hashAll(events)))[1])
  }
  return { verdict: report.verdict, events, millis, hashing, mebibytes: peak - idle }
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
  const rate = (many.events / many.millis) * 1000
  return [
    ratioRow({
      number: "5",
      what: "offline verifier on a bundle, gzip, one core; ≥ 100,000 /s",
      limit: (many.events / many.hashing) * 1000,
      measured: rate,
      unit: "/s",
      atLeast: 0.25,
      also: rate >= 100_000 && many.verdict === "intact",
      note: `${many.events} events, verdict ${many.verdict}, six hashes an event`
    }),
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
