/** The log's Merkle tree, in tiles of 256 hashes: derived from the log, see `TreeTiles` of the core. */
export default `
CREATE TABLE tree_tile (
  workspace_id TEXT NOT NULL,
  level        INTEGER NOT NULL,
  tile         INTEGER NOT NULL,
  hashes       BLOB NOT NULL,
  PRIMARY KEY (workspace_id, level, tile)
) STRICT;
`
