/** The schema that has the tables of Cairn. */
import type { PgClient } from "@effect/sql-pg"

/** Its oid, as an expression: new tables go to the first schema of `search_path`, which may be another. */
export const HOME = "(SELECT relnamespace FROM pg_class WHERE oid = to_regclass('cairn_migration'))"

/** The same in a statement. */
export const home = (sql: PgClient.PgClient) => sql.literal(HOME)
