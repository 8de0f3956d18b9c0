import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { seedDatabase, seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

killLeftovers()

/** More than Node reads into memory at once. */
const LARGE = 3 * 2 ** 30

const folder = temporaryFolder()
const database = join(folder, "cairn.db")
const verify = (file: string) => cairn(["verify", "--against", file], { database })

const NOTHING = "cairn: the log was not compared: the file cannot be read\n"

/** A file with this text. */
const textFile = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

/** A large file that begins with these bytes; the rest takes no room on the disk. */
const largeFile = (name: string, beginning: Uint8Array): string => {
  const file = join(folder, name)
  const descriptor = openSync(file, "w")
  writeSync(descriptor, beginning)
  closeSync(descriptor)
  truncateSync(file, LARGE)
  return file
}

describe("cairn verify --against", () => {
  beforeAll(() => seedTenant(database))

  it("says which file it cannot read, and why", async () => {
    const missing = join(folder, "missing.cairn")
    const { code, stderr } = await verify(missing)
    assert.strictEqual(code, 2)
    assert.strictEqual(
      stderr,
      `cairn: --against: ${missing} cannot be read (ENOENT: no such file or directory, open '${missing}')\n`
    )
    const directory = join(folder, "directory")
    mkdirSync(directory)
    const other = await verify(directory)
    assert.strictEqual(other.code, 2)
    assert.match(other.stderr, /^cairn: --against: .*directory cannot be read \(EISDIR.*\)\n$/)
  })

  it("takes a file of any size for what its beginning says it is", async () => {
    const bundle = await verify(largeFile("large.cairn", Uint8Array.of(0x1f, 0x8b)))
    assert.strictEqual(bundle.code, 2)
    assert.include(bundle.stdout, "Earlier bundle: UNREADABLE")
    assert.strictEqual(bundle.stderr, NOTHING)
    const note = await verify(largeFile("large.txt", Buffer.from("example.com/log\n")))
    assert.strictEqual(note.code, 2)
    assert.include(note.stdout, "The file is neither an evidence bundle nor a checkpoint: MalformedNote")
    assert.strictEqual(note.stderr, NOTHING)
  })

  it("says of a file that is neither a bundle nor a checkpoint that it is neither, and not that the log disagrees", async () => {
    for (const [index, text] of [
      "",
      "{}",
      '{"type":"checkpoint"}',
      '{"type":"checkpoint","note":"none"}'
    ].entries()) {
      const { code, stdout, stderr } = await verify(textFile(`${index}.json`, text))
      assert.strictEqual(code, 2, text)
      assert.include(stdout, "The file is neither an evidence bundle nor a checkpoint", text)
      assert.strictEqual(stderr, NOTHING, text)
    }
  })

  it("says of another log's bundle only that it is one", async () => {
    const logs = join(folder, "two.db")
    const [one, other] = await seedDatabase(logs, [{ name: "One" }, { name: "Other" }])
    const bundle = join(folder, "one.cairn")
    const written = await cairn(["evidence", "--workspace", "One", "--output", bundle], { database: logs })
    assert.strictEqual(written.code, 0, written.stderr)
    const own = await cairn(["verify", "--workspace", "One", "--against", bundle], { database: logs })
    assert.strictEqual(own.code, 0, own.stdout)
    const { code, stdout, stderr } = await cairn(["verify", "--workspace", "Other", "--against", bundle], {
      database: logs
    })
    assert.strictEqual(code, 1)
    assert.match(
      stdout,
      new RegExp(
        `^valid: .*\\nThe bundles are of different logs: ${one?.workspaceId} \\S+ and ${other?.workspaceId} \\S+\\n$`
      )
    )
    assert.include(stderr, "the log does not agree with the file")
  })
})
