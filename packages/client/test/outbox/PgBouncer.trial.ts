/**
 * The outbox behind PgBouncer in transaction mode, where each transaction may get another connection of the
 * server; skipped where the program is missing (the package `pgbouncer` of Debian).
 */
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { delimiter, join } from "node:path"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { killLeftovers, startProgram } from "../../../server/test/support/CairnProcess.ts"
import { eventually } from "../../../server/test/support/Eventually.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { drivers } from "./Applications.ts"
import { standIn } from "./StandIn.ts"

const program = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]
  .map((folder) => join(folder, "pgbouncer"))
  .find((path) => existsSync(path))

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

/** PgBouncer before the database at a URL, with fewer connections than its clients. */
const started = async (program: string, url: string, folder: string): Promise<string> => {
  const { hostname, port, username, password } = new URL(url)
  const own = await freePort()
  const file = join(folder, `${own}.ini`)
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`
  )
  // It does not run as root, and another user reads the file then.
  for (const path of [folder, file]) chmodSync(path, 0o755)
  const args = process.getuid?.() === 0 ? ["-u", "nobody", file] : [file]
  const bouncer = startProgram(program, args)
  await eventually("PgBouncer runs", async () => (bouncer.stderr().includes("process up") ? true : undefined))
  const address = new URL(url)
  address.host = `127.0.0.1:${own}`
  // For `postgres`, whose COMMIT would run another client's ROLLBACK: both have the same name on the server.
  address.searchParams.set("prepare", "false")
  return address.href
}

const trial = (path: string): void => {
  const folder = temporaryFolder()
  killLeftovers()
  let database = ""

  beforeAll(async () => {
    database = await started(path, await (await sharedPostgres()).newDatabase(), folder)
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
  if (program === undefined) it.skip("has each event once: pgbouncer is not on this machine")
  else trial(program)
})
