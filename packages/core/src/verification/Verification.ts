/** What a verification found, as the interface returns it. */
import { Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"

/** One place where the chain does not hold. */
export const ChainBreak = Schema.Struct({
  event_id: Field.text("The event at which it shows"),
  type: Schema.Literals(["hash_mismatch", "chain_break"]).annotate({
    description:
      "`hash_mismatch`: the event was modified after ingestion. `chain_break`: an event was inserted or deleted before it, or, on the last " +
      "one, after it"
  }),
  expected_hash: Field.text("The hash that would hold there; empty if none"),
  actual_hash: Field.text("The hash that is there instead; empty if none")
}).annotate({ identifier: "ChainBreak", description: "One place where the chain does not hold" })
export type ChainBreak = typeof ChainBreak.Type

/** The outcome of verifying a chain, or a part of it. */
export const ChainVerification = Schema.Struct({
  valid: Schema.Boolean.annotate({
    description:
      "No break in what was checked. Of the whole range only if `complete`, or after going on to the end"
  }),
  events_checked: Field.count("Events of the chain that were checked; legacy events are skipped"),
  breaks: Schema.Array(ChainBreak).annotate({
    description: "Where the chain does not hold; empty when it does"
  }),
  complete: Schema.Boolean.annotate({
    description: "Whether everything that was asked for was checked; without a `to`, up to the end of the log"
  }),
  total: Field.count(
    "Events that the chain has in what was asked for, from `from` on: those whose content was removed, and places whose event is " +
      "missing, too; legacy events not. Never less than `events_checked`"
  ),
  next: Schema.NullOr(Schema.String).annotate({
    description: "The `from` to go on with, with the same `to`; null when `complete`"
  })
}).annotate({
  identifier: "ChainVerification",
  description: "What verifying a chain, or a part of it, found"
})
export type ChainVerification = typeof ChainVerification.Type

/**
 * The message about a chain that the service found broken. Messages that were stored by an older version lack
 * the last three members.
 */
export const BrokenChain = Schema.Struct({
  valid: Schema.Literal(false),
  /** Events of the chain that the pass had checked so far. */
  events_checked: Schema.Int,
  /** The first breaks that were found since the last message. */
  breaks: Schema.Array(ChainBreak),
  /** How many breaks were found since the last message, including those that `breaks` does not list. */
  breaks_found: Schema.optionalKey(Schema.Int),
  /** Whether the pass had reached the end of the log. */
  complete: Schema.optionalKey(Schema.Boolean),
  /** Events in the chain at that time. */
  total: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "BrokenChain" })
export type BrokenChain = typeof BrokenChain.Type
