/** Puts dead letters back into the queue. */
import { join } from "node:path"
import type { PreparedEvent } from "../Prepared.ts"
import { type DeadLetter, type DeadLetters, readDeadLetters } from "./DeadLetters.ts"
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
const eventOf = ({ key, event }: DeadLetter): PreparedEvent | undefined => {
  if (key === null || event === undefined) return undefined
  const own = event.idempotency_key
  const kept = typeof own === "string" && own !== "" ? own : key
  return { key: kept, json: JSON.stringify({ ...event, idempotency_key: kept }) }
}

/** Claims the letters: whoever renames the file has it. Also those that an owner that is gone had claimed. */
const claim = async ({ files, folder, owner }: Requeuing): Promise<ReadonlyArray<string>> => {
  const found = requeuesAmong(folder, await files.list(folder))
  const claimed = found.filter((file) => file.owner === owner).map(({ path }) => path)
  const from = [join(folder, DEAD_LETTERS)]
  for (const file of found) {
    if (file.owner !== owner && (await isDead(folder, file.owner))) from.push(file.path)
  }
  let number = claimed.length
  for (const path of from) {
    let to = requeuePath(folder, owner, ++number)
    while (claimed.includes(to)) to = requeuePath(folder, owner, ++number)
    const renamed = await unlessMissing(files.rename(path, to).then(() => true))
    if (renamed) claimed.push(to)
  }
  if (claimed.length > 0) await files.syncFolder(folder)
  return claimed
}

/**
 * Puts the dead letters back. Killed within: the letters that were claimed are claimed by the next who asks,
 * and an event that is in the queue twice is recorded once.
 */
export const requeueDeadLetters = async (
  spool: Requeuing
): Promise<{ readonly requeued: number; readonly left: number }> => {
  const { files, disk, letters } = spool
  const claimed = await disk.run(() => claim(spool))
  let requeued = 0
  let left = 0
  for (const path of claimed) {
    const found = readDeadLetters((await files.read(path)).toString("utf8"))
    const added = await Promise.allSettled(
      found.map((letter) => {
        const event = eventOf(letter)
        return event === undefined ? Promise.reject(new Error("no event")) : spool.add(event)
      })
    )
    const kept = found.filter((_, index) => added[index]?.status === "rejected")
    await disk.run(async () => {
      await letters.append(kept)
      await files.unlink(path)
    })
    requeued += found.length - kept.length
    left += kept.length
  }
  return { requeued, left }
}
