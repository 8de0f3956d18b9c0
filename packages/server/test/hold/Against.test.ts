import { closeSync, mkdirSync, openSync, truncateSync, writeSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

killLeftovers()

/** More than Node reads into memory at once. */
const LARGE = 3 * 2 ** 30

const folder = temporaryFolder()
const database = join(folder, "cairn.db")
const verify = (file: string) => cairn(["verify", "--against", file], { database })

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
    assert.strictEqual(code, 1)
    assert.strictEqual(
      stderr,
      `cairn: --against: ${missing} cannot be read (ENOENT: no such file or directory, open '${missing}')\n`
    )
    const directory = join(folder, "directory")
    mkdirSync(directory)
    const other = await verify(directory)
    assert.strictEqual(other.code, 1)
    assert.match(other.stderr, /^cairn: --against: .*directory cannot be read \(EISDIR.*\)\n$/)
  })

  it("takes a file of any size for what its beginning says it is", async () => {
    const bundle = await verify(largeFile("large.cairn", Uint8Array.of(0x1f, 0x8b)))
    assert.strictEqual(bundle.code, 1)
    assert.include(bundle.stdout, "Earlier bundle: UNREADABLE")
    assert.include(bundle.stderr, "the log does not agree with the file")
    const note = await verify(largeFile("large.txt", Buffer.from("example.com/log\n")))
    assert.strictEqual(note.code, 1)
    assert.include(note.stdout, "It is no checkpoint that this service has signed: MalformedNote")
    assert.include(note.stderr, "the log does not agree with the file")
  })
})
