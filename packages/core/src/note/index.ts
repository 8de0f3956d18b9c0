/** Signed notes, verifier keys, checkpoints and proofs as text (C2SP). */
export {
  type Checkpoint,
  MalformedCheckpoint,
  openCheckpoint,
  parseCheckpoint,
  signCheckpoint
} from "./Checkpoint.ts"
export { isLogOrigin, logIdOf } from "./LogId.ts"
export { openNote, type VerifiedSignature } from "./NoteSignature.ts"
export { SignedCheckpointView, signedCheckpointView } from "./SignedCheckpointView.ts"
export { MAX_NOTE_LENGTH, MalformedNote, parseNote, type SignedNote } from "./SignedNote.ts"
export { parseTlogProof } from "./TlogProof.ts"
export {
  formatVerifierKey,
  MalformedVerifierKey,
  makeVerifierKey,
  parseVerifierKey,
  type VerifierKey
} from "./VerifierKey.ts"
