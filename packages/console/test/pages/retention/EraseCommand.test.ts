import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { EXPORT_FILE, eraseCommands } from "../../../src/page/pages/retention/EraseCommand.ts"
import { erasureTexts } from "../../../src/page/pages/retention/ErasureTexts.ts"

describe("eraseCommands", () => {
  const erasure = { workspaceId: "wsp_1", id: "o'ada", reason: "request of 2026-05-01" }

  it("shows first, and then asks, for a person", () => {
    const [dryRun, erase] = eraseCommands({ ...erasure, kind: "actor" })
    assert.strictEqual(
      erase,
      "cairn erase --workspace=wsp_1 --actor='o'\\''ada' --reason='request of 2026-05-01'"
    )
    assert.strictEqual(dryRun, `${erase} --dry-run`)
  })

  const TENANTS = ["ten_cobalt", "o'neill $t", '"', "-x", "a\u202eb"]

  /** What the commands call `cairn` with, if the file of the export holds events of each tenant. */
  const calls = (id: string, index: 0 | 1) => {
    const folder = mkdtempSync(join(tmpdir(), "erase-"))
    const file = join(folder, "all.ndjson")
    const events = [...TENANTS, "ten_cobalt2", null].map((tenant_id, at) => ({
      id: `event-${at}`,
      tenant_id
    }))
    writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""))
    // What another export left behind.
    writeFileSync(join(folder, "events.ndjson"), `${JSON.stringify({ id: "other", tenant_id: id })}\n`)
    const command = eraseCommands({ ...erasure, kind: "tenant", id })[index]
    const run = (given: string) =>
      execFileSync("bash", ["-c", `cairn() { printf '<%s>' "$@"; cat; }\n${given}`], {
        cwd: folder,
        encoding: "utf8",
        input: "|asked;",
        stdio: ["pipe", "pipe", "ignore"],
        env: { ...process.env, LC_ALL: "C.UTF-8" }
      })
    try {
      return { asPrinted: run(command), withFile: run(command.replace(EXPORT_FILE, file)) }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  const hasJq = spawnSync("jq", ["--version"]).status === 0

  it("name the tenant", () => {
    for (const command of eraseCommands({ ...erasure, kind: "tenant", id: "ten_cobalt" })) {
      assert.include(command, "jq -r --arg t ten_cobalt 'select(.tenant_id == $t).id'")
      execFileSync("bash", ["-n", "-c", command])
    }
  })

  it.skipIf(!hasJq).each(TENANTS)(
    "takes the events of the tenant %j alone from a file that holds others' too",
    (id) => {
      const { withFile } = calls(id, 1)
      assert.include(withFile, `<--event><event-${TENANTS.indexOf(id)}>`)
      assert.notMatch(withFile, /--yes|other/)
      // The terminal is the command's, so that it can ask.
      assert.match(withFile, /\|asked;$/)
      assert.match(calls(id, 0).withFile, /<--dry-run>\|asked;$/)
    }
  )

  it("erases nothing before the file is named", () => {
    assert.strictEqual(calls("ten_cobalt", 1).asPrinted, "")
  })

  it("are told how to be used", () => {
    for (const { tenantHint } of Object.values(erasureTexts)) assert.include(tenantHint, EXPORT_FILE)
  })
})
