/** The key that encrypts secrets at rest, in a file next to a SQLite database. */
import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { decodeSecretKeys } from "@cairn/storage-sql"
import { Effect, Result, Schema } from "effect"
import { makeFolder } from "./DatabaseFolder.ts"

/** The file cannot be the key: something else has its name, or it cannot be written. */
export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  file: Schema.String,
  /** What is there, or the system's message; never the key. */
  found: Schema.String,
  /** What the file must be. */
  allowed: Schema.String
}) {
  /** One sentence for the operator. */
  override get message(): string {
    return `the file ${this.file} is ${JSON.stringify(this.found)}, but must be ${this.allowed}`
  }
}

/** `data/cairn.db` gives `data/cairn-secret.key`. */
export const secretKeyFile = (database: string): string => `${database.replace(/\.db$/, "")}-secret.key`

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

const unusable = (file: string, found: string, allowed: string) =>
  new KeyFileUnusable({ file, found, allowed })

/**
 * The key in a file; `undefined` if there is no file. A file that exists but holds no key is an error, and is
 * never replaced.
 */
export const readKeyFile = (file: string): Effect.Effect<string | undefined, KeyFileUnusable> =>
  Effect.suspend(() => {
    let text: string
    try {
      text = readFileSync(file, "utf8").trim()
    } catch (error) {
      return codeOf(error) === "ENOENT"
        ? Effect.undefined
        : Effect.fail(unusable(file, codeOf(error), "a file that this user can read"))
    }
    return text !== "" && Result.isSuccess(decodeSecretKeys(text))
      ? Effect.succeed(text)
      : Effect.fail(unusable(file, "(hidden)", "the base64 of 32 bytes"))
  })

/**
 * Creates the file with a new key. If several processes do that at the same time, one succeeds: the file is
 * linked to its name once it is complete.
 */
export const makeKeyFile = (file: string): Effect.Effect<void, KeyFileUnusable> =>
  Effect.try({
    try: () => {
      makeFolder(dirname(file))
      const draft = `${file}.${process.pid}`
      writeFileSync(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "w" })
      try {
        linkSync(draft, file)
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
      } finally {
        unlinkSync(draft)
      }
    },
    catch: (error) => unusable(file, codeOf(error), "in a folder that this user can write to")
  })

/** The key in a file that this or another process has created. The name may be a broken link. */
export const readMadeKeyFile = (file: string): Effect.Effect<string, KeyFileUnusable> =>
  Effect.flatMap(readKeyFile(file), (key) =>
    key === undefined
      ? Effect.fail(unusable(file, "ENOENT", "a file, or a link to one that is there"))
      : Effect.succeed(key)
  )
