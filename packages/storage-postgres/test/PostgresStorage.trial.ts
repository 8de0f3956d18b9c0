/** What of the contract of PostgreSQL tries many cases: what is asked of logs, and how these are verified. */
import { FrameEvents } from "@cairn/storage-sql"
import {
  eventQueryContract,
  indexedAtOnce,
  indexedSearchContract,
  largeSearchContract,
  verificationContract
} from "@cairn/testing"
import { Layer } from "effect"
import { emptyStorage } from "./support.ts"

/** Two events a frame, so that a short log has more frames than a group. */
const smallFrames: typeof emptyStorage = (options) =>
  emptyStorage(options).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))

eventQueryContract("PostgreSQL", emptyStorage)
indexedSearchContract("PostgreSQL, its search index caught up", indexedAtOnce(smallFrames))
largeSearchContract("PostgreSQL, its search index caught up", indexedAtOnce(smallFrames))
verificationContract("PostgreSQL", emptyStorage)
