/** The search index: derived from the log by a consumer. Its index over the text needed extensions. */
export default [
  // The folded text of each event. "place" is the workspace and a block of sequences in one number, see
  // SearchIndex.
  `CREATE TABLE search (
    workspace bigint NOT NULL,
    sequence  bigint NOT NULL,
    place     bigint NOT NULL,
    text      text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace, sequence)
  )`,
  // How far into each log the index has come.
  `CREATE TABLE search_position (
    workspace bigint PRIMARY KEY,
    sequence  bigint NOT NULL
  ) WITH (fillfactor = 25)`
]
