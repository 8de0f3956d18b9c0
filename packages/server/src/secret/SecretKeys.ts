/** The keys that seal secrets at rest: of `CAIRN_SECRET_KEY`, or on SQLite of a file beside the database. */
import type { SecretBox } from "@cairn/core/hashing"
import { decodeSecretKeys, layerSecretBox, secretKeyId } from "@cairn/storage-sql"
import { type Layer, Result } from "effect"

/** The ids of keys, which do not reveal them: the first eight hexadecimal digits of a hash. */
export const secretKeyIds = (keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  keys.length === 0 ? [] : Result.getOrThrow(decodeSecretKeys(keys.join(","))).map(secretKeyId)

/** The box with these keys. */
export const layerSecrets = (keys: ReadonlyArray<string>): Layer.Layer<SecretBox> => {
  const [newest, ...older] = Result.getOrThrow(decodeSecretKeys(keys.join(",")))
  if (newest === undefined) throw new Error("there is no secret key")
  return layerSecretBox(newest, ...older)
}
