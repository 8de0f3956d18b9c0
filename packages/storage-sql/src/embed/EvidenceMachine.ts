/** What an embedded log needs from Node for its evidence. */
import { AuditLogError, type EvidenceMachine, InvalidArgument } from "@cairn/core/audit-log"
import { Result } from "effect"
import { ed25519Signers } from "../secret/NodeEd25519.ts"
import { decodeSecretKeys, makeSecretBox } from "../secret/NodeSecretBox.ts"
import { writeEvidence } from "./EvidenceFile.ts"

/**
 * Reads the option `secretKey`: one key, or several separated by commas, newest first. Throws
 * `InvalidArgument`.
 */
const readSecretKeys = (given: unknown): ReadonlyArray<Uint8Array> => {
  if (given === undefined) return []
  const keys = typeof given === "string" ? decodeSecretKeys(given) : undefined
  if (keys === undefined || Result.isFailure(keys)) {
    throw new InvalidArgument("secretKey", "must be the base64 of 32 bytes (openssl rand -base64 32)")
  }
  return keys.success
}

/**
 * The machine with the key of an option, or with the key that `findKey` finds if there is none. `sealed` is
 * whether a new key would be useless.
 */
export const evidenceMachine = (
  secretKey: unknown,
  findKey: (sealed: boolean) => string | undefined
): EvidenceMachine => {
  const given = readSecretKeys(secretKey)
  return {
    signers: ed25519Signers,
    write: writeEvidence,
    openBox: (sealed) => {
      const [newest, ...older] = given.length > 0 ? given : readSecretKeys(findKey(sealed))
      if (newest !== undefined) return makeSecretBox(newest, ...older)
      throw new AuditLogError(
        "secret_key_needed",
        "evidence is signed: open the log with a `secretKey`, the base64 of 32 bytes (openssl rand -base64 32), the same in every process and for good"
      )
    }
  }
}
