/**
 * The service's keys for checkpoints: made when first needed, and rotated without invalidating earlier
 * checkpoints.
 */
import { Context, Effect, Layer, Result } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { decodeBase64, encodeBase64 } from "../encoding/StrictBase64.ts"
import type { Ed25519SignerShape } from "../hashing/Ed25519.ts"
import { Randomness, toHex } from "../hashing/Randomness.ts"
import { SecretBox, type SecretUnreadable } from "../hashing/SecretBox.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { formatVerifierKey, makeVerifierKey } from "../note/VerifierKey.ts"
import { type CheckpointKey, Checkpoints, checkpointKeyOwner } from "./Checkpoints.ts"

/** Bytes of an Ed25519 seed, RFC 8032 section 5.1.5. */
const SEED_BYTES = 32

/**
 * How many keys sign each checkpoint. After a rotation the previous key signs too, so that auditors who trust
 * it can move to the new one.
 */
const SIGNING_KEYS = 2

/** Makes signers from seeds of 32 bytes, with the platform's Ed25519. */
export class Ed25519Signers extends Context.Service<
  Ed25519Signers,
  { readonly fromSeed: (seed: Uint8Array) => Ed25519SignerShape }
>()("@cairn/core/Ed25519Signers") {}

/** A key that is ready to sign. */
export interface CheckpointSigningKey {
  readonly number: number
  readonly name: string
  readonly signer: Ed25519SignerShape
}

/** A key as it is shown to auditors. */
export interface PublicCheckpointKey {
  readonly number: number
  /** The line that an auditor trusts, see `VerifierKey`. */
  readonly verifierKey: string
  readonly createdAt: Micros.Micros
}

/** The use case of this module. */
interface CheckpointSignerShape {
  /** The keys that sign now, newest first. Makes the first key if there is none. */
  readonly current: Effect.Effect<ReadonlyArray<CheckpointSigningKey>, SecretUnreadable | StorageUnavailable>
  /** Every key, including retired ones, newest first. Makes the first key if there is none. */
  readonly list: Effect.Effect<ReadonlyArray<PublicCheckpointKey>, StorageUnavailable>
  /** Makes a new key, which signs from now on, at first together with the previous key. */
  readonly rotate: Effect.Effect<PublicCheckpointKey, StorageUnavailable>
}

/** The keys, kept in their store. */
export class CheckpointSigner extends Context.Service<CheckpointSigner, CheckpointSignerShape>()(
  "@cairn/core/CheckpointSigner"
) {
  static readonly layer = Layer.effect(
    CheckpointSigner,
    Effect.gen(function* () {
      const store = yield* Checkpoints
      const box = yield* SecretBox
      const random = yield* Randomness
      const sha256 = yield* Sha256
      const signers = yield* Ed25519Signers

      /** Adds a key with a number, unless another process has added it. */
      const make = Effect.fnUntraced(function* (number: number, name: string) {
        const seed = random.bytes(SEED_BYTES)
        yield* store.addKey({
          number,
          name,
          publicKey: encodeBase64(signers.fromSeed(seed).publicKey),
          sealedSeed: box.seal(encodeBase64(seed), checkpointKeyOwner(number)),
          createdAt: yield* Micros.now
        })
      })

      const keys = Effect.gen(function* () {
        const found = yield* store.keys
        if (found.length > 0) return found
        // Its number must not be that of a key that was lost.
        const lost = yield* store.lastSigningKey
        if (lost > 0) {
          yield* Effect.logError(
            "The keys that signed the checkpoints are not in the database any more: a new one is made, which auditors who trust the former keys cannot verify. Restore the database from a backup that has them"
          ).pipe(Effect.annotateLogs({ lastSigningKey: lost }))
        }
        yield* make(lost + 1, `cairn/${toHex(random.bytes(8))}`)
        return yield* store.keys
      })

      const opened = new Map<number, CheckpointSigningKey>()
      const open = ({ number, name, sealedSeed }: CheckpointKey) => {
        const known = opened.get(number)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.map(Effect.fromResult(box.open(sealedSeed, checkpointKeyOwner(number))), (text) => {
          const key = { number, name, signer: signers.fromSeed(decodeBase64(text) ?? new Uint8Array()) }
          opened.set(number, key)
          return key
        })
      }

      const shown = ({ number, name, publicKey, createdAt }: CheckpointKey): PublicCheckpointKey => {
        const key = makeVerifierKey(sha256, name, decodeBase64(publicKey) ?? new Uint8Array())
        return { number, verifierKey: formatVerifierKey(Result.getOrThrow(key)), createdAt }
      }

      const rotate = Effect.gen(function* () {
        const [newest] = yield* keys
        if (newest === undefined) return yield* Effect.die(new Error("a key that was added is not there"))
        yield* make(newest.number + 1, newest.name)
        const [made] = yield* store.keys
        return shown(made ?? newest)
      })

      return CheckpointSigner.of({
        current: Effect.flatMap(keys, (all) => Effect.forEach(all.slice(0, SIGNING_KEYS), open)),
        list: Effect.map(keys, (all) => all.map(shown)),
        rotate
      })
    })
  )
}
