import { assert } from "@effect/vitest"
import { Schema } from "effect"

const decode = Schema.decodeUnknownSync(
  Schema.Struct({ store: Schema.Struct({ sound: Schema.Boolean, damages: Schema.Array(Schema.Unknown) }) })
)

/** What `cairn verify --json` says of the chain, once it has found the database itself sound. */
export const chainOfSoundStore = (verification: unknown): object => {
  const { sound, damages } = decode(verification).store
  assert.deepStrictEqual({ sound, damages }, { sound: true, damages: [] })
  const { store: _, ...chain } = verification as Record<string, unknown>
  return chain
}
