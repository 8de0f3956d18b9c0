/** Checks of the files of a SQLite database. */
import { existsSync } from "node:fs"
import { basename } from "node:path"
import {
  FILE_NAMES,
  filesOf,
  isHalfRestored,
  type MigratedFile,
  quickCheck,
  schemaDifference,
  strayedFiles,
  walDamage
} from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import type { Patient } from "../Patient.ts"
import { dataPlace, isEmptyFile } from "../Places.ts"
import { shellWord } from "../ShellWords.ts"
import { Skipped } from "../Skipped.ts"
import { ofDatabase, opened } from "../WholeDatabase.ts"

const needs = [SETTINGS.database.name]

const filename = ({ settings: { database } }: Patient): string =>
  database.kind === "sqlite" ? database.filename : ""

/** The files of the database that are there, with their write-ahead logs and shared memory. */
const filesThere = (patient: Patient): ReadonlyArray<string> =>
  Object.values(filesOf(filename(patient)))
    .flatMap((file) => [file, `${file}-wal`, `${file}-shm`])
    .filter((file) => existsSync(file))

const owners: Check = {
  id: "file-owners",
  title: "Owners of the files",
  looks:
    "Whether the files of the database and their folder belong to different users, as after a command of root",
  needs,
  database: "sqlite",
  run: (patient) =>
    Effect.gen(function* () {
      const { machine } = patient
      const files = filesThere(patient)
      const folder = dataPlace(patient)?.folder ?? "."
      const home = yield* machine.rights(folder)
      if (home === null || files.length === 0)
        return yield* new Skipped({ reason: "there is no database yet" })
      const found: Array<Finding> = []
      for (const file of files) {
        const rights = yield* machine.rights(file)
        if (rights === null || rights.owner === home.owner) continue
        found.push(
          fault(
            `${file} belongs to user ${rights.owner}, and its folder to user ${home.owner}: a server of one cannot write what is the other's`,
            `chown ${home.owner} ${shellWord(file)}, as root, and run commands as the user of the server`
          )
        )
      }
      return found
    })
}

const SHARED = 0o077

const rights: Check = {
  id: "file-rights",
  title: "Rights to the files",
  looks: "Whether others than its user can read a file of the database, or the user cannot write it",
  needs,
  database: "sqlite",
  run: (patient) =>
    Effect.gen(function* () {
      const found: Array<Finding> = []
      for (const file of filesThere(patient)) {
        const known = yield* patient.machine.rights(file)
        if (known === null) continue
        const mode = known.mode.toString(8)
        const mend = `chmod 600 ${shellWord(file)}`
        if ((known.mode & 0o600) !== 0o600)
          found.push(fault(`the server's user cannot read and write ${file} (mode ${mode})`, mend))
        else if ((known.mode & SHARED) !== 0)
          found.push(warning(`others than the server's user may use ${file} (mode ${mode})`, mend))
      }
      return found
    })
}

const files: Check = {
  id: "database-files",
  title: "Files of the database",
  looks: "Whether all four files are there and have something in them, and a restore was finished",
  needs,
  database: "sqlite",
  run: (patient) =>
    Effect.gen(function* () {
      const log = filename(patient)
      if (isHalfRestored(log))
        return [
          fault(
            `a restore of ${log} was interrupted, and nothing opens it until it is finished`,
            "cairn restore BACKUP, the same command once more: it finishes what it began"
          )
        ]
      const paths = filesOf(log)
      const without = FILE_NAMES.filter((name) => !existsSync(paths[name]) || isEmptyFile(paths[name]))
      if (without.length === FILE_NAMES.length)
        return yield* new Skipped({
          reason: "there is no database yet: cairn serve or cairn migrate makes it"
        })
      return without.map((name) => withoutFile(name, paths[name]))
    })
}

const withoutFile = (name: MigratedFile, file: string): Finding => {
  const what = `${file} is ${existsSync(file) ? "empty" : "missing"}`
  if (name === "search")
    return warning(`${what}: the search index`, "cairn serve: it builds the index again from the log")
  return fault(
    `${what}, and what only it had is lost: ${WHAT[name]}`,
    `stop the servers, put ${basename(file)} back from where it went, or cairn restore BACKUP`
  )
}

const WHAT: Readonly<Record<MigratedFile, string>> = {
  log: "the log itself",
  inbox: "accepted events that waited",
  search: "the search index",
  consumers: "alerts, messages to send and positions"
}

const MEBIBYTE = 1024 * 1024
/** Far more than a busy server leaves. */
const LARGE_WAL = 512 * MEBIBYTE

const writeAhead: Check = {
  id: "write-ahead-log",
  title: "Write-ahead logs",
  looks: `Whether a \`-wal\` file is damaged, or larger than ${LARGE_WAL / MEBIBYTE} MiB because somebody keeps a transaction open`,
  needs,
  database: "sqlite",
  run: (patient) =>
    Effect.gen(function* () {
      const found: Array<Finding> = []
      for (const file of Object.values(filesOf(filename(patient)))) {
        const wal = yield* patient.machine.rights(`${file}-wal`)
        if (wal === null) continue
        if (wal.bytes > LARGE_WAL)
          found.push(
            warning(
              `${file}-wal has ${Math.round(wal.bytes / MEBIBYTE)} MiB: a program reads the file and does not end`,
              `end the program that holds it (fuser ${shellWord(file)}); the server then shortens it`
            )
          )
        // Frames that are being written may look damaged: a second look does not see the same ones.
        else if (walDamage(file) !== undefined && walDamage(file) !== undefined)
          found.push(
            fault(
              `${file}-wal is damaged: what was written last is lost, unless another file has it`,
              "cairn verify --audit -w WORKSPACE for each workspace, and cairn restore BACKUP if it finds something"
            )
          )
      }
      return found
    })
}

const objects: Check = {
  id: "schema-objects",
  title: "Tables, indexes and triggers",
  looks: "Whether something that the migrations made is missing",
  needs,
  database: "sqlite",
  run: ofDatabase((database) =>
    Effect.sync(() =>
      FILE_NAMES.flatMap((name) => {
        const client = database.files[name]
        if (client === undefined) return []
        const { filename: file } = client.config
        return schemaDifference(name, client)
          .missing.filter(({ type }) => type !== "trigger")
          .map(({ type, name: object, sql }) =>
            fault(
              `the ${type} ${object} is missing in ${pathOf(file)}`,
              type === "index"
                ? `stop the servers, then ${bySqlite3(file, sql)}`
                : "stop the servers, then cairn restore BACKUP"
            )
          )
      })
    )
  )
}

/** The command that makes something again. */
const bySqlite3 = (file: string, sql: string): string =>
  `sqlite3 ${shellWord(pathOf(file))} ${shellWord(sql.replaceAll(/\s+/g, " "))}`

/** The path of a file that was opened as a URL. */
const pathOf = (name: string): string =>
  name.startsWith("file:") ? decodeURIComponent(new URL(name).pathname) : name

const appendOnly: Check = {
  id: "append-only",
  title: "The log only grows",
  looks: "Whether the triggers that protect the log from accidental changes exist and are unaltered",
  needs,
  database: "sqlite",
  run: ofDatabase(({ files: { log } }) =>
    Effect.sync(() => {
      if (log === undefined) return []
      const { missing, altered } = schemaDifference("log", log)
      const file = log.config.filename
      return [
        ...missing
          .filter(({ type }) => type === "trigger")
          .map(({ name, sql }) =>
            fault(
              `the trigger ${name} is missing: nothing keeps a statement from changing the log`,
              `stop the servers, then ${bySqlite3(file, sql)}`
            )
          ),
        ...altered.map(({ name, sql }) =>
          fault(
            `the trigger ${name} is not as the migrations made it: it may let a change of the log pass`,
            `stop the servers, then ${bySqlite3(file, `DROP TRIGGER ${name}; ${sql}`)}`
          )
        )
      ]
    })
  )
}

const together: Check = {
  id: "files-together",
  title: "Files of one time",
  looks: "Whether one of the four files is older than the others, or another database's",
  needs,
  database: "sqlite",
  run: ofDatabase(({ files: { log, inbox, search, consumers } }) =>
    Effect.sync(() =>
      log === undefined || inbox === undefined || search === undefined || consumers === undefined
        ? []
        : strayedFiles({ log, inbox, search, consumers }).map(({ file, message }) =>
            fault(
              `the file of the ${file} does not belong to the others: ${message}`,
              "stop the servers, put back the four files of one time, or cairn restore BACKUP"
            )
          )
    )
  )
}

/** Bytes of a file that are read within the time of a check. */
const QUICK = 256 * MEBIBYTE

/** The id of the check that finds damaged pages. */
export const DAMAGE_CHECK = "file-pages"

const pages: Check = {
  id: DAMAGE_CHECK,
  title: "Pages of the files",
  looks: `Whether SQLite finds a damaged page, in files up to ${QUICK / MEBIBYTE} MiB; for larger ones \`cairn verify\` looks`,
  needs,
  database: "sqlite",
  run: (patient) =>
    Effect.gen(function* () {
      const database = yield* opened(patient)
      const found: Array<Finding> = []
      let larger = 0
      for (const name of FILE_NAMES) {
        const client = database.files[name]
        const path = filesOf(filename(patient))[name]
        const known = yield* patient.machine.rights(path)
        if (client === undefined || known === null) continue
        if (known.bytes > QUICK) larger++
        else
          for (const line of yield* damage(() => quickCheck(client)))
            found.push(
              fault(
                `${path} is damaged: ${line}`,
                name === "search"
                  ? `stop the servers and remove ${shellWord(path)}, its -wal and its -shm: the next start builds it again`
                  : "stop the servers, keep the files, then cairn restore BACKUP"
              )
            )
      }
      if (found.length === 0 && larger === FILE_NAMES.length)
        return yield* new Skipped({ reason: "the files are large: cairn verify reads them all" })
      return found
    })
}

/** A page that cannot be read at all ends the look at the file. */
const damage = (look: () => ReadonlyArray<string>) =>
  Effect.sync(() => {
    try {
      return look()
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  })

/** Checks of the files of SQLite. */
export const SQLITE_CHECKS: ReadonlyArray<Check> = [
  files,
  owners,
  rights,
  writeAhead,
  pages,
  objects,
  appendOnly,
  together
]
