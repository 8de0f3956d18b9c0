/** Row 11: an export of a whole log as CSV, from the request to the file on disk. */
import { mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EvidenceExport } from "@cairn/core/evidence"
import { Exporting, ExportMaker } from "@cairn/core/export"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Announcer } from "@cairn/core/outbound"
import { layerDiskExportStore } from "@cairn/delivery"
import { Effect, Layer, ManagedRuntime, Option, Stream } from "effect"
import type { Bench } from "../Bench.ts"
import { answer, isTask, residentMebibytes, runTask, taskArgument, watchingMemory } from "../ChildTask.ts"
import { storageAt } from "../databases/Storage.ts"
import { boundedRow, type Row, ratioRow } from "../Row.ts"
import { timed } from "../Timing.ts"

/** MiB above idle. */
const FLAT = 64
/** Bytes of each write of the limit: as many as the rows of one chunk of the log. */
const CHUNK = 700_000

/** What the task is given. */
interface ExportTask {
  readonly environment: Readonly<Record<string, string>>
  readonly workspaceId: string
  readonly folder: string
}

/** What it returns. */
interface Exported {
  readonly rows: number
  readonly bytes: number
  readonly millis: number
  /** MiB above the idle process. */
  readonly mebibytes: number
}

const task = async ({ environment, workspaceId, folder }: ExportTask): Promise<Exported> => {
  // Nobody is to be notified in this workspace.
  const announcer = Layer.succeed(Announcer, {
    announce: () => Effect.void,
    compose: () => Effect.succeed([])
  })
  const links = { baseUrl: "http://localhost", linkKey: "bench" }
  const unused = Effect.die(new Error("a table is made of no evidence"))
  const exporting = Layer.merge(Exporting.layer(links), ExportMaker.layer(links)).pipe(
    Layer.provide([
      storageAt(environment),
      layerDiskExportStore(folder),
      announcer,
      Layer.succeed(EvidenceExport, { open: () => unused, text: () => Stream.unwrap(unused) }),
      Sha256.layer,
      Randomness.layer
    ])
  )
  const runtime = ManagedRuntime.make(exporting)
  const { newId, request, get } = await runtime.runPromise(Exporting)
  const { advance } = await runtime.runPromise(ExportMaker)
  const id = await runtime.runPromise(newId)
  await runtime.runPromise(request(workspaceId, { id, format: "csv", filters: {} }))
  const idle = residentMebibytes()
  const [[, millis], peak] = await watchingMemory(() => timed(() => runtime.runPromise(advance)))
  const done = Option.getOrThrow(await runtime.runPromise(get(workspaceId, id, null)))
  await runtime.dispose()
  return { rows: done.total_rows ?? 0, bytes: done.file_size ?? 0, millis, mebibytes: peak - idle }
}

/** Milliseconds to write this many bytes durably to a file. */
const writeBytes = async (folder: string, bytes: number): Promise<number> => {
  const [, millis] = await timed(async () => {
    await using file = await open(join(folder, "bytes"), "w")
    const chunk = Buffer.alloc(CHUNK, "a,")
    for (let left = bytes; left > 0; left -= CHUNK)
      await file.appendFile(chunk.subarray(0, Math.min(left, CHUNK)))
    await file.sync()
  })
  return millis
}

/** Measures it. */
export const csvExport = async ({ server, logs, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const { database, workspaceId } = await logs.of(server, settings.events)
  const folder = mkdtempSync(join(tmpdir(), "cairn-export-"))
  const argument: ExportTask = { environment: database.environment, workspaceId, folder }
  const { rows, bytes, millis, mebibytes } = await runTask<Exported>(import.meta.url, argument)
  const writing = await writeBytes(folder, bytes)
  rmSync(folder, { recursive: true, force: true })
  const rate = (rows / millis) * 1000
  return [
    {
      ...ratioRow({
        number: "11",
        what: `CSV export of ${rows} rows, against writing ${Math.round(bytes / 1e6)} MB`,
        database: server.product,
        limit: (rows / writing) * 1000,
        measured: rate,
        unit: "/s",
        atLeast: 0
      }),
      target: "≥ 100,000 /s",
      met: rate >= 100_000 && rows >= settings.events
    },
    boundedRow({
      number: "11",
      what: "its memory above idle",
      database: server.product,
      measured: mebibytes,
      unit: "MiB",
      atMost: FLAT
    })
  ]
}

if (isTask(import.meta.url)) answer(await task(JSON.parse(taskArgument())))
