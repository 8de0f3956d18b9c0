/** `cairn checkpoint-key` */
import { CheckpointSigner, type PublicCheckpointKey } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { layerCheckpointKeys } from "../layers/Commands.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { configuration, json, print } from "./Shared.ts"

const shown = ({ number, verifierKey, createdAt }: PublicCheckpointKey) => ({
  number,
  key: verifierKey,
  created_at: Micros.format(createdAt)
})

const withSigner = Effect.fnUntraced(function* <A, E>(
  use: (signer: CheckpointSigner["Service"]) => Effect.Effect<A, E>
) {
  const settings = yield* configuration
  const secretKeys = yield* secretKeysFor(settings)
  return yield* Effect.flatMap(CheckpointSigner, use).pipe(
    Effect.provide(layerCheckpointKeys(settings, secretKeys))
  )
})

const show = Command.make(
  "show",
  { json },
  Effect.fn(function* (flags) {
    const keys = (yield* withSigner(({ list }) => list)).map(shown)
    const text = keys.map(({ key }, index) => `${key}${index === 0 ? "" : "   (earlier)"}`).join("\n")
    yield* print(flags.json, keys, text)
  })
).pipe(
  Command.withExamples([{ command: "cairn checkpoint-key show" }]),
  Command.withDescription(
    "Print the lines that auditors trust (cairn-verify --trusted-key), newest first; the first use makes the key"
  )
)

const rotate = Command.make(
  "rotate",
  { json },
  Effect.fn(function* (flags) {
    const key = shown(yield* withSigner((signer) => signer.rotate))
    yield* print(flags.json, key, key.key)
  })
).pipe(
  Command.withExamples([{ command: "cairn checkpoint-key rotate" }]),
  Command.withDescription(
    "Make a new key. From now on it signs beside the previous one, so that auditors who trust that one can follow"
  )
)

/** `cairn checkpoint-key show|rotate` */
export const checkpointKeyCommand = Command.make("checkpoint-key").pipe(
  Command.withExamples([{ command: "cairn checkpoint-key show" }]),
  Command.withDescription("The Ed25519 keys that sign checkpoints"),
  Command.withSubcommands([show, rotate])
)
