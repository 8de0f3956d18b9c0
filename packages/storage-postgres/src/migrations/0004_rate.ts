/** Token buckets that processes share. A crash of the database loses at most a minute's counting. */
export default [
  `CREATE UNLOGGED TABLE rate_bucket (
    key     text COLLATE "C" PRIMARY KEY,
    tokens  double precision NOT NULL,
    at      double precision NOT NULL,
    -- When each process last settled, in seconds, by its name.
    sharers jsonb NOT NULL
  ) WITH (fillfactor = 25)`
]
