/**
 * Port: whether the store finds again what it holds. Hashes prove the events that a read returns; an index
 * that lacks some of them makes lists short, and breaks no hash.
 */
import { Context, type Effect, Schema } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** Something that is damaged. */
export const StoreDamage = Schema.Struct({
  /** The file, table or index: `cairn.db`, `event_action`. */
  where: Schema.String,
  /** What the check says of it, in one line. */
  what: Schema.String
})
export type StoreDamage = typeof StoreDamage.Type

/** What a check of the store found. */
export const StoreFindings = Schema.Struct({
  /** Nothing is damaged, as far as it was checked. */
  sound: Schema.Boolean,
  /** At most {@link MAX_DAMAGES}. */
  damages: Schema.Array(StoreDamage),
  /** What was checked, and how. */
  checked: Schema.Array(Schema.String),
  /** What could not be checked, and why. */
  not_checked: Schema.Array(Schema.String)
})
export type StoreFindings = typeof StoreFindings.Type

/** Most damages that a check lists. */
export const MAX_DAMAGES = 100

/** The findings of a check: those parts of what is damaged that a list has room for. */
export const storeFindings = ({
  damages,
  checked,
  not_checked
}: Omit<StoreFindings, "sound">): StoreFindings => ({
  sound: damages.length === 0,
  damages: damages.slice(0, MAX_DAMAGES),
  checked,
  not_checked
})

/**
 * Contract: reads every page of the database once, or every row of its log, beside everything else that uses
 * it: writers do not wait for it. It changes nothing. A database that cannot be read is a failure or a
 * damage, never sound.
 */
export class StoreCheck extends Context.Service<
  StoreCheck,
  { readonly check: Effect.Effect<StoreFindings, StorageUnavailable> }
>()("@cairn/core/StoreCheck") {}
