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
export { type DamagedTree, LogTree, type LogTreeShape } from "./LogTree.ts"
export { isLostEnd, type SeenEnd, withLostEnd, withoutLostEnd } from "./LostEnd.ts"
export { acceptSignedLoss, findSignedLoss } from "./SignedLoss.ts"
export { decodeSigned, encodeSigned, SIGNED_CONSUMER, SIGNED_KEY, SignedSize } from "./SignedMemory.ts"
export { TreeStore } from "./TreeStore.ts"
