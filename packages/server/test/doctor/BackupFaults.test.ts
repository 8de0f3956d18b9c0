/** Faults of the backups in the store, each found by one check and by no other. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe } from "@effect/vitest"
import { killLeftovers } from "../support/CairnProcess.ts"
import { type Fault, planted } from "./Planting.ts"
import { useWard } from "./Ward.ts"

killLeftovers()

const ward = useWard()

/** A store with two backups that were made so many hours ago, of which the newer may not hold. */
const storeOf = (database: string, hours: number, newestHolds: boolean): string => {
  const store = join(dirname(database), "store")
  mkdirSync(join(store, "backups"), { recursive: true })
  const made_at = new Date(Date.now() - hours * 3_600_000).toISOString().replace("Z", "000Z")
  const told = { made_at, bytes: 1, events: 1, checked_at: made_at, seconds: 1 }
  for (const [number, holds] of [true, newestHolds].entries()) {
    const place = join(store, "backups", `00000${number + 1}-20260101T000000Z`)
    const verdict = { ...told, holds, findings: holds ? [] : ["broken"], manifest_sha256: "0".repeat(64) }
    writeFileSync(`${place}.manifest.json`, "{}")
    writeFileSync(`${place}.verdict.json`, JSON.stringify(verdict))
  }
  return store
}

const FAULTS: ReadonlyArray<Fault> = [
  {
    name: "a newest backup that does not hold",
    plant: (database) => ({ variables: { CAIRN_BACKUP_STORE: storeOf(database, 1, false) } }),
    check: "backups",
    cause: /^the newest backup, 000002-20260101T000000Z, does not hold/,
    mend: /^cairn backup makes another/
  },
  {
    name: "backups that are no longer made",
    plant: (database) => ({ variables: { CAIRN_BACKUP_STORE: storeOf(database, 49, true) } }),
    check: "backups",
    severity: "warning",
    cause: /the newest backup that holds is 1764\d\d seconds old/,
    mend: /^cairn backup says why/
  },
  {
    name: "a file where backups should be",
    plant: (database) => {
      writeFileSync(join(dirname(database), "store"), "x")
      return { variables: { CAIRN_BACKUP_STORE: join(dirname(database), "store") } }
    },
    check: "folders",
    cause: /store, where backups should be, is not a folder/,
    mend: /^correct CAIRN_BACKUP_STORE/
  }
]

describe("cairn doctor, of backups", () => {
  planted(FAULTS, "backups", ward)
})
