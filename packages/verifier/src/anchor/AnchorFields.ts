/** Whether the fields of an anchor can be those of one, each by itself and beside the others. */

import { Micros } from "@cairn/core/encoding"
import type { EvidenceAnchor } from "@cairn/core/evidence"

const HASH = /^[0-9a-f]{64}$/
const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/

/** A whole second in the one spelling that an anchor has. */
const isSecond = (text: string): boolean => {
  const micros = Micros.parse(text)
  return micros !== undefined && Micros.formatSeconds(micros) === text
}

/**
 * Returns why they cannot; `undefined` if they can. Informational fields, such as `explorer_url`, are not
 * checked.
 */
export const malformedAnchor = ({ anchor, block: proof }: EvidenceAnchor): string | undefined => {
  const { status, tx_hash: transaction, block_number: block, previous_anchor_hash: previous } = anchor
  for (const name of ["merkle_root", "first_event_hash", "last_event_hash"] as const) {
    if (!HASH.test(anchor[name])) return `${name} is no hash`
  }
  if (previous !== null && !HASH.test(previous)) return "previous_anchor_hash is not a hash"
  if (transaction !== null && !TRANSACTION_HASH.test(transaction))
    return "tx_hash is not the hash of a transaction"
  for (const name of ["period_start", "period_end"] as const) {
    if (!isSecond(anchor[name])) return `${name} is not a whole second`
  }
  const confirmed = status === "confirmed"
  if (confirmed !== (transaction !== null) || confirmed !== (block !== null)) {
    return `It is ${status}, which tx_hash and block_number contradict`
  }
  if (block !== null && block < 0) return "block_number is not the number of a block"
  return !confirmed && proof !== null ? `It is ${status}, but has a proof that a block holds it` : undefined
}
