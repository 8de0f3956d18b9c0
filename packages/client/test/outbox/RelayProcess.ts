/** A process that is a relay of an outbox in SQLite, with a lease of a second, until it is killed. */
import { DatabaseSync } from "node:sqlite"
import { Outbox, sqliteAdapter } from "../../src/outbox/index.ts"

const [file = "", url = ""] = process.argv.slice(2)
const outbox = new Outbox(sqliteAdapter(new DatabaseSync(file, { timeout: 10_000 })))
outbox.relay({ url, apiKey: "key", leaseMillis: 1000, pollMillis: 5, onError: () => {} })
