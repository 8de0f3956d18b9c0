/** Looks into a spool's folder without changing it. */
import { join } from "node:path"
import type { PreparedEvent } from "../Prepared.ts"
import { type DeadLetter, readDeadLetters } from "./DeadLetters.ts"
import { readSegment } from "./SegmentLines.ts"
import { nodeFiles, unlessMissing } from "./SpoolFiles.ts"
import { DEAD_LETTERS, requeuesAmong, segmentsAmong } from "./SpoolNames.ts"

/** What is in a spool's folder, of all processes that share it. */
export interface SpoolContents {
  /** The events that wait. */
  readonly waiting: ReadonlyArray<PreparedEvent>
  /** The events that the service refused for good, and what is left of damaged records. */
  readonly deadLetters: ReadonlyArray<DeadLetter>
  /** Records among those that wait which cannot be read. */
  readonly damaged: number
}

/** Reads a spool's folder, also while processes write to it. It takes the memory of all that waits. */
export const readSpool = async (folder: string): Promise<SpoolContents> => {
  const names = await nodeFiles.list(folder)
  const waiting: Array<PreparedEvent> = []
  let damaged = 0
  for (const { path } of segmentsAmong(folder, names)) {
    const bytes = await unlessMissing(nodeFiles.read(path))
    // Adopted or removed just now.
    if (bytes === undefined) continue
    const contents = readSegment(bytes)
    for (const event of contents.waiting) waiting.push(event)
    damaged += contents.damaged.length
  }
  const letters = [...requeuesAmong(folder, names).map(({ path }) => path), join(folder, DEAD_LETTERS)]
  const texts = await Promise.all(letters.map((path) => unlessMissing(nodeFiles.read(path))))
  const deadLetters = readDeadLetters(texts.map((text) => text?.toString("utf8") ?? "").join("\n"))
  return { waiting, deadLetters, damaged }
}
