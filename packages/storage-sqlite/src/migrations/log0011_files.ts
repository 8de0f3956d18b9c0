/** What the files beside the log's were when they were last in use together with it, see `SeenFiles`. */
export default `
-- progress only grows as long as the file is the same.
CREATE TABLE file_seen (
  name     TEXT PRIMARY KEY,
  identity TEXT NOT NULL,
  progress INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
