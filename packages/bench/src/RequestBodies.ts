/** Files of request bodies, one a line, for a load client; each event with an idempotency key of its own. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KEY_PLACE, keyedBody } from "./OrdinaryEvent.ts"

/** What the events are: made, or real records of AWS CloudTrail, some 1.7 kB each. */
export type Profile = "ordinary" | "cloudtrail"

/** Distinct events of a file; a client that reaches its end begins again with other keys. */
const EVENTS = 100_000

/** The records' file, in a folder that CAIRN_FOREIGN names; undefined where there is none. */
const recordsFile = (): string | undefined => {
  const file = join(process.env.CAIRN_FOREIGN ?? "none", "data/cloudtrail-invictus.jsonl")
  return existsSync(file) ? file : undefined
}

/** Whether events of a profile can be made here. */
export const isAvailable = (profile: Profile): boolean =>
  profile === "ordinary" || recordsFile() !== undefined

const records = (): ReadonlyArray<object> => {
  const lines = readFileSync(recordsFile() ?? "", "utf8").split("\n")
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const record = JSON.parse(line)
      return record.body ?? record
    })
}

const events = (profile: Profile): ReadonlyArray<object> => {
  if (profile === "ordinary") return Array.from({ length: EVENTS }, (_, index) => keyedBody(index))
  return records().map((record, index) => ({ ...record, idempotency_key: `${KEY_PLACE}-${index}` }))
}

const FOLDER = join(tmpdir(), `cairn-bodies-${process.pid}`)

/** Made when first needed, and removed at the end. */
const bodiesFolder = (): string => {
  if (!existsSync(FOLDER)) {
    mkdirSync(FOLDER, { mode: 0o700 })
    process.on("exit", () => rmSync(FOLDER, { recursive: true, force: true }))
  }
  return FOLDER
}

/** The file of a profile, with this many events a request; it is made once. */
export const bodiesFile = (profile: Profile, batch: number): string => {
  const file = join(bodiesFolder(), `${profile}-${batch}.jsonl`)
  if (!existsSync(file)) {
    const all = events(profile)
    const bodies =
      batch === 1
        ? all
        : Array.from({ length: Math.floor(all.length / batch) }, (_, at) => ({
            events: all.slice(at * batch, (at + 1) * batch)
          }))
    writeFileSync(file, bodies.map((body) => `${JSON.stringify(body)}\n`).join(""))
  }
  return file
}
