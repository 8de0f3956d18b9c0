/** Merkle trees (RFC 6962, RFC 9162): roots, inclusion, consistency, tiles and frontiers. */
export { ConsistencyProof, proveConsistency, verifyConsistency } from "./ConsistencyProof.ts"
export { frontierFromNodes, verifyGrowth } from "./FrontierProof.ts"
export { InclusionProof, proveInclusion, verifyInclusion } from "./InclusionProof.ts"
export {
  appendLeafHashes,
  appendLeaves,
  emptyFrontier,
  frontierFrom,
  frontierRoot,
  MerkleFrontier
} from "./MerkleFrontier.ts"
export { merkleRoot } from "./MerkleTree.ts"
export {
  LeafOutOfRange,
  MissingNode,
  ProofLengthMismatch,
  RootMismatch,
  SizesOutOfRange,
  TreeSizeOutOfRange
} from "./ProofError.ts"
export {
  hashAt,
  hashFromHex,
  isSpelling,
  leafHash,
  leafHashes,
  MalformedHash,
  sameHash,
  spellHashes,
  type TreeHash,
  writeHex
} from "./TreeHash.ts"
export { memoryNodes, type NodeReader, rootFromNodes } from "./TreeNodes.ts"
export type { NodeAddress } from "./TreeShape.ts"
export { extendTiles, TILE_WIDTH, type Tile, type TileAddress } from "./TreeTiles.ts"
