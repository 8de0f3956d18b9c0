import { execFileSync } from "node:child_process"
import { mkdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readDatabase, stampOf } from "../src/DatabaseFile.ts"
import { temporaryFolder } from "./Fixture.ts"
import { cityRecord, writeMmdb } from "./MmdbWriter.ts"

const folder = temporaryFolder()
const path = join(folder, "a.mmdb")
const london = cityRecord("GB", "London")

const read = Effect.fnUntraced(function* (file: string) {
  return yield* readDatabase(file, yield* stampOf(file))
})

const reasonOf = <A, E extends { readonly reason: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("readDatabase", () => {
  it.effect("goes on with what it read when the file is truncated in place", () =>
    Effect.gen(function* () {
      writeFileSync(path, writeMmdb({ "81.0.0.0/8": london }))
      const { get } = yield* read(path)
      truncateSync(path, 0)
      assert.deepStrictEqual(get("81.2.69.142"), Result.succeed(london))
    })
  )

  it.effect("tells why it cannot read", () =>
    Effect.gen(function* () {
      const pipe = join(folder, "pipe")
      execFileSync("mkfifo", [pipe])
      mkdirSync(join(folder, "folder.mmdb"))
      writeFileSync(path, "")
      assert.strictEqual(yield* reasonOf(read(join(folder, "none.mmdb"))), "missing")
      assert.strictEqual(yield* reasonOf(read(join(path, "below-a-file.mmdb"))), "missing")
      assert.strictEqual(yield* reasonOf(read(join(folder, "folder.mmdb"))), "unreadable")
      assert.strictEqual(yield* reasonOf(read(pipe)), "unreadable")
      assert.strictEqual(yield* reasonOf(read("a\0b")), "unreadable")
      assert.strictEqual(yield* reasonOf(read(path)), "damaged")
    })
  )

  it.effect("does not take a file that changed while it was read", () =>
    Effect.gen(function* () {
      writeFileSync(path, writeMmdb({ "81.0.0.0/8": london }))
      const before = yield* stampOf(path)
      writeFileSync(path, writeMmdb({ "81.0.0.0/8": cityRecord("GB", "Boxford") }))
      assert.strictEqual(yield* reasonOf(readDatabase(path, before)), "changing")
    })
  )
})
