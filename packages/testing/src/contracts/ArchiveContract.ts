/** The contract of the archive over any store of files, as tests; the log is in memory. */

import { Micros } from "@cairn/core/encoding"
import { contentHash, eventHash } from "@cairn/core/event"
import { legacyLine } from "@cairn/core/evidence"
import { ExportStore } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { ContentRemoval, Erasure, NothingToErase, Retention } from "@cairn/core/retention"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { contentOf } from "../generators/StoredContent.ts"
import {
  archived,
  by,
  contentsOf,
  type Faults,
  kept,
  makeExpired,
  nothing,
  services
} from "./ArchiveSteps.ts"
import {
  accept,
  importHistory,
  makeWorkspace,
  NOON,
  plainEvent,
  readLog,
  sequenceAll,
  verifyChain
} from "./StorageSteps.ts"

/** Registers the tests for the store called `name`. `store` is called once for each test. */
export const archiveContract = (name: string, store: () => Layer.Layer<ExportStore, unknown>): void => {
  const test = <A, E>(
    says: string,
    body: (faults: Faults) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>
  ): void =>
    it.live(says, () =>
      Effect.suspend(() => {
        const faults: Faults = { write: undefined, removal: false, logged: [] }
        return Effect.provide(body(faults), services(faults, store()))
      })
    )

  describe(`${name}: archive`, () => {
    test("holds what retention removed, each event with what its hashes are made of", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const sha256 = yield* Sha256
        const workspaceId = yield* makeExpired([by("ada"), by("bob"), by("eve")])
        yield* accept(workspaceId, [by("new")], { acceptedAt: yield* Micros.now })
        yield* sequenceAll
        const before = yield* readLog(workspaceId)
        assert.deepStrictEqual(yield* retention.round, { removed: 3, failed: 0 })
        assert.deepStrictEqual(yield* kept(workspaceId), [4, 5])
        const [file, ...others] = yield* archived(workspaceId)
        assert.deepStrictEqual(others, [])
        assert.strictEqual(file?.name, `${workspaceId}/events-000000000001.ndjson.gz`)
        const [header, ...lines] = file?.lines ?? []
        assert.deepStrictEqual(header, {
          format: "cairn-archive/1",
          type: "header",
          workspace_id: workspaceId
        })
        assert.deepStrictEqual(lines.pop(), { type: "end", events: 3 })
        const texts = file?.text.split("\n") ?? []
        for (const [at, line] of lines.entries()) {
          const row = before[at]
          assert.include(texts[at + 1], `{"content":${row?.content},"content_hash":`)
          const hash = contentHash(sha256, line.salt ?? "", row?.content ?? "")
          assert.strictEqual(line.content_hash, hash)
          const { sequence = 0, id = "", previous_event_hash: previousEventHash = null } = line
          const createdAt = Micros.parse(line.created_at ?? "") ?? 0
          const computed = { contentHash: hash, createdAt, id, previousEventHash, sequence, workspaceId }
          assert.strictEqual(eventHash(sha256, computed), row?.eventHash)
          assert.strictEqual(line.event_hash, row?.eventHash)
        }
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
        assert.deepStrictEqual(yield* retention.round, { removed: 0, failed: 0 })
        assert.lengthOf(yield* archived(workspaceId), 1)
      }))

    test("gets further files as further events leave the window, and none twice", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const workspaces = yield* ManagedWorkspaces
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        yield* accept(workspaceId, [by("eve")], { acceptedAt: (yield* Micros.now) - 10 * Micros.DAY })
        yield* sequenceAll
        yield* retention.round
        yield* workspaces.update(workspaceId, { overrides: { retention_days: 5 } }, NOON)
        assert.deepStrictEqual(yield* retention.round, { removed: 1, failed: 0 })
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[1, 2], [3]])
      }))

    // How a log is split does not depend on the store, and ten thousand events take a while.
    if (name === "memory")
      test("is cut into files of ten thousand events, and keeps history from before the chain apart", () =>
        Effect.gen(function* () {
          const retention = yield* Retention
          const workspaceId = yield* makeWorkspace
          yield* importHistory(workspaceId, [by("ada"), by("bob")], NOON - Micros.DAY)
          for (let count = 0; count < 21; count++)
            yield* accept(
              workspaceId,
              Array.from({ length: 500 }, () => plainEvent())
            )
          yield* sequenceAll
          yield* (yield* ManagedWorkspaces).update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
          const [first] = yield* readLog(workspaceId)
          yield* retention.round
          const files = yield* archived(workspaceId)
          assert.deepStrictEqual(
            files.map(({ name: file, lines }) => [file.slice(workspaceId.length + 1), lines.length - 2]),
            [
              ["events-000000000002.ndjson.gz", 10_000],
              ["events-000000010002.ndjson.gz", 500],
              ["legacy-000000000000.ndjson.gz", 2]
            ]
          )
          assert.include(files[2]?.text, first === undefined ? "nothing" : legacyLine(first))
        }))

    test("that cannot be written lets nothing be removed or recorded, says so, and catches up later", (faults) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        faults.write = () => Effect.fail(nothing)
        for (let round = 0; round < 2; round++)
          assert.deepStrictEqual(yield* retention.round, { removed: 0, failed: 1 })
        assert.deepStrictEqual(yield* kept(workspaceId), [1, 2])
        assert.deepStrictEqual(faults.logged, [
          "Retention could not be applied; nothing that should go is lost",
          "Retention could not be applied; nothing that should go is lost"
        ])
        assert.strictEqual((yield* Effect.flip(retention.apply(workspaceId)))._tag, "ArchiveUnavailable")
        faults.write = undefined
        assert.deepStrictEqual(yield* retention.round, { removed: 2, failed: 0 })
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[1, 2]])
      }))

    test("of one workspace that fails does not hold up another's", (faults) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const store = yield* ExportStore
        const one = yield* makeExpired([by("ada")])
        const other = yield* makeExpired([by("bob")])
        faults.write = (file, ...rest) =>
          file.startsWith(one) ? Effect.fail(nothing) : store.write(file, ...rest)
        assert.deepStrictEqual(yield* retention.round, { removed: 1, failed: 1 })
        assert.deepStrictEqual(yield* kept(one), [1])
        assert.deepStrictEqual(yield* contentsOf(other), [[1]])
      }))

    test("whose writer is killed once the file is there is written again, and nothing is lost or doubled", (faults) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const store = yield* ExportStore
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        faults.write = (...file) => Effect.andThen(store.write(...file), Effect.die(new Error("killed")))
        assert.strictEqual((yield* Effect.exit(retention.round))._tag, "Failure")
        assert.deepStrictEqual(yield* kept(workspaceId), [1, 2])
        faults.write = undefined
        yield* accept(workspaceId, [by("eve")], { acceptedAt: NOON + 1 })
        yield* sequenceAll
        assert.deepStrictEqual(yield* retention.round, { removed: 3, failed: 0 })
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[1, 2, 3]])
      }))

    test("is not written again when only the removal was interrupted", (faults) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        faults.removal = true
        assert.deepStrictEqual(yield* retention.round, { removed: 0, failed: 1 })
        assert.deepStrictEqual(yield* kept(workspaceId), [1, 2, 3])
        faults.removal = false
        faults.write = () => Effect.die(new Error("it is there"))
        assert.deepStrictEqual(yield* retention.round, { removed: 2, failed: 0 })
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[1, 2]])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
      }))

    test("that is switched on later begins with what is still there", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const removal = yield* ContentRemoval
        const sha256 = yield* Sha256
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        const [first] = yield* readLog(workspaceId)
        const { sequence = 0, id = "", content, salt } = first ?? {}
        const hash = contentHash(sha256, salt ?? "", content ?? "")
        yield* removal.remove(
          workspaceId,
          [{ sequence, id, content: content ?? "", contentHash: hash }],
          null
        )
        yield* retention.round
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[2]])
      }))

    test("loses what is erased, by event and by actor, also after it has left the log, which records it", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const erasure = yield* Erasure
        const workspaceId = yield* makeExpired(["ada", "bob", "ada", "eve", "bob"].map(by))
        yield* retention.round
        const untouched = yield* archived(workspaceId)
        const rows = yield* readLog(workspaceId)
        yield* accept(workspaceId, [by("ada")], { acceptedAt: yield* Micros.now })
        yield* sequenceAll
        const eventIds = [rows[3]?.id ?? ""]
        assert.deepStrictEqual(yield* erasure.erase(workspaceId, { eventIds }, "asked for"), [4])
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[1, 2, 3, 5]])
        assert.sameMembers(
          [...(yield* erasure.erase(workspaceId, { actorId: "ada" }, "asked for"))],
          [1, 3, 7]
        )
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[2, 5]])
        const [file] = yield* archived(workspaceId)
        assert.notInclude(file?.text, '"ada"')
        assert.notInclude(file?.text, '"eve"')
        const lines = untouched[0]?.text.split("\n") ?? []
        for (const [at, line] of (file?.text.split("\n") ?? []).entries()) {
          if ([0, 2, 5, 6].includes(at)) assert.strictEqual(line, lines[at])
        }
        for (const sequence of [1, 3, 4]) {
          const { content: _, salt: __, ...header } = untouched[0]?.lines[sequence] ?? {}
          assert.deepEqual<unknown>(file?.lines[sequence], { content: null, ...header, salt: null })
        }
        const records = (yield* readLog(workspaceId)).filter(
          (event) => contentOf(event)?.action === "cairn.event.erased"
        )
        assert.deepStrictEqual(
          records.map(({ content }) => /"sequences":\[[\d,]*\]/.exec(content ?? "")?.[0]),
          ['"sequences":[4]', '"sequences":[7]', '"sequences":[1,3]']
        )
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
        const again = yield* Effect.flip(erasure.erase(workspaceId, { actorId: "ada" }, "again"))
        assert.deepStrictEqual(again, new NothingToErase({ workspaceId }))
      }))

    test("that is down when something is to be erased leaves all as it was", (faults) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const erasure = yield* Erasure
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        yield* retention.round
        faults.write = () => Effect.fail(nothing)
        const erase = erasure.erase(workspaceId, { actorId: "ada" }, "asked for")
        assert.strictEqual((yield* Effect.flip(erase))._tag, "ArchiveUnavailable")
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[1, 2]])
        faults.write = undefined
        assert.deepStrictEqual(yield* erase, [1])
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[2]])
      }))

    test("does not get back what is erased between archiving and removal", (faults) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const erasure = yield* Erasure
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        faults.removal = true
        yield* retention.round
        faults.removal = false
        yield* erasure.erase(workspaceId, { actorId: "ada" }, "asked for")
        yield* retention.round
        assert.deepStrictEqual(yield* contentsOf(workspaceId), [[2]])
      }))

    test("that was cut off or altered is told of, not passed over", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const erasure = yield* Erasure
        const { write, read } = yield* ExportStore
        const workspaceId = yield* makeExpired([by("ada"), by("bob")])
        yield* retention.round
        const file = `${workspaceId}/events-000000000001.ndjson.gz`
        const whole = Buffer.concat(yield* Stream.runCollect(read(file)))
        for (const bytes of [whole.subarray(0, -20), Buffer.from("no gzip"), Buffer.alloc(0)]) {
          yield* write(file, "application/gzip", Stream.make(bytes))
          const error = yield* Effect.flip(erasure.erase(workspaceId, { actorId: "ada" }, "asked for"))
          assert.strictEqual(error._tag, "ArchiveUnavailable")
        }
      }))
  })
}
