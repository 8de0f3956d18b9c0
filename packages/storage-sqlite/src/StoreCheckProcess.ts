/** The process that `StoreCheck` starts: checks the files of a database, and writes what it finds as JSON. */
import { setPriority } from "node:os"
import { checkFiles } from "./FileChecks.ts"

/** Everything else on the machine goes first. */
const LOWEST_PRIORITY = 19

try {
  setPriority(LOWEST_PRIORITY)
} catch {
  // Not everywhere is that allowed; the check is the same.
}
process.stdout.write(JSON.stringify(checkFiles(process.argv[2] ?? "")))
