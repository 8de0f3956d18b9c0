/**
 * Checkpoints (C2SP tlog-checkpoint): a log's size and Merkle root at one time, as the text of a signed note.
 *
 * ```
 * example.com/behind-the-sofa
 * 20852163
 * CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
 * ```
 *
 * A kept checkpoint lets its keeper check later that the log only grew.
 */
import { Result, Schema } from "effect"
import { decodeBase64, encodeBase64 } from "../encoding/StrictBase64.ts"
import type { Ed25519SignerShape, Ed25519VerifierShape } from "../hashing/Ed25519.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import type { TreeHash } from "../merkle/TreeHash.ts"
import {
  type InvalidNoteSignature,
  type OpenedNote,
  openNote,
  signNote,
  type UnverifiedNote
} from "./NoteSignature.ts"
import { formatNote, type MalformedNote, parseNote } from "./SignedNote.ts"
import type { MalformedVerifierKey, VerifierKey } from "./VerifierKey.ts"

/** The contents of a checkpoint. */
export interface Checkpoint {
  /** Which log: the id that the log got when it was created. Not empty, one line. */
  readonly origin: string
  /** Leaves of the tree. */
  readonly size: number
  /** The RFC 6962 root at that size, 32 bytes. */
  readonly root: TreeHash
  /** Further lines of unknown meaning. Cairn writes none. */
  readonly extensions: ReadonlyArray<string>
}

/** The text of a note is no checkpoint. The error names the part that is wrong. */
export class MalformedCheckpoint extends Schema.TaggedError<MalformedCheckpoint>()("MalformedCheckpoint", {
  part: Schema.Literals(["lines", "origin", "size", "root", "extension"])
}) {}

/** No leading zero, no sign; sixteen digits hold 2^53 − 1. */
const SIZE = /^(?:0|[1-9]\d{0,15})$/

/**
 * Reads the text of a note as a checkpoint. Trust the text only after the note's signature has been verified.
 */
export const parseCheckpoint = (text: string): Result.Result<Checkpoint, MalformedCheckpoint> => {
  const refuse = (part: MalformedCheckpoint["part"]) => Result.fail(new MalformedCheckpoint({ part }))
  if (!text.endsWith("\n")) return refuse("lines")
  const [origin, sizeText, rootText, ...extensions] = text.slice(0, -1).split("\n")
  if (origin === undefined || sizeText === undefined || rootText === undefined) return refuse("lines")
  if (origin === "") return refuse("origin")
  const size = Number(sizeText)
  if (!SIZE.test(sizeText) || !Number.isSafeInteger(size)) return refuse("size")
  const root = decodeBase64(rootText)
  if (root === undefined || root.length !== HASH_BYTES) return refuse("root")
  if (extensions.includes("")) return refuse("extension")
  return Result.succeed({ origin, size, root, extensions })
}

/** The checkpoint as the text of a note. */
export const checkpointText = ({ origin, size, root, extensions }: Checkpoint): string =>
  [origin, String(size), encodeBase64(root), ...extensions].map((line) => `${line}\n`).join("")

/** A checkpoint that a trusted key signed. */
export interface SignedCheckpoint extends OpenedNote {
  readonly checkpoint: Checkpoint
}

/** Reads a signed checkpoint, if one of the trusted keys signed it; see {@link openNote}. */
export const openCheckpoint = (
  ed25519: Ed25519VerifierShape,
  source: string | Uint8Array,
  trusted: ReadonlyArray<VerifierKey>
): Result.Result<
  SignedCheckpoint,
  MalformedNote | MalformedCheckpoint | InvalidNoteSignature | UnverifiedNote
> =>
  Result.gen(function* () {
    const note = yield* parseNote(source)
    const opened = yield* openNote(ed25519, note, trusted)
    return { ...opened, checkpoint: yield* parseCheckpoint(opened.text) }
  })

/**
 * Signs a checkpoint as a note. A log must never sign two checkpoints that are inconsistent, so `checkpoint`
 * must be read from durable storage. Costs one signature.
 */
export const signCheckpoint = (
  sha256: Sha256Shape,
  signer: Ed25519SignerShape,
  keyName: string,
  checkpoint: Checkpoint
): Result.Result<string, MalformedCheckpoint | MalformedNote | MalformedVerifierKey> =>
  Result.gen(function* () {
    const text = checkpointText(checkpoint)
    // The text is parsed again before it is signed, so that no field can be mistaken for another.
    const { origin, extensions } = yield* parseCheckpoint(text)
    if (origin !== checkpoint.origin) return yield* Result.fail(new MalformedCheckpoint({ part: "origin" }))
    if (extensions.length !== checkpoint.extensions.length) {
      return yield* Result.fail(new MalformedCheckpoint({ part: "extension" }))
    }
    return formatNote(yield* signNote(sha256, signer, keyName, text))
  })
