/** What the files of a run share: the bundle that tests start; PostgreSQL and a browser, on demand. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { serveChromium } from "../../packages/testing/src/machines/Chromium.ts"
import { startPostgres } from "../../packages/testing/src/machines/EmbeddedPostgres.ts"

/** Connections of all workers together, and the speed of a server that nobody expects to survive a crash. */
const SETTINGS = {
  max_connections: "400",
  fsync: "off",
  // Compiling a query takes longer than running it on tables as small as those of tests.
  jit: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0"
}

const makeBundle = (): void => {
  const program = fileURLToPath(new URL("../bundle.mjs", import.meta.url))
  execFileSync(process.execPath, [program], { stdio: "inherit" })
}

/** A machine that tests share. */
interface Machine {
  /** What tests find it by. */
  readonly place: string
  readonly stop: () => Promise<void>
}

/** Starts a machine when it is asked for, once, and answers with its place. */
const onDemand = async (start: () => Promise<Machine>) => {
  const state: { started?: Promise<Machine> } = {}
  const server = createServer((_, response) => {
    state.started ??= start()
    state.started.then(
      ({ place }) => response.end(place),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no port to listen on")
  const stop = async () => {
    server.close()
    await (await state.started)?.stop()
  }
  return { address: `http://127.0.0.1:${address.port}/`, stop }
}

const postgres = async (): Promise<Machine> => {
  const { port, stop } = await startPostgres({ settings: SETTINGS })
  return { place: String(port), stop }
}

const browser = async (): Promise<Machine> => {
  const server = await serveChromium()
  return { place: server.wsEndpoint(), stop: () => server.close() }
}

/** Runs before the files of a project; vitest calls what it returns after them. */
export const setup = async (project: TestProject) => {
  makeBundle()
  project.onTestsRerun(makeBundle)
  const [database, chromium] = [await onDemand(postgres), await onDemand(browser)]
  project.provide("postgresAddress", database.address)
  project.provide("chromiumAddress", chromium.address)
  return () => Promise.all([database.stop(), chromium.stop()])
}
