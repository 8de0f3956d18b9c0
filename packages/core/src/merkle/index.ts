/** Merkle trees (RFC 6962, RFC 9162): roots, inclusion, consistency, tiles and frontiers. */
export {
  ConsistencyProof,
  consistencyNodes,
  proveConsistency,
  verifyConsistency
} from "./ConsistencyProof.ts"
export { frontierFromNodes, verifyGrowth } from "./FrontierProof.ts"
export { InclusionProof, inclusionNodes, proveInclusion, verifyInclusion } from "./InclusionProof.ts"
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
  emptyRoot,
  HashFromHex,
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
export { completeSubtrees, type NodeAddress } from "./TreeShape.ts"
export {
  edgesAbove,
  extendTiles,
  nodesOfTiles,
  standsIn,
  TILE_WIDTH,
  type Tile,
  type TileAddress,
  tileAbove,
  tilesOf
} from "./TreeTiles.ts"
