/**
 * Where the keys that seal secrets at rest come from: `CAIRN_SECRET_KEY`, or on SQLite a file beside the
 * database.
 */
import { randomBytes } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { SecretBox } from "@cairn/core/hashing"
import { decodeSecretKeys, layerSecretBox, secretKeyId } from "@cairn/delivery"
import { Effect, type Layer, Result } from "effect"
import { InvalidConfiguration } from "../settings/Setting.ts"

/** `data/cairn.db` gives `data/cairn-secret.key`. */
export const secretKeyFile = (database: string): string => `${database.replace(/\.db$/, "")}-secret.key`

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

const unusable = (file: string, value: string, allowed: string) =>
  new InvalidConfiguration({ variable: `the file ${file}`, value, allowed })

/**
 * The key in a file; `undefined` when there is no file. One that is there and holds no key is an error, and
 * never replaced.
 */
export const readKeyFile = (file: string): Effect.Effect<string | undefined, InvalidConfiguration> =>
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
 * Makes the file with a new key. Of several processes that make it at once one succeeds: the file is linked
 * to its name once it is complete.
 */
export const makeKeyFile = (file: string): Effect.Effect<void, InvalidConfiguration> =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(file), { recursive: true })
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

/**
 * The key in a file that was made, or that another made meanwhile: what stands under its name may be a link
 * to nothing.
 */
export const readMadeKeyFile = (file: string): Effect.Effect<string, InvalidConfiguration> =>
  Effect.flatMap(readKeyFile(file), (key) =>
    key === undefined
      ? Effect.fail(unusable(file, "ENOENT", "a file, or a link to one that is there"))
      : Effect.succeed(key)
  )

/** The ids of keys, which do not reveal them: the first eight hexadecimal digits of a hash. */
export const secretKeyIds = (keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  keys.length === 0 ? [] : Result.getOrThrow(decodeSecretKeys(keys.join(","))).map(secretKeyId)

/** The box with these keys. */
export const layerSecrets = (keys: ReadonlyArray<string>): Layer.Layer<SecretBox> => {
  const [newest, ...older] = Result.getOrThrow(decodeSecretKeys(keys.join(",")))
  if (newest === undefined) throw new Error("there is no secret key")
  return layerSecretBox(newest, ...older)
}
