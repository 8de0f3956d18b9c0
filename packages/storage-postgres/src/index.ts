/** Cairn's PostgreSQL adapter: any number of processes on one database. */
export {}
