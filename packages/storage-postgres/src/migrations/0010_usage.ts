/** How many new events each workspace has had in each calendar month (UTC), such as '2024-05'. */
export default [
  // The sum over the slots counts: slot 0 where there is a quota, and then its lock makes the count exact;
  // without one any other slot, so that commits do not wait for each other.
  `CREATE TABLE event_usage (
    workspace bigint NOT NULL,
    month     text COLLATE "C" NOT NULL,
    slot      bigint NOT NULL,
    events    bigint NOT NULL,
    PRIMARY KEY (workspace, month, slot)
  ) WITH (fillfactor = 25)`
]
