/** Lets other threads go first where there are not enough processors for all of them. */
import { readlinkSync } from "node:fs"
import { setPriority } from "node:os"
import { basename } from "node:path"
import { Effect } from "effect"

/**
 * Steps of niceness (setpriority(2)): about a third of the share that a thread has that accepts or sequences.
 */
const NICENESS = 5

/**
 * Lowers the priority of the thread that runs it. Linux has one for each thread, and a number for it;
 * elsewhere, and where the system does not allow it, nothing changes.
 */
export const lowerPriority = Effect.ignore(
  Effect.try(() => {
    if (process.platform === "linux")
      setPriority(Number(basename(readlinkSync("/proc/thread-self"))), NICENESS)
  })
)
