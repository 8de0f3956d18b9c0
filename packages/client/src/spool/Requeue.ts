/** Puts dead letters back into the queue. */
import { join } from "node:path"
import type { PreparedEvent } from "../Prepared.ts"
import { type DeadLetter, type DeadLetters, deadLetterLines } from "./DeadLetters.ts"
import type { Exclusive } from "./Exclusive.ts"
import { isDead } from "./OwnerLock.ts"
import { type SpoolFiles, unlessMissing } from "./SpoolFiles.ts"
import { DEAD_LETTERS, requeuePath, requeuesAmong } from "./SpoolNames.ts"

/** The parts of a spool that this needs. */
export interface Requeuing {
  readonly files: SpoolFiles
  readonly folder: string
  readonly owner: string
  readonly disk: Exclusive
  readonly letters: DeadLetters
  readonly add: (event: PreparedEvent) => Promise<void>
}

/** The event of a letter, which a person may have mended. */
const eventOf = (letter: DeadLetter | undefined): PreparedEvent | undefined => {
  const { key = null, event } = letter ?? {}
  if (key === null || event === undefined) return undefined
  const own = event.idempotency_key
  const kept = typeof own === "string" && own !== "" ? own : key
  return { key: kept, json: JSON.stringify({ ...event, idempotency_key: kept }) }
}

/** Whether the event waits, on the disk. */
const add = async (spool: Requeuing, event: PreparedEvent | undefined): Promise<boolean> => {
  if (event === undefined) return false
  return spool.add(event).then(
    () => true,
    () => false
  )
}

/** What cannot be read keeps its name, for a process that can. */
const claimOne = async (files: SpoolFiles, from: string, to: string): Promise<true> => {
  await (await files.open(from)).close()
  await files.rename(from, to)
  return true
}

/** The files of letters that are claimed, and why others could not be. */
interface Claimed {
  readonly paths: ReadonlyArray<string>
  readonly failures: ReadonlyArray<unknown>
}

/**
 * Claims the letters: the process that renames the file has it. Also those that an owner that is gone had
 * claimed.
 */
const claim = async ({ files, folder, owner }: Requeuing): Promise<Claimed> => {
  const found = requeuesAmong(folder, await files.list(folder))
  const claimed = found.filter((file) => file.owner === owner).map(({ path }) => path)
  const from = [join(folder, DEAD_LETTERS)]
  for (const file of found) {
    if (file.owner !== owner && (await isDead(folder, file.owner))) from.push(file.path)
  }
  const failures: Array<unknown> = []
  let number = claimed.length
  for (const path of from) {
    let to = requeuePath(folder, owner, ++number)
    while (claimed.includes(to)) to = requeuePath(folder, owner, ++number)
    try {
      if (await unlessMissing(claimOne(files, path, to))) claimed.push(to)
    } catch (error) {
      failures.push(error)
    }
  }
  if (claimed.length > 0) await files.syncFolder(folder)
  return { paths: claimed, failures }
}

/**
 * Puts the dead letters back. A letter leaves its file once its event is on the disk as one that waits; one
 * that stays does so once it is on the disk in the file of dead letters. Killed within: the letters that were
 * claimed are claimed by the next who asks, and an event that is in the queue twice is recorded once. A file
 * that cannot be claimed costs the others nothing: its error comes after them.
 */
export const requeueDeadLetters = async (
  spool: Requeuing
): Promise<{ readonly requeued: number; readonly left: number }> => {
  const { files, disk, letters } = spool
  const { paths, failures } = await disk.run(() => claim(spool))
  let requeued = 0
  let left = 0
  for (const path of paths) {
    const bytes = await unlessMissing(files.read(path))
    // Somebody has taken this owner for dead, and puts them back.
    if (bytes === undefined) continue
    const lines = deadLetterLines(bytes.toString("utf8"))
    const isAdded = await Promise.all(lines.map(({ letter }) => add(spool, eventOf(letter))))
    const kept = lines.filter((_, index) => !isAdded[index])
    await disk.run(async () => {
      await letters.putBack(kept.map(({ line }) => line))
      await unlessMissing(files.unlink(path))
    })
    requeued += lines.length - kept.length
    left += kept.length
  }
  if (failures.length > 0) throw failures[0]
  return { requeued, left }
}
