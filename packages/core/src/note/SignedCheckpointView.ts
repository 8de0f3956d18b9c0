/**
 * A checkpoint that the service signed by itself, as it is sent by webhook and in log streams and returned in
 * a list.
 */
import { Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"
import * as Micros from "../encoding/Micros.ts"

/** The members that are sent. Everything that matters is also in `note`, which is signed. */
export const SignedCheckpointView = Schema.Struct({
  origin: Schema.String.annotate({ description: "The log id: the first line of the note" }),
  size: Field.count("Events of the chain that it is about"),
  root: Field.sha256("The RFC 6962 Merkle root over their hashes"),
  signed_at: Field.timestamp("By the service's clock; a note has no time"),
  note: Schema.String.annotate({ description: "The signed checkpoint (C2SP tlog-checkpoint), byte for byte" })
}).annotate({ identifier: "SignedCheckpoint", description: "A checkpoint that the service signed unasked" })
export type SignedCheckpointView = typeof SignedCheckpointView.Type

/** A checkpoint that was signed. */
interface SignedCheckpoint {
  readonly size: number
  /** 64 lower-case hexadecimal characters. */
  readonly root: string
  readonly note: string
  readonly signedAt: Micros.Micros
}

/** The checkpoint as it is sent and returned. */
export const signedCheckpointView = ({
  size,
  root,
  note,
  signedAt
}: SignedCheckpoint): SignedCheckpointView => ({
  origin: note.slice(0, note.indexOf("\n")),
  size,
  root,
  signed_at: Micros.format(signedAt),
  note
})
