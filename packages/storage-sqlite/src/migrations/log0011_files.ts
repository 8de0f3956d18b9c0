/** The state of the other files when they were last used together with the log's, see `SeenFiles`. */
export default `
-- progress only grows as long as the file is the same.
CREATE TABLE file_seen (
  name     TEXT PRIMARY KEY,
  identity TEXT NOT NULL,
  progress INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
