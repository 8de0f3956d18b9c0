import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { AuditLogError } from "@cairn/core/audit-log"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { writeEvidence } from "../../src/embed/EvidenceFile.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-evidence-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* textOf(...pieces: ReadonlyArray<string | Error>) {
  for (const piece of pieces) {
    if (typeof piece !== "string") throw piece
    yield piece
  }
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )

const codeOf = (error: unknown) => (error instanceof AuditLogError ? error.code : error)

const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
  code: "ENOSPC",
  syscall: "write"
})

describe("the file of evidence", () => {
  it.each<readonly [string, ReadonlyArray<string | Error>]>([
    ["at the first write", [full]],
    ["after some of it", ["x".repeat(1_000_000), full]]
  ])("leaves nothing when the disk is full %s, so that it can be written again", async (name, pieces) => {
    const file = join(folder, `${name}.gz`)
    assert.strictEqual(codeOf(await failure(writeEvidence(file, textOf(...pieces)))), "file_not_written")
    assert.isFalse(existsSync(file))
    await writeEvidence(file, textOf("a", "b"))
    assert.strictEqual(gunzipSync(readFileSync(file)).toString(), "ab")
  })

  it("leaves nothing when the text fails, and rejects with that error", async () => {
    const file = join(folder, "text.gz")
    const error = new Error("the log is damaged")
    assert.strictEqual(await failure(writeEvidence(file, textOf("a", error))), error)
    assert.isFalse(existsSync(file))
  })

  it("keeps a file that was there", async () => {
    const file = join(folder, "kept.gz")
    writeFileSync(file, "kept")
    assert.strictEqual(codeOf(await failure(writeEvidence(file, textOf("a")))), "file_exists")
    assert.strictEqual(readFileSync(file, "utf8"), "kept")
  })
})
