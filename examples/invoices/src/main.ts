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
import { startCairn, startPostgres } from "./services.ts"

const port = Number(process.env.PORT ?? 3000)
const origin = process.env.ORIGIN ?? `http://localhost:${port}`
const folder = await mkdtemp(join(tmpdir(), "invoices-"))

/** What was started, in its order. */
const started: Array<() => Promise<unknown>> = [() => rm(folder, { recursive: true, force: true })]
const stop = async () => {
  for (const end of started.reverse()) await end().catch(console.error)
}
const asked = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve())
})

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

  const relay = invoices.outbox.relay({ url: service.url, apiKey: service.apiKey, handleExit: false })
  started.push(() => relay.close())
  const cairn = new Cairn({ url: service.url, apiKey: service.apiKey, handleExit: false })
  const proofs = makeProofs(cairn, service.verifierKeys, checkpointFile(join(folder, "checkpoint")))
  const app = makeApp({ invoices, proofs, cairn, relay, viewerUrl: service.publicUrl })
  started.push(() => app.close())
  await app.listen({ port, host: "127.0.0.1" })
  console.log(`Open ${origin}`)
  await asked
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stop()
}
