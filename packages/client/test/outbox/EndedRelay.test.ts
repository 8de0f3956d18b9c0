/** A relay whose process is asked to end while it is being closed. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"

const folder = temporaryFolder()
const OUTBOX = fileURLToPath(new URL("../../src/outbox/index.ts", import.meta.url))

/** Runs a relay whose service is silent, closes it, and kills it by SIGTERM meanwhile. */
const run = (file: string, closing: object): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const script = `
      import { DatabaseSync } from "node:sqlite"
      import { Outbox, sqliteAdapter } from ${JSON.stringify(OUTBOX)}
      const database = new DatabaseSync(${JSON.stringify(file)})
      const outbox = new Outbox(sqliteAdapter(database))
      await outbox.migrate()
      database.exec("BEGIN IMMEDIATE")
      outbox.audit(database, { actor_id: "ada", action: "invoice.paid" })
      database.exec("COMMIT")
      const relay = outbox.relay({
        url: "https://audit.test",
        apiKey: "key",
        onError: () => {},
        fetch: (_, { signal }) => new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason))
          void relay.close(${JSON.stringify(closing)})
          console.log("ready")
        })
      })`
    const child = spawn(process.execPath, ["--conditions=@cairn/source", "--input-type=module", "-e", script])
    child.stdout.once("data", () => child.kill("SIGTERM"))
    child.on("error", reject)
    child.on("close", (_, signal) => resolve(signal))
  })

it("gives its claims back before it ends by the signal", async () => {
  const file = join(folder, "closing.db")
  assert.strictEqual(await run(file, { timeoutMillis: 1000 }), "SIGTERM")
  const database = new DatabaseSync(file)
  const rows = database.prepare("SELECT claimed_until FROM cairn_outbox").all()
  database.close()
  assert.deepStrictEqual(
    rows.map(({ claimed_until }) => claimed_until),
    [null]
  )
})

it("ends within its own time where the close has more", async () => {
  const begun = performance.now()
  assert.strictEqual(await run(join(folder, "long.db"), { timeoutMillis: 3_600_000 }), "SIGTERM")
  assert.isBelow(performance.now() - begun, 60_000)
})
