/** `cairn secret rotate` */
import { SecretRotation } from "@cairn/core/management"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { layerSecretRotation } from "../layers/Commands.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { configuration, json, print } from "./Shared.ts"

const rotate = Command.make(
  "rotate",
  { json },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const keys = yield* secretKeysFor(settings)
    const done = yield* Effect.flatMap(SecretRotation, (rotation) => rotation.rotate).pipe(
      Effect.provide(layerSecretRotation(settings, keys))
    )
    const text = `${done.resealed} secrets sealed again with the newest key, ${done.current} were sealed with it already`
    yield* print(flags.json, done, text)
  })
).pipe(
  Command.withExamples([{ command: "CAIRN_SECRET_KEY=NEW,OLD cairn secret rotate" }]),
  Command.withDescription(
    "Encrypt every stored secret with the newest key of CAIRN_SECRET_KEY (NEW,OLD); afterwards the old key can be removed"
  )
)

/** `cairn secret` */
export const secretCommand = Command.make("secret").pipe(
  Command.withExamples([{ command: "CAIRN_SECRET_KEY=NEW,OLD cairn secret rotate" }]),
  Command.withDescription("The key that encrypts secrets at rest"),
  Command.withSubcommands([rotate])
)
