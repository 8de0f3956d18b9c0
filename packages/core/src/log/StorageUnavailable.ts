/** The error of any storage adapter when its store fails. */
import { Schema } from "effect"

/**
 * The store cannot do it now: the disk is full, or the database cannot be reached or is busy. Nothing was
 * changed; or, if the response to a commit was lost, the same call may be made again.
 */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  /** The operation that failed, for the operator's log. */
  operation: Schema.String,
  cause: Schema.Defect()
}) {}
