/**
 * The outbox behind PgBouncer in transaction mode, where each transaction may get another connection of the
 * server; skipped where the program is missing (the package `pgbouncer` of Debian).
 */
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { killLeftovers } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { drivers } from "./Applications.ts"
import { pgBouncer, startPgBouncer } from "./PgBouncer.ts"
import { standIn } from "./StandIn.ts"

const trial = (path: string): void => {
  const folder = temporaryFolder()
  killLeftovers()
  let database = ""

  beforeAll(async () => {
    const address = new URL(await startPgBouncer(path, await (await sharedPostgres()).newDatabase(), folder))
    // For `postgres`, whose COMMIT would run the ROLLBACK of another: both have one name on the server.
    address.searchParams.set("prepare", "false")
    database = address.href
  })

  for (const { name, start } of drivers.filter(({ dialect }) => dialect === "postgres")) {
    it(`over ${name} has each event of a transaction that committed in the log once`, async () => {
      const table = `outbox of ${name}`
      const service = standIn()
      const reports: Array<string> = []
      const applications = [start(database, { table }), start(database, { table })]
      for (const { outbox } of applications) await outbox.migrate()
      const relays = applications.map(({ outbox }) =>
        outbox.relay({
          url: "http://localhost",
          apiKey: "key",
          fetch: service.fetch,
          pollMillis: 5,
          batch: { count: 7 },
          onError: ({ message }) => reports.push(message)
        })
      )
      const numbers = Array.from({ length: 60 }, (_, number) => number)
      await Promise.all(
        numbers.map(async (number) => {
          const work = applications[number % 2]?.transaction(async ({ audit, savepoint }) => {
            await audit({ actor_id: `${number}`, action: "invoice.paid" })
            await savepoint(async (part) => {
              await part.audit({ actor_id: "rolled back to a savepoint", action: "invoice.paid" })
              throw new Error("of the part")
            })
            if (number % 3 === 0) throw new Error("of the application")
          })
          await work?.catch((error: unknown) => assert.match(String(error), /of the application/))
        })
      )
      await Promise.all(relays.map((relay) => relay.flush({ timeoutMillis: 60_000 })))
      for (const relay of relays) await relay.close()
      for (const each of applications) await each.end()
      const committed = numbers.filter((number) => number % 3 !== 0).map(String)
      assert.deepStrictEqual([...service.actors()].sort(), committed.sort())
      assert.deepStrictEqual([service.duplicates(), reports], [0, []])
    })
  }
}

describe("an outbox behind PgBouncer in transaction mode", () => {
  if (pgBouncer === undefined) it.skip("has each event once: pgbouncer is not on this machine")
  else trial(pgBouncer)
})
