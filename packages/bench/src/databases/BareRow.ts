/**
 * What the loops insert that rows 2 and 3 are held against: the columns of an event, without any work to come
 * by them.
 */
import { randomUUID } from "node:crypto"
import { ordinaryBody } from "../OrdinaryEvent.ts"

/** Rows of a loop. */
export const BARE_ROWS = 40_000
/** At most this many at a time. */
export const ROWS_A_TRANSACTION = 1_000

const HASH = "0".repeat(64)
const CONTENT = JSON.stringify(ordinaryBody(0)).padEnd(577, " ")

/** The row of a sequence. */
export const bareRow = (sequence: number) => ({
  sequence,
  id: randomUUID(),
  createdAt: sequence,
  content: CONTENT,
  salt: HASH.slice(32),
  contentHash: HASH,
  previousEventHash: HASH,
  eventHash: HASH
})
