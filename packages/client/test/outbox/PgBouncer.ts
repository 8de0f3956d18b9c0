/** PgBouncer in transaction mode, where each transaction may get another connection of the server. */
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { delimiter, join } from "node:path"
import { startProgram } from "../../../server/test/support/CairnProcess.ts"
import { eventually } from "../../../server/test/support/Eventually.ts"

/** The program, from the package `pgbouncer` of Debian; `undefined` where it is missing. */
export const pgBouncer = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]
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
export const startPgBouncer = async (program: string, url: string, folder: string): Promise<string> => {
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
  return address.href
}
