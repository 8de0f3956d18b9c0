/** The error for the operator when a key that sealed something is missing. */
import type { MissingSecretKey } from "@cairn/core/management"
import { Data } from "effect"

/** What is missing, and where it should come from. */
export interface NeededKeys {
  /** The database, as an error may name it. */
  readonly database: string
  readonly missing: ReadonlyArray<MissingSecretKey>
  /** Ids of the keys that are here. */
  readonly here: ReadonlyArray<string>
  /** The file beside the database; null for a database that has none. */
  readonly file: string | null
  /** The id of the key in that file; null when there is no file. */
  readonly inFile: string | null
}

const plural = (count: number, kind: string): string => `${count} ${kind}${count === 1 ? "" : "s"}`

/** A key that is missing, and what it sealed. */
export const sealedWith = ({ keyId, secrets }: MissingSecretKey): string =>
  `${keyId}, which sealed ${Array.from(secrets, ([kind, count]) => plural(count, kind)).join(", ")}`

/** Where to look for the first of them. */
export const keyRemedy = ({ missing, file, inFile, here }: NeededKeys): string => {
  const ids = missing.map(({ keyId }) => keyId)
  if (inFile !== null && ids.includes(inFile)) {
    return `that of ${inFile} is in ${file}: add it after a comma, CAIRN_SECRET_KEY=NEW,OLD`
  }
  const variable =
    here.length === 0 ? "set CAIRN_SECRET_KEY to it" : "add it to CAIRN_SECRET_KEY after a comma (NEW,OLD)"
  return file !== null && inFile === null ? `put the file ${file} back, or ${variable}` : variable
}

/**
 * A key that sealed something in the database is not here: the process would write with another beside it, so
 * it does not start.
 */
export class SecretKeyNeeded extends Data.TaggedError("SecretKeyNeeded")<NeededKeys> {
  override get message(): string {
    const { database, missing, here } = this
    const known =
      here.length === 0 ? "no secret key is here" : `the keys that are here are ${here.join(", ")}`
    return `${database} needs the secret key ${missing.map(sealedWith).join(", and ")}; ${known}. A key is named by the first eight hexadecimal digits of its hash. To fix it: ${keyRemedy(this)}`
  }
}
