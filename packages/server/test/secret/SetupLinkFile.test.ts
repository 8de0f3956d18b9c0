import { spawnSync } from "node:child_process"
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SetupLinkFile, SetupLinkFileUnusable, setupAddress } from "../../src/secret/SetupLinkFile.ts"

const SECRET = "A".repeat(42)
const lineOf = (last: string) => setupAddress("https://audit.example.com", `${SECRET}${last}`)

/** A disk of its own, where this may be mounted: by root on Linux. */
const disk = mkdtempSync(join(tmpdir(), "cairn-setup-full-"))
const isMounted =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "cairn-test", disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk])
  rmdirSync(disk)
})

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

  it.effect("leaves a link to what is no regular file, such as a terminal, a pipe or a folder", () =>
    withFile((file) =>
      Effect.gen(function* () {
        const pipe = join(folder, "pipe")
        assert.strictEqual(spawnSync("mkfifo", [pipe]).status, 0)
        const links = [pipe, join(folder, "."), "/dev/null"]
        for (const target of links) {
          // As `/dev/stdout` is: a link to a link.
          symlinkSync(target, join(folder, "between"))
          symlinkSync("between", path)
          for (const effect of [file.write(lineOf("B")), file.remove, file.former])
            assert.match((yield* Effect.flip(effect)).message, /no regular file|there are no files/, target)
          assert.strictEqual(readlinkSync(path), "between", target)
          rmSync(path)
          rmSync(join(folder, "between"))
        }
      })
    )
  )

  it.effect("is nowhere under the folders of devices and processes, by whatever name", () =>
    Effect.gen(function* () {
      const dev = join(folder, "dev")
      mkdirSync(join(dev, "fd"), { recursive: true })
      // What a program's output leads to may be a regular file.
      writeFileSync(join(dev, "fd", "1"), "")
      symlinkSync("fd/1", join(dev, "stdout"))
      symlinkSync(dev, join(folder, "elsewhere"))
      symlinkSync(join(dev, "stdout"), join(folder, "out"))
      for (const name of [
        "dev/stdout",
        "dev/new.txt",
        "dev/fd/1",
        "elsewhere/stdout",
        "elsewhere/new",
        "out"
      ]) {
        const before = readdirSync(folder, { recursive: true }).sort()
        const write = Effect.flatMap(SetupLinkFile, (file) => file?.write(lineOf("B")) ?? Effect.void)
        const refused = yield* Effect.flip(
          Effect.provide(write, SetupLinkFile.layer(join(folder, name), [dev]))
        )
        assert.include(refused.message, `it is in ${dev}, or leads there`, name)
        assert.deepStrictEqual(readdirSync(folder, { recursive: true }).sort(), before, name)
        assert.strictEqual(readFileSync(join(dev, "fd", "1"), "utf8"), "", name)
        assert.strictEqual(readlinkSync(join(dev, "stdout")), "fd/1", name)
      }
    })
  )

  it.effect("is refused under /proc, and the message names the file", () =>
    Effect.suspend(() => {
      path = "/proc/self/cairn-setup-link-of-a-test"
      return withFile((file) =>
        Effect.gen(function* () {
          const { message } = yield* Effect.flip(file.write(lineOf("B")))
          assert.include(message, `the file ${path} cannot be used: it is in /proc`)
        })
      )
    })
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

  it.effect.skipIf(!isMounted)("is the former one whole on a full disk, and the reason is told", () =>
    Effect.suspend(() => {
      path = join(disk, "link.txt")
      return withFile((file) =>
        Effect.gen(function* () {
          yield* file.write(lineOf("A"))
          const filler = openSync(join(disk, "filler"), "w")
          const fill = () => {
            for (;;) writeSync(filler, Buffer.alloc(4_096))
          }
          assert.throws(fill, /ENOSPC/)
          closeSync(filler)
          assert.include((yield* Effect.flip(file.write(lineOf("B")))).message, "ENOSPC")
          assert.deepStrictEqual(readdirSync(disk).sort(), ["filler", "link.txt"])
          assert.strictEqual(yield* file.former, `${SECRET}A`)
          yield* file.remove
          rmSync(join(disk, "filler"))
          yield* file.write(lineOf("B"))
          assert.strictEqual(yield* file.former, `${SECRET}B`)
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
