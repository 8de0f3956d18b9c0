/** How many new events each workspace has had in each calendar month (UTC), such as '2024-05'. */
export default `
CREATE TABLE event_usage (
  workspace INTEGER NOT NULL,
  month     TEXT NOT NULL,
  events    INTEGER NOT NULL,
  PRIMARY KEY (workspace, month)
) STRICT, WITHOUT ROWID;
`
