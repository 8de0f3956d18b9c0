/** The process that `StoreCheck` starts: checks the files of a database, and writes what it finds as JSON. */
import { setPriority } from "node:os"
import { Effect } from "effect"
import { checkFiles } from "./FileChecks.ts"

/**
 * Steps of niceness (setpriority(2)): about a third of the share of a process that serves. At the lowest
 * priority, the check would never end on a busy machine.
 */
const NICENESS = 5

try {
  setPriority(NICENESS)
} catch {
  // Not everywhere is that allowed; the check is the same.
}
process.stdout.write(JSON.stringify(await Effect.runPromise(checkFiles(process.argv[2] ?? ""))))
