import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { newestHeld, removable } from "../../src/backup/BackupMaking.ts"
import { nextName, type StoredBackup } from "../../src/backup/StoredBackups.ts"

const NOW = Micros.parse("2026-07-01T12:00:00Z") ?? 0

const HELD = { bytes: 1, events: 1, checked_at: "", seconds: 1, manifest_sha256: "0".repeat(64) }

/** The backup of a number, which was made so many days ago. */
const backup = (number: number, state: StoredBackup["state"], days = 0): StoredBackup => ({
  name: `${String(number).padStart(6, "0")}-20260101T000000Z`,
  files: [],
  state,
  verdict:
    state === "holds" || state === "does_not_hold"
      ? { ...HELD, made_at: Micros.format(NOW - days * Micros.DAY), holds: state === "holds", findings: [] }
      : null
})

const numbers = (all: ReadonlyArray<StoredBackup>) => all.map(({ name }) => Number(name.slice(0, 6)))

describe("which backups are kept", () => {
  it("are the newest that hold, however many do not, and never none", () => {
    const broken = [5, 4, 3].map((number) => backup(number, "does_not_hold"))
    const held = [2, 1].map((number) => backup(number, "holds", 3))
    assert.deepStrictEqual(numbers(removable([...broken, ...held], 1)), [4, 3, 1])
    assert.deepStrictEqual(numbers(removable([...broken, ...held], 2)), [4, 3])
    assert.deepStrictEqual(numbers(removable([backup(3, "holds"), ...held], 2)), [1])
  })

  it("a broken or unverified one goes with those that are older than what is kept", () => {
    const all = [
      backup(6, "unverified"),
      backup(5, "holds"),
      backup(4, "unverified"),
      backup(3, "does_not_hold"),
      backup(2, "holds"),
      backup(1, "does_not_hold")
    ]
    assert.deepStrictEqual(numbers(removable(all, 2)), [4, 1])
    assert.deepStrictEqual(numbers(removable(all, 1)), [4, 3, 2, 1])
    assert.deepStrictEqual(numbers(removable([backup(8, "unverified"), ...all], 2)), [6, 4, 1])
    assert.deepStrictEqual(numbers(removable([backup(1, "unverified")], 1)), [])
  })
})

describe("how old the newest backup is", () => {
  it("is that of the newest which holds, and a clock that was ahead says nothing", () => {
    const ahead = backup(3, "holds", -400)
    const held = backup(2, "holds", 2)
    assert.strictEqual(newestHeld([backup(4, "does_not_hold"), ahead, held], NOW)?.backup, held)
    assert.isUndefined(newestHeld([ahead], NOW))
    assert.isUndefined(newestHeld([backup(1, "unverified")], NOW))
  })

  it("is not what puts them in order: a clock that steps back does not", () => {
    const next = (all: ReadonlyArray<StoredBackup>) => Effect.runSync(nextName(all, NOW))
    assert.strictEqual(next([backup(7, "unfinished"), backup(6, "holds")]), "000008-20260701T120000Z")
    assert.strictEqual(next([]), "000001-20260701T120000Z")
  })

  it("has a name that is found again: none is made after the highest number", () => {
    const last = backup(999_999_999_999_999, "unfinished")
    const refused = Effect.runSync(Effect.flip(nextName([last, backup(6, "holds")], NOW)))
    assert.include(refused.message, last.name)
  })
})
