/** What the files of a run share: the bundle that tests start, and a PostgreSQL server on demand. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { startPostgres, type TestPostgres } from "../../packages/testing/src/machines/EmbeddedPostgres.ts"

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

/** Starts the server when it is asked for, once, and answers with its port. */
const postgresOnDemand = () => {
  const state: { started?: Promise<TestPostgres> } = {}
  const server = createServer((_, response) => {
    state.started ??= startPostgres({ settings: SETTINGS })
    state.started.then(
      ({ port }) => response.end(String(port)),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  const stop = async () => {
    server.close()
    await (await state.started)?.stop()
  }
  return { server, stop }
}

/** Runs before the files of a project; vitest calls what it returns after them. */
export const setup = async (project: TestProject) => {
  makeBundle()
  project.onTestsRerun(makeBundle)
  const { server, stop } = postgresOnDemand()
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no port to listen on")
  project.provide("postgresAddress", `http://127.0.0.1:${address.port}/`)
  return stop
}
