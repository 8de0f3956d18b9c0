/** The names of what the service's own verification stores, and the rows of the breaks that it has found. */
import type * as Micros from "../encoding/Micros.ts"
import type { ChainBreak } from "./Verification.ts"

/** The consumer's name. */
export const VERIFICATION_CONSUMER = "verification"
/** The key of the row with the state of the pass. */
export const STATE_KEY = "state"

const PREFIX = "break "

/** The key of a break's row. */
export const breakKey = ({ type, event_id }: Pick<ChainBreak, "type" | "event_id">): string =>
  `${PREFIX}${type} ${event_id}`

/** The break of a key; undefined for other rows. */
export const readBreakKey = (key: string): Pick<ChainBreak, "type" | "event_id"> | undefined => {
  const [, type, event_id = ""] = key.startsWith(PREFIX) ? key.split(" ") : []
  return type === "hash_mismatch" || type === "chain_break" ? { type, event_id } : undefined
}

/** What a break's row holds. */
interface BreakRow {
  /** The last pass that found it. */
  readonly pass: number
  /** When it was found first; null if an earlier version found it, which did not say. */
  readonly foundAt: Micros.Micros | null
}

/** Reads a row's value. */
export const readBreakRow = (value: string): BreakRow => {
  const [pass, foundAt] = value.split(" ")
  return { pass: Number(pass), foundAt: foundAt === undefined ? null : Number(foundAt) }
}

/** A row's value. */
export const writeBreakRow = ({ pass, foundAt }: BreakRow): string =>
  foundAt === null ? String(pass) : `${pass} ${foundAt}`
