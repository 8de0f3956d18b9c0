/**
 * The files of a backup that is not complete yet, and the removal of those that killed backups have left.
 *
 * Their names tell whose they are: `.cairn.db.backup-HOST-PID-xxxxxxxx` in the backup's folder, with the
 * others beside it.
 */
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { hostname } from "node:os"
import { basename, dirname, join } from "node:path"
import { siblingFile } from "./SiblingFile.ts"

/** The files of a backup, in the order in which they are copied and get their names. */
export const BACKUP_FILES = ["search", "consumers", "inbox", "log"] as const

/** One path for each of the files. */
export type BackupPaths = Readonly<Record<(typeof BACKUP_FILES)[number], string>>

/** The files of the database at `filename`. */
export const pathsOf = (filename: string): BackupPaths => ({
  search: siblingFile(filename, "search"),
  consumers: siblingFile(filename, "consumers"),
  inbox: siblingFile(filename, "inbox"),
  log: filename
})

/** A file, and what SQLite puts beside it. */
export const SUFFIXES = ["", "-wal", "-shm", "-journal"]

/** Removes the files, and what SQLite has put beside them; the log's last, by which the others are known. */
export const removeFiles = (paths: BackupPaths): void => {
  for (const name of BACKUP_FILES) {
    for (const suffix of SUFFIXES) rmSync(`${paths[name]}${suffix}`, { force: true })
  }
}

/** This machine in a file's name. */
const thisHost = (): string => hostname().replace(/[^A-Za-z0-9.]/g, "_")

/** Whose a file is, and which of theirs: the end of its name. */
export const ownerName = (): string => `${thisHost()}-${process.pid}-${randomBytes(4).toString("hex")}`

/** Host, process and eight digits at random; in the name of a file, which of it follows. */
const OWNER = /^([A-Za-z0-9._]+)-([0-9]+)-[0-9a-f]{8}/
const PART = /^(?:-[a-z]+){0,2}$/

/** The name of an unfinished file, read. */
interface Unfinished {
  /** What all files of one backup or restore begin with. */
  readonly beginning: string
  /** The name of the file that it was to become. */
  readonly target: string
  readonly host: string
  readonly pid: number
}

/** Reads the name of what a backup or a restore of some process has left; undefined for any other. */
export const readUnfinished = (
  name: string,
  kind: "backup" | "restore" | "scratch"
): Unfinished | undefined => {
  const mark = `.${kind}-`
  const at = name.lastIndexOf(mark)
  const owner = OWNER.exec(name.slice(at + mark.length))
  if (!name.startsWith(".") || at < 2 || owner === null) return undefined
  const [text, host = "", pid] = owner
  const end = at + mark.length + text.length
  return PART.test(name.slice(end))
    ? { beginning: name.slice(0, end), target: name.slice(1, at), host, pid: Number(pid) }
    : undefined
}

/** A new name for the unfinished backup to `target`. */
export const unfinishedName = (target: string): string =>
  join(dirname(target), `.${basename(target)}.backup-${ownerName()}`)

/** After how long a file of another machine, of whose processes nothing is known, counts as left behind. */
const DAY_MILLIS = 86_400_000

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process is there all the same.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** When any of the files was last written, in milliseconds; 0 if none is there. */
const lastWritten = (paths: ReadonlyArray<string>): number =>
  Math.max(...paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0))

/** Whether the process that writes these files may still be at it. */
export const isInUse = (paths: ReadonlyArray<string>, host: string, pid: number, now: number): boolean => {
  if (host !== thisHost()) return now - lastWritten(paths) < DAY_MILLIS
  // In a container each run may have the same number.
  return pid === process.pid ? lastWritten(paths) >= performance.timeOrigin : isAlive(pid)
}

/** Removes an unfinished backup, also where some of its files have their names: its log does not. */
export const discardUnfinished = (unfinished: BackupPaths, target: BackupPaths): void => {
  // The first to get its name: so none has it, if this one does not.
  const [first] = BACKUP_FILES
  if (existsSync(unfinished.log) && !existsSync(target.log) && !existsSync(unfinished[first])) {
    for (const name of BACKUP_FILES) if (!existsSync(unfinished[name])) rmSync(target[name], { force: true })
  }
  removeFiles(unfinished)
}

/**
 * Removes what killed backups have left in a folder: of this machine, if their process is gone; of others, if
 * nothing was written for a day. `now` is in milliseconds. Returns how many backups that were.
 */
export const removeUnfinished = (folder: string, now: number): number => {
  const found = new Map<string, Unfinished>()
  for (const file of readdirSync(folder)) {
    const unfinished = readUnfinished(file, "backup")
    if (unfinished !== undefined) found.set(unfinished.beginning, unfinished)
  }
  let removed = 0
  for (const { beginning, target, host, pid } of found.values()) {
    const unfinished = pathsOf(join(folder, beginning))
    if (isInUse(Object.values(unfinished), host, pid, now)) continue
    discardUnfinished(unfinished, pathsOf(join(folder, target)))
    removed++
  }
  return removed
}
