/** Faults that are planted in the files of a SQLite database, each found by one check and by no other. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { secretKeyFile, siblingFile } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Machine, thisMachine } from "../../src/doctor/Machine.ts"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { type Fault, inFile, planted } from "./Planting.ts"
import { assertHealthy, calmMachine, copyFiles, examine, useWard } from "./Ward.ts"

killLeftovers()

const ward = useWard()
const { root, original } = ward

/** Does as the mending command says. */
const shell = (mend: string): void => {
  const command = mend.replace(/^stop the servers, then /, "").replace(/, as root.*$/s, "")
  if (!command.startsWith("sqlite3 ")) return void execFileSync("sh", ["-c", command])
  // Its words, as a shell has them, for the same library: the program itself may be older.
  const words = execFileSync("sh", ["-c", `printf '%s\\0' ${command.slice("sqlite3 ".length)}`], {
    encoding: "utf8"
  })
  const [file = "", statement = ""] = words.split("\0")
  inFile(file, statement)
}

/** Leaves a file as a killed process does: with a write-ahead log that is in use. */
const leaveWriteAheadLog = (file: string): void => {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA wal_autocheckpoint = 0; CREATE TABLE passing (a); DROP TABLE passing")
  for (const suffix of ["-wal", "-shm"]) cpSync(file + suffix, `${file}${suffix}.kept`)
  db.close()
  for (const suffix of ["-wal", "-shm"]) {
    renameSync(`${file}${suffix}.kept`, file + suffix)
    chmodSync(file + suffix, 0o600)
  }
}

/** The kernel's list of mounts with one more, on which the database is. */
const mountedAt = (folder: string, type: string): Machine => ({
  ...calmMachine,
  kernelFile: (path) =>
    path === "/proc/self/mountinfo"
      ? Effect.succeed(
          `21 1 8:1 / / rw - ext4 /dev/sda1 rw\n36 21 0:3${type.length} / ${folder.replaceAll(" ", "\\040")} rw,relatime - ${type} server:/export rw\n`
        )
      : calmMachine.kernelFile(path)
})

const FAULTS: ReadonlyArray<Fault> = [
  {
    name: "a file that is no database",
    plant: (database) => {
      writeFileSync(database, "This is a text about invoices, and no database at all.\n".repeat(100))
      return undefined
    },
    check: "database",
    cause: /cairn\.db is not a SQLite database/,
    mend: /cairn restore BACKUP/,
    cure: (database) => {
      cpSync(original, database)
    }
  },
  {
    name: "a damaged page",
    plant: (database) => {
      const file = openSync(database, "r+")
      // The second page and some after it.
      writeSync(file, Buffer.alloc(4_096 * 3, 0x5a), 0, 4_096 * 3, 4_096 * 10)
      closeSync(file)
      return undefined
    },
    check: "file-pages",
    cause: /cairn\.db is damaged/,
    mend: /cairn restore BACKUP/
  },
  {
    name: "the file of the inbox missing",
    plant: (database) => {
      rmSync(siblingFile(database, "inbox"))
      return undefined
    },
    check: "database-files",
    cause: /cairn-inbox\.db is missing, .*accepted events/,
    mend: /put cairn-inbox\.db back/,
    cure: (database) => cpSync(siblingFile(original, "inbox"), siblingFile(database, "inbox"))
  },
  {
    name: "the search index missing",
    plant: (database) => {
      rmSync(siblingFile(database, "search"))
      return undefined
    },
    check: "database-files",
    severity: "warning",
    cause: /cairn-search\.db is missing: the search index/,
    mend: /^cairn serve/,
    cure: async (database) => cairn(["migrate"], { database })
  },
  {
    name: "the log emptied",
    plant: (database) => {
      writeFileSync(database, "")
      return undefined
    },
    check: "database-files",
    cause: /cairn\.db is empty, .*the log itself/,
    mend: /cairn restore BACKUP/,
    cure: (database) => cpSync(original, database)
  },
  {
    name: "the inbox emptied",
    plant: (database) => {
      writeFileSync(siblingFile(database, "inbox"), "")
      return undefined
    },
    check: "database-files",
    cause: /cairn-inbox\.db is empty, .*accepted events/,
    mend: /put cairn-inbox\.db back/
  },
  {
    name: "a restore that was interrupted",
    plant: (database) => {
      writeFileSync(`${database}.restore`, JSON.stringify({ backup: "x", from: "y", aside: null }))
      return undefined
    },
    check: "database-files",
    cause: /restore of .* was interrupted/,
    mend: /^cairn restore BACKUP/
  },
  {
    name: "an inbox of another database",
    plant: (database) => {
      inFile(siblingFile(database, "inbox"), "UPDATE state SET epoch = 'another'")
      return undefined
    },
    check: "files-together",
    cause: /file of the inbox does not belong to the others/,
    mend: /put back the four files of one time/
  },
  {
    name: "files of another user",
    plant: (database) => {
      chownSync(database, 12_345, 12_345)
      return undefined
    },
    check: "file-owners",
    cause: /cairn\.db belongs to user 12345, and its folder to user 0/,
    mend: /^chown 0 .+cairn\.db.*, as root/,
    cure: (_, mend) => shell(mend)
  },
  {
    name: "a database that others may read",
    plant: (database) => {
      chmodSync(database, 0o644)
      return undefined
    },
    check: "file-rights",
    severity: "warning",
    cause: /others than the server's user may use .+cairn\.db \(mode 644\)/,
    mend: /^chmod 600 .+cairn\.db/,
    cure: (_, mend) => shell(mend)
  },
  {
    name: "a write-ahead log that nobody may write",
    plant: (database) => {
      const file = siblingFile(database, "consumers")
      leaveWriteAheadLog(file)
      chmodSync(`${file}-wal`, 0o400)
      return undefined
    },
    check: "file-rights",
    cause: /cannot read and write .+cairn-consumers\.db-wal \(mode 400\)/,
    mend: /^chmod 600 .+cairn-consumers\.db-wal/,
    cure: (_, mend) => shell(mend)
  },
  {
    name: "a key file that everybody may read",
    plant: (database) => {
      chmodSync(secretKeyFile(database), 0o644)
      return undefined
    },
    check: "secret-files",
    severity: "warning",
    cause: /every user of the machine can read .+cairn-secret\.key/,
    mend: /^chmod 600 .+cairn-secret\.key/,
    cure: (_, mend) => shell(mend)
  },
  {
    name: "a newer database",
    plant: (database) => {
      inFile(database, "PRAGMA user_version = 999; UPDATE cairn_migration SET needs = 999")
      return undefined
    },
    check: "schema-version",
    cause: /cairn\.db is at migration 999, and this version of Cairn knows only \d+$/,
    mend: /newer version of Cairn/
  },
  {
    name: "a newer database that this version may work on",
    plant: (database) => {
      inFile(database, "PRAGMA user_version = 999")
      return undefined
    },
    check: "schema-version",
    severity: "warning",
    cause: /cairn\.db is at migration 999, and this version of Cairn knows only \d+; the rest only adds/,
    mend: /newer version of Cairn/
  },
  {
    name: "an older database",
    plant: (database) => {
      inFile(siblingFile(database, "search"), "DROP TABLE IF EXISTS occurrence; PRAGMA user_version = 6")
      return undefined
    },
    check: "schema-version",
    severity: "warning",
    cause: /cairn-search\.db is at migration 6, and this version of Cairn has 7/,
    mend: /^cairn migrate/
  },
  {
    name: "an index missing",
    plant: (database) => {
      inFile(database, "DROP INDEX event_created_at")
      return undefined
    },
    check: "schema-objects",
    cause: /the index event_created_at is missing/,
    mend: /sqlite3 .+cairn\.db' 'CREATE UNIQUE INDEX event_created_at/,
    cure: (_, mend) => shell(mend)
  },
  {
    name: "a trigger missing",
    plant: (database) => {
      inFile(database, "DROP TRIGGER event_is_never_changed")
      return undefined
    },
    check: "append-only",
    cause: /the trigger event_is_never_changed is missing/,
    mend: /sqlite3 .+cairn\.db' 'CREATE TRIGGER event_is_never_changed/,
    cure: (_, mend) => shell(mend)
  },
  {
    name: "a trigger that lets changes pass",
    plant: (database) => {
      inFile(
        database,
        `DROP TRIGGER event_is_never_changed;
        CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event WHEN false BEGIN SELECT raise(ABORT, 'no'); END`
      )
      return undefined
    },
    check: "append-only",
    cause: /the trigger event_is_never_changed is not as the migrations made it/,
    mend: /sqlite3 .+cairn\.db' 'DROP TRIGGER event_is_never_changed; CREATE TRIGGER event_is_never_changed/,
    cure: (_, mend) => shell(mend)
  },
  ...["nfs4", "cifs", "9p", "fuse.sshfs"].map(
    (type): Fault => ({
      name: `a network file system (${type})`,
      plant: (database) => ({ machine: mountedAt(dirname(database), type) }),
      check: "file-system",
      cause: new RegExp(`network file system \\(${type.replace(".", "\\.")}, mounted at `),
      mend: /local disk .* cairn copy/
    })
  ),
  {
    name: "a disk that is slow to write",
    plant: () => ({ machine: { ...calmMachine, syncMillis: () => Effect.succeed([700, 3, 800, 900, 650]) } }),
    check: "disk-sync",
    cause: /takes 700 ms to reach the disk/,
    mend: /faster/
  },
  {
    name: "a write-ahead log that is damaged before its last commit",
    plant: (database) => {
      const file = database.replace(/\.db$/, "-search.db")
      leaveWriteAheadLog(file)
      const bytes = readFileSync(`${file}-wal`)
      // A byte of the first page: behind the header of the log and that of the frame.
      bytes[32 + 24 + 100] = (bytes[32 + 24 + 100] ?? 0) ^ 1
      writeFileSync(`${file}-wal`, bytes)
      return undefined
    },
    check: "write-ahead-log",
    cause: /cairn-search\.db-wal is damaged: what was written last is lost/,
    mend: /^cairn verify --audit -w WORKSPACE .*cairn restore BACKUP/
  },
  {
    name: "a write-ahead log that has grown",
    plant: () => ({
      machine: {
        ...calmMachine,
        rights: (path) =>
          path.endsWith("cairn-search.db-wal")
            ? Effect.succeed({ owner: 0, mode: 0o600, isFolder: false, bytes: 2 ** 30 })
            : calmMachine.rights(path)
      }
    }),
    check: "write-ahead-log",
    severity: "warning",
    cause: /cairn-search\.db-wal has 1024 MiB: a program reads the file and does not end/,
    mend: /fuser .+cairn-search\.db/
  },
  {
    name: "a disk without room for another file",
    plant: () => ({
      machine: {
        ...calmMachine,
        room: (path) =>
          Effect.map(calmMachine.room(path), (room) => ({ ...room, files: 1_000_000, freeFiles: 12 }))
      }
    }),
    check: "disk-files",
    cause: /can take 12 more files/,
    mend: /df -i/
  }
]

describe("cairn doctor, on SQLite", () => {
  it("finds nothing in what is healthy, and changes nothing there", async () => {
    const database = copyFiles(original, join(root, "healthy"))
    const bytes = () =>
      execFileSync("sh", ["-c", "for f in $(ls -A | sort); do echo $f; sha256sum < $f; done"], {
        cwd: dirname(database),
        encoding: "utf8"
      })
    const before = bytes()
    const results = await examine({ CAIRN_DATABASE_URL: `sqlite:${database}` }, { machine: thisMachine })
    // How quick the disk is does not matter here, but that it was measured.
    const isMeasured = ({ id, status }: (typeof results)[number]) =>
      id === "disk-sync" && status !== "skipped"
    assert.isTrue(results.some(isMeasured))
    assertHealthy(results.filter((result) => !isMeasured(result)))
    assert.strictEqual(bytes(), before)
  })

  planted(FAULTS, "fault", ward)

  it("is a command, whose exit code says whether there is an error", async () => {
    const database = copyFiles(original, join(root, "command"))
    const variables = { CAIRN_PORT: "0", CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8", CAIRN_OUTBOUND_HTTP: "true" }
    const well = await cairn(["doctor"], { database, variables })
    assert.deepStrictEqual([well.code, well.stderr], [0, ""])
    assert.match(well.stdout, /^0 checks have found errors, \d a reason for a warning, \d+ nothing, /m)
    inFile(database, "DROP INDEX event_created_at")
    const ill = await cairn(["doctor"], { database, variables })
    assert.strictEqual(ill.code, 1)
    assert.match(ill.stdout, /^ERROR {2}Tables.*\(schema-objects\): the index event_created_at is missing/m)
    assert.match(ill.stdout, /^ {2}to mend it: .*CREATE UNIQUE INDEX event_created_at/m)
    const json = await cairn(["doctor", "--json"], { database, variables })
    assert.strictEqual(json.code, 1)
    const { healthy, checks } = JSON.parse(json.stdout)
    assert.isFalse(healthy)
    assert.deepInclude(
      checks.find(({ id }: { id: string }) => id === "schema-objects"),
      { status: "error", skipped: null }
    )
  })
})
