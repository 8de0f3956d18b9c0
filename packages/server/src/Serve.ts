/** `cairn serve`: the whole server in one process, until it is stopped. */
import { type Effect, Layer } from "effect"
import { layerServer, type Role, type StartedWith } from "./layers/Server.ts"
import type { Configuration } from "./settings/Configuration.ts"

export type { Role, StartedWith } from "./layers/Server.ts"

/** Serves until interrupted; `ready` runs once the server listens, with its base address. */
export const serve = <E, R>(
  configuration: Configuration,
  startedWith: StartedWith,
  role: Role,
  ready: (baseUrl: string) => Effect.Effect<void, E, R>
) => Layer.launch(layerServer(configuration, startedWith, role, ready))
