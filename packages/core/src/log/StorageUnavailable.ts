/** What any storage adapter may answer when its store does not. */
import { Schema } from "effect"

/**
 * The store cannot do it now: the disk is full, the database is gone or busy. Nothing was changed, or, for a
 * lost answer to a commit, the same call may be made again.
 */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  /** What was being done, for the operator's log. */
  operation: Schema.String,
  cause: Schema.Defect()
}) {}
