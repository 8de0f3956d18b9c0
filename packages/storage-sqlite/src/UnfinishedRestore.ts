/**
 * Puts the files of a restored database in their place, and finishes that after a kill.
 *
 * The plan is written to a file beside the database before the first file is moved, and removed after the
 * last. While it is there, nobody opens the database; carrying out the rest of the plan is all that is left.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { BACKUP_FILES, pathsOf, SUFFIXES } from "./UnfinishedBackups.ts"

/** A restore of the database was interrupted: its files are from two databases. */
export class RestoreUnfinished extends Schema.TaggedError<RestoreUnfinished>()("RestoreUnfinished", {
  filename: Schema.String
}) {
  override get message(): string {
    return `a restore of ${this.filename} was interrupted: run cairn restore again, which finishes it`
  }
}

/** What is moved where. Names of folders beside the database. */
const RestorePlan = Schema.Struct({
  /** The backup, as its user named it. */
  backup: Schema.String,
  /** Has the restored files. */
  from: Schema.String,
  /** Gets the files that were there; null if there were none. */
  aside: Schema.NullOr(Schema.String)
})
export type RestorePlan = typeof RestorePlan.Type

const PlanText = Schema.fromJsonString(RestorePlan)
const decodePlan = Schema.decodeUnknownOption(PlanText)
const encodePlan = Schema.encodeSync(PlanText)

/** The plan of a restore of that database. */
const planFile = (filename: string): string => `${filename}.restore`

/** Whether a restore was begun and not finished. */
export const isHalfRestored = (filename: string): boolean => existsSync(planFile(filename))

/** Fails if a restore was begun and not finished. */
export const refuseHalfRestored = (filename: string): Effect.Effect<void, RestoreUnfinished> =>
  Effect.suspend(() =>
    isHalfRestored(filename) ? Effect.fail(new RestoreUnfinished({ filename })) : Effect.void
  )

/** Makes what was written to a file, or the names in a folder, durable. */
export const sync = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The plan of an interrupted restore; none if there is no such restore. Throws if it cannot be read. */
const readPlan = (filename: string): RestorePlan | undefined => {
  if (!isHalfRestored(filename)) return undefined
  const plan = decodePlan(readFileSync(planFile(filename), "utf8"))
  if (Option.isNone(plan)) throw new Error(`${planFile(filename)} is not the plan of a restore`)
  return plan.value
}

/** Decides a restore: from now on it is finished and not undone. */
export const writePlan = (filename: string, plan: RestorePlan): void => {
  const draft = `${planFile(filename)}-draft`
  writeFileSync(draft, encodePlan(plan), { mode: 0o600 })
  sync(draft)
  renameSync(draft, planFile(filename))
  sync(dirname(filename))
}

/**
 * Carries out what is left of a restore, and returns its plan; `undefined` if there is none. It can be killed
 * at any time and run again.
 */
export const finishRestore = (filename: string): RestorePlan | undefined => {
  const plan = readPlan(filename)
  if (plan === undefined) return undefined
  const folder = dirname(filename)
  const target = pathsOf(filename)
  const from = pathsOf(join(folder, plan.from, basename(filename)))
  const aside = plan.aside === null ? undefined : pathsOf(join(folder, plan.aside, basename(filename)))
  if (plan.aside !== null) mkdirSync(join(folder, plan.aside), { recursive: true, mode: 0o700 })
  for (const name of BACKUP_FILES) {
    // What has been put in place is no longer where it came from.
    if (!existsSync(from[name])) continue
    for (const suffix of SUFFIXES) {
      if (aside !== undefined && existsSync(`${target[name]}${suffix}`))
        renameSync(`${target[name]}${suffix}`, `${aside[name]}${suffix}`)
    }
    renameSync(from[name], target[name])
  }
  sync(folder)
  rmSync(join(folder, plan.from), { recursive: true, force: true })
  rmSync(planFile(filename), { force: true })
  sync(folder)
  return plan
}
