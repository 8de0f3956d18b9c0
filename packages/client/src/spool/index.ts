/**
 * A queue on disk, for Node: an event is there before `enqueue` resolves, and a crash loses none.
 *
 * @packageDocumentation
 */
export type { DeadLetter } from "./DeadLetters.ts"
export { readSpool, type SpoolContents } from "./ReadSpool.ts"
export { openSpool, type Spool, type SpoolCounters, type SpoolOptions } from "./Spool.ts"
export type { FileState, SpoolFile, SpoolFiles } from "./SpoolFiles.ts"
