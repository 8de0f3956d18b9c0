/** Starts everything and, when it is asked to end, stops it again. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cairn } from "@cairn/client"
import { checkpointFile } from "@cairn/client/checkpoint-file"
import pg from "pg"
import { makeApp } from "./app.ts"
import { makeInvoices } from "./invoices.ts"
import { makeProofs } from "./proofs.ts"
import { SIGNALS, shellEnded, startCairn, startPostgres } from "./services.ts"

const port = Number(process.env.PORT ?? 3000)
const origin = process.env.ORIGIN ?? `http://localhost:${port}`
const folder = await mkdtemp(join(tmpdir(), "invoices-"))

/** What was started, in its order. */
const started: Array<() => Promise<unknown>> = [() => rm(folder, { recursive: true, force: true })]
const stop = async () => {
  for (const end of started.reverse()) await end().catch(console.error)
}
const asked = new Promise<void>((resolve) => {
  for (const signal of SIGNALS) process.on(signal, () => resolve())
})
const ended = Promise.race([asked, shellEnded()])

try {
  const postgres = await startPostgres(folder)
  started.push(postgres.stop)
  const service = await startCairn(folder, origin)
  started.push(service.stop)

  const pool = new pg.Pool({ connectionString: postgres.url })
  pool.on("error", (error) => console.error(error.message))
  started.push(() => pool.end())
  const invoices = makeInvoices(pool)
  await invoices.migrate()

  const relay = invoices.outbox.relay({
    url: service.url,
    apiKey: service.apiKey,
    handleExit: false,
    // Short, so that a reader who ends an outage need not wait for the next try.
    requestMillis: 2000,
    retry: { maxMillis: 2000 }
  })
  started.push(() => relay.close())
  const cairn = new Cairn({ url: service.url, apiKey: service.apiKey, handleExit: false })
  const proofs = makeProofs(cairn, service.log, checkpointFile(join(folder, "checkpoint")))
  const app = makeApp({ invoices, proofs, cairn, relay, viewerUrl: service.publicUrl })
  started.push(() => app.close())
  await app.listen({ port, host: "127.0.0.1" })
  console.log(`An outage: "kill -STOP ${service.pid}" stops Cairn, "kill -CONT ${service.pid}" ends it.`)
  console.log(`Open ${origin}`)
  await ended
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stop()
}
