/** Whether the logs of a backup are what was signed. */
import { Checkpoints } from "@cairn/core/checkpoint"
import { Sha256, toHex } from "@cairn/core/hashing"
import { makeVerifierKey, openCheckpoint } from "@cairn/core/note"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { portableEd25519 } from "@cairn/verifier"
import { Effect, Option, Result } from "effect"
import { rootOverEvents } from "./Against.ts"

/** The newest checkpoint of a log, checked. */
export interface CheckedCheckpoint {
  readonly workspace_id: string
  readonly size: number
  /** What is wrong with it; null if the log begins with what was signed. */
  readonly finding: string | null
}

const publicKeys = Effect.gen(function* () {
  const sha256 = yield* Sha256
  return (yield* (yield* Checkpoints).keys).flatMap(({ name, publicKey }) =>
    Result.match(makeVerifierKey(sha256, name, new Uint8Array(Buffer.from(publicKey, "base64"))), {
      onFailure: () => [],
      onSuccess: (key) => [key]
    })
  )
})

/**
 * The newest signed checkpoint of each log: its signature, by the keys in the database, and its root over the
 * events. Costs two SHA-256 an event.
 */
export const checkSignatures = Effect.gen(function* () {
  const keys = yield* publicKeys
  const checkpoints = yield* Checkpoints
  const checked: Array<CheckedCheckpoint> = []
  for (const { id } of yield* (yield* ManagedWorkspaces).list) {
    const newest = Option.getOrUndefined(yield* checkpoints.newest(id))
    if (newest === undefined) continue
    const opened = openCheckpoint(portableEd25519, new TextEncoder().encode(newest.note), keys)
    const finding = Result.isFailure(opened)
      ? `its newest checkpoint is not signed by a key of the database (${opened.failure._tag})`
      : (yield* rootOverEvents(id, opened.success.checkpoint.size)) === toHex(opened.success.checkpoint.root)
        ? null
        : `it does not begin with the ${opened.success.checkpoint.size} events that were signed`
    checked.push({ workspace_id: id, size: newest.size, finding })
  }
  return checked
})
