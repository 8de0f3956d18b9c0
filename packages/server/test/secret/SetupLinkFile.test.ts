import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SetupLinkFile, SetupLinkFileUnusable, setupAddress } from "../../src/secret/SetupLinkFile.ts"

const SECRET = "A".repeat(42)
const lineOf = (last: string) => setupAddress("https://audit.example.com", `${SECRET}${last}`)

let folder = ""
let path = ""

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-setup-link-"))
  path = join(folder, "link.txt")
})
afterEach(() => rmSync(folder, { recursive: true }))

type OpenedFile = NonNullable<SetupLinkFile["Service"]>

const withFile = <A, E>(run: (file: OpenedFile) => Effect.Effect<A, E>) =>
  Effect.suspend(() =>
    Effect.flatMap(SetupLinkFile, (file) =>
      file === null ? Effect.die("there is no file") : run(file)
    ).pipe(Effect.provide(SetupLinkFile.layer(path)))
  )

const modeOf = () => statSync(path).mode & 0o7777

describe("The file with a set-up link", () => {
  it.effect("is one line that this user alone can read, in a folder that is made", () =>
    Effect.suspend(() => {
      path = join(folder, "new", "deeper", "link.txt")
      return withFile((file) =>
        Effect.gen(function* () {
          assert.isNull(yield* file.former)
          yield* file.write(lineOf("A"))
          assert.strictEqual(readFileSync(path, "utf8"), `${lineOf("A")}\n`)
          assert.strictEqual(modeOf(), 0o600)
          assert.strictEqual(file.path, path)
          assert.strictEqual(yield* file.former, `${SECRET}A`)
          assert.deepStrictEqual(readdirSync(join(folder, "new", "deeper")), ["link.txt"])
        })
      )
    })
  )

  it.effect("has its mode whatever the umask of the process", () =>
    withFile((file) =>
      Effect.gen(function* () {
        for (const mask of [0o000, 0o777]) {
          const before = process.umask(mask)
          yield* Effect.ensuring(
            file.write(lineOf("A")),
            Effect.sync(() => process.umask(before))
          )
          assert.strictEqual(modeOf(), 0o600, mask.toString(8))
        }
      })
    )
  )

  it.effect("replaces that of an earlier start, with whatever permissions it had", () =>
    withFile((file) =>
      Effect.gen(function* () {
        writeFileSync(path, lineOf("A"))
        chmodSync(path, 0o666)
        const { ino } = statSync(path)
        assert.strictEqual(yield* file.former, `${SECRET}A`)
        yield* file.write(lineOf("B"))
        assert.strictEqual(yield* file.former, `${SECRET}B`)
        assert.strictEqual(modeOf(), 0o600)
        assert.notStrictEqual(statSync(path).ino, ino)
      })
    )
  )

  it.effect("does not follow a link that somebody has put there, nor remove where it leads", () =>
    withFile((file) =>
      Effect.gen(function* () {
        const target = join(folder, "target")
        writeFileSync(target, lineOf("A"))
        symlinkSync(target, path)
        assert.isNull(yield* file.former)
        yield* file.remove
        assert.isTrue(lstatSync(path).isSymbolicLink())
        yield* file.write(lineOf("B"))
        assert.isFalse(lstatSync(path).isSymbolicLink())
        assert.strictEqual(readFileSync(target, "utf8"), lineOf("A"))
        rmSync(path)
        symlinkSync(join(folder, "missing"), path)
        yield* file.write(lineOf("B"))
        assert.isFalse(existsSync(join(folder, "missing")))
      })
    )
  )

  it.effect("does not follow one under the name that it is written to first", () =>
    withFile((file) =>
      Effect.gen(function* () {
        const target = join(folder, "target")
        writeFileSync(target, "mine")
        symlinkSync(target, `${path}.${process.pid}`)
        yield* file.write(lineOf("B"))
        assert.strictEqual(readFileSync(target, "utf8"), "mine")
        assert.deepStrictEqual(readdirSync(folder).sort(), ["link.txt", "target"])
      })
    )
  )

  it.effect("leaves what is no set-up link as it is, and says so without showing it", () =>
    withFile((file) =>
      Effect.gen(function* () {
        for (const text of ["important", `${lineOf("A")}\nmore`, `${lineOf("A")}A`, "x".repeat(100_000)]) {
          writeFileSync(path, text)
          for (const effect of [file.write(lineOf("B")), file.remove, file.former]) {
            const error = yield* Effect.flip(effect)
            assert.instanceOf(error, SetupLinkFileUnusable)
            assert.include(error.message, "holds something else")
            assert.notInclude(error.message, text.slice(0, 9))
          }
          assert.strictEqual(readFileSync(path, "utf8"), text)
        }
        rmSync(path)
        mkdirSync(path)
        assert.include((yield* Effect.flip(file.write(lineOf("B")))).message, "it is no file")
        assert.deepStrictEqual(readdirSync(folder), ["link.txt"])
      })
    )
  )

  it.effect("is an empty one's place, and is removed", () =>
    withFile((file) =>
      Effect.gen(function* () {
        yield* file.remove
        writeFileSync(path, "")
        assert.isNull(yield* file.former)
        yield* file.write(lineOf("B"))
        yield* file.remove
        assert.isFalse(existsSync(path))
      })
    )
  )

  it.effect("is not there where it cannot be written, and leaves nothing", () =>
    Effect.suspend(() => {
      writeFileSync(join(folder, "file"), "")
      path = join(folder, "file", "link.txt")
      return withFile((file) =>
        Effect.gen(function* () {
          assert.include((yield* Effect.flip(file.write(lineOf("B")))).message, "ENOTDIR")
          path = ""
        })
      )
    })
  )

  it.effect("is none where none is wanted", () =>
    Effect.gen(function* () {
      assert.isNull(yield* SetupLinkFile)
    }).pipe(Effect.provide(SetupLinkFile.layer(null)))
  )
})
