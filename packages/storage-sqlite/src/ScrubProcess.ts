/** The process that `scrubFiles` starts: overwrites the unused bytes of the given files. */
import { overwriteUnused } from "./OverwriteUnused.ts"

for (const filename of process.argv.slice(2)) await overwriteUnused(filename)
