import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { decodeDestination } from "../../src/sinks/Sinks.ts"
import { records, texts } from "./Records.ts"
import { environment, openSink, sinkContract } from "./SinkContract.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-file-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const lines = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n")

sinkContract(
  "file",
  {
    dials: false,
    waits: false,
    said: { taken: /^null one line was appended to logs\/audit.ndjson$/, refused: /cannot be written: E/ }
  },
  Effect.map(folder, (path) => {
    const own = join(path, "wsp_1")
    return {
      folder: path,
      config: { type: "file", path: "logs/audit.ndjson" },
      arrived: async () => lines(join(own, "logs/audit.ndjson")),
      // A file stands where its folder should.
      fail: () => {
        renameSync(own, `${own}.aside`)
        writeFileSync(own, "")
      },
      repair: () => {
        rmSync(own)
        renameSync(`${own}.aside`, own)
      }
    }
  })
)

/** A sink for `audit.log`, and where that lies. */
const opened = Effect.gen(function* () {
  const root = yield* folder
  const sink = yield* openSink({ type: "file", path: "audit.log" }, environment("cairn", { folder: root }))
  return { sink, own: join(root, "wsp_1"), path: join(root, "wsp_1/audit.log") }
})

describe("file", () => {
  it.live("writes for its owner alone", () =>
    Effect.gen(function* () {
      const { sink, path } = yield* opened
      yield* sink.send(records(1, 2))
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    })
  )

  it.live("ends a line that a crash cut short before it begins the next", () =>
    Effect.gen(function* () {
      const { sink, path } = yield* opened
      yield* sink.send(records(1, 1))
      appendFileSync(path, '{"id":"event-2","act')
      yield* sink.send(records(2, 3))
      assert.deepStrictEqual(lines(path), [
        ...texts(records(1, 1)),
        '{"id":"event-2","act',
        ...texts(records(2, 3))
      ])
    })
  )

  it.live("begins a new file when the old one was rotated away", () =>
    Effect.gen(function* () {
      const { sink, path } = yield* opened
      yield* sink.send(records(1, 1))
      renameSync(path, `${path}.1`)
      yield* sink.send(records(2, 2))
      assert.deepStrictEqual(lines(path), texts(records(2, 2)))
    })
  )

  it.live("does not write through a link", () =>
    Effect.gen(function* () {
      const { sink, own, path } = yield* opened
      mkdirSync(own)
      writeFileSync(join(own, "other"), "")
      symlinkSync(join(own, "other"), path)
      const error = yield* Effect.flip(sink.send(records(1, 1)))
      assert.strictEqual(error.reason, "the file cannot be written: ELOOP")
      assert.strictEqual(readFileSync(join(own, "other"), "utf8"), "")
    })
  )

  it.live.each([
    ["a pipe that nobody reads", (path: string) => execFileSync("mkfifo", [path])],
    ["a folder", (path: string) => mkdirSync(path)],
    [
      "a socket",
      (path: string) =>
        execFileSync(process.execPath, [
          "-e",
          `require("net").createServer().listen(${JSON.stringify(path)}, () => process.reallyExit(0))`
        ])
    ]
  ] as const)("refuses %s, which would not end a write", ([, make]) =>
    Effect.gen(function* () {
      const { sink, own, path } = yield* opened
      mkdirSync(own)
      make(path)
      const error = yield* Effect.flip(sink.send(records(1, 1)))
      assert.match(error.reason, /^the file cannot be written: (not a regular file|EISDIR|ENXIO)$/)
    })
  )

  it.live("is not allowed where no folder was set aside", () =>
    Effect.gen(function* () {
      const nowhere = environment("cairn")
      const destination = Result.getOrThrow(decodeDestination({ type: "file", path: "audit.log" }))
      const check = destination.check(nowhere)
      assert.include(Result.isFailure(check) ? check.failure.message : "", "CAIRN_STREAM_FOLDER")
      const sink = yield* openSink({ type: "file", path: "audit.log" }, nowhere)
      yield* Effect.flip(sink.send(records(1, 1)))
    })
  )

  it.each([
    "/etc/passwd",
    "../audit.log",
    "a/../../b",
    "a//b",
    ".hidden",
    "a/.ssh/b",
    "",
    "a\0b",
    "a\\b",
    "./a"
  ])("refuses the path %j", (path) => {
    const result = decodeDestination({ type: "file", path })
    assert.include(Result.isFailure(result) ? result.failure.path : "", "destination.path")
  })
})
