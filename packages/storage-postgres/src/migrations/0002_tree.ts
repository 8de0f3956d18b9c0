/** The log's Merkle tree, in tiles of 256 hashes: derived from the log, see `TreeTiles` of the core. */
export default [
  `CREATE TABLE tree_tile (
    workspace_id text COLLATE "C" NOT NULL,
    level        integer NOT NULL,
    tile         bigint NOT NULL,
    hashes       bytea NOT NULL,
    PRIMARY KEY (workspace_id, level, tile)
  )`
]
