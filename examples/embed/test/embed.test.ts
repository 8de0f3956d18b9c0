import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

describe("examples/embed", () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-embed-"))
  const child = spawn(process.execPath, ["--conditions=@cairn/source", main], {
    env: { ...process.env, PORT: "0", AUDIT_DB: join(folder, "audit.db") }
  })
  let base = ""

  beforeAll(async () => {
    const port = await new Promise<string>((resolve, reject) => {
      let text = ""
      const read = (chunk: Buffer) => {
        text += chunk
        const found = /port: (\d+)/.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stdout.on("data", read)
      child.stderr.on("data", read)
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)))
    })
    base = `http://localhost:${port}`
  })
  afterAll(() => {
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = async (path: string, headers: Record<string, string> = {}) =>
    JSON.parse(await (await fetch(base + path, { headers })).text())

  it("records what it does, and who did it", async () => {
    await get("/rename?name=Apollo", { "X-User": "ada" })
    await get("/rename?name=Zeus", { "X-User": "grace" })
    const { data, pagination } = await get("/audit")
    assert.strictEqual(pagination.total, 2)
    assert.deepStrictEqual(
      data.map((event: { actor: { id: string }; metadata: unknown }) => [event.actor.id, event.metadata]),
      [
        ["grace", { name: "Zeus" }],
        ["ada", { name: "Apollo" }]
      ]
    )
    assert.strictEqual(data[0].integrity.previous_event_hash, data[1].integrity.event_hash)
  })

  it("verifies its own chain", async () => {
    assert.deepStrictEqual(await get("/audit/verify"), {
      valid: true,
      events_checked: 2,
      breaks: [],
      complete: true,
      total: 2,
      next: null
    })
  })

  it("takes less than sixty lines", () => {
    assert.isBelow(readFileSync(main, "utf8").trimEnd().split("\n").length, 60)
  })
})
