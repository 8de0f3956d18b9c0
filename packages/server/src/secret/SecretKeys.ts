/**
 * The keys that seal secrets at rest: from `CAIRN_SECRET_KEY`, or on SQLite from a file beside the database, which is made when it is
 * needed. With PostgreSQL the processes must share them, so they must be given.
 */
import { randomBytes } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { SecretBox } from "@cairn/core"
import { decodeSecretKeys, layerSecretBox } from "@cairn/delivery"
import { Effect, type Layer, Result } from "effect"
import { type Configuration, InvalidConfiguration } from "../Configuration.ts"

/** `data/cairn.db` gives `data/cairn-secret.key`. */
export const secretKeyFile = (database: string): string => `${database.replace(/\.db$/, "")}-secret.key`

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/** The key of the file. Of several processes that make it at once one does: it is linked to its name when it is whole. */
const readOrMake = (file: string): string => {
  const known = readIfThere(file)
  if (known !== undefined) return known
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "w" })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  } finally {
    unlinkSync(draft)
  }
  return readFileSync(file, "utf8").trim()
}

/** The keys, newest first, each the base64 of 32 bytes. */
export const secretKeysFor = Effect.fnUntraced(function* ({ secretKeys, database }: Configuration) {
  if (secretKeys.length > 0) return secretKeys
  if (database.kind !== "sqlite") {
    return yield* new InvalidConfiguration({
      variable: "CAIRN_SECRET_KEY",
      value: "",
      allowed:
        "set when the database is PostgreSQL: the base64 of 32 bytes, the same for every process (openssl rand -base64 32)"
    })
  }
  const file = secretKeyFile(database.filename)
  const key = yield* Effect.sync(() => readOrMake(file))
  if (Result.isSuccess(decodeSecretKeys(key))) return [key]
  return yield* new InvalidConfiguration({
    variable: `the file ${file}`,
    value: "(hidden)",
    allowed: "the base64 of 32 bytes"
  })
})

/** The box with these keys. */
export const layerSecrets = (keys: ReadonlyArray<string>): Layer.Layer<SecretBox> => {
  const [newest, ...older] = Result.getOrThrow(decodeSecretKeys(keys.join(",")))
  if (newest === undefined) throw new Error("there is no secret key")
  return layerSecretBox(newest, ...older)
}
