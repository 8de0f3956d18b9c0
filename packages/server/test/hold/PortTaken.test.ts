import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

it("a server whose port is taken says so in one line, and exits with 4", { timeout: 60_000 }, async () => {
  const server = await startServer({ database: join(folder, "first.db") })
  const { port } = new URL(server.baseUrl)
  const { code, stderr } = await cairn(["serve"], {
    database: join(folder, "second.db"),
    variables: { CAIRN_PORT: port }
  })
  assert.strictEqual(code, 4)
  assert.strictEqual(
    stderr,
    `cairn: cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE). CAIRN_HOST and CAIRN_PORT say where\n`
  )
  const metrics = await cairn(["serve"], {
    database: join(folder, "third.db"),
    variables: { CAIRN_PORT: "0", CAIRN_METRICS_PORT: port }
  })
  assert.strictEqual(metrics.code, 4)
  assert.include(metrics.stderr, "CAIRN_METRICS_HOST and CAIRN_METRICS_PORT say where\n")
  await server.stop()
})
