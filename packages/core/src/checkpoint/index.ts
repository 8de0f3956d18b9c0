/** The log's Merkle tree and its signed states. */
export { CheckpointSigner, Ed25519Signers, type PublicCheckpointKey } from "./CheckpointSigner.ts"
export {
  type CheckpointKey,
  Checkpoints,
  checkpointKeyOwner,
  IssuedCheckpoint,
  type PublishedCheckpoint
} from "./Checkpoints.ts"
export { type CheckpointError, LogCheckpoints, LogNotAsSigned } from "./LogCheckpoints.ts"
export { type DamagedTree, LEAVES_A_STEP, LogTree, type LogTreeShape } from "./LogTree.ts"
export { isLostEnd, type SeenEnd, withLostEnd } from "./LostEnd.ts"
export { acceptSignedLoss, findSignedLoss, keepLostSigned } from "./SignedLoss.ts"
export {
  decodeSigned,
  encodeSigned,
  SIGNED_CONSUMER,
  SIGNED_KEY,
  SignedSize,
  signedRecords,
  UNKNOWN_ROOT
} from "./SignedMemory.ts"
export { TreeStore } from "./TreeStore.ts"
