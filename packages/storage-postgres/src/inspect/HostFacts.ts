/** The servers that a URL names, each asked by itself. */
import { storeErrorText } from "@cairn/core/log"
import { Effect, Result } from "effect"
import { askServers, type PostgresClientConfig } from "../PostgresClient.ts"
import type { ServerState } from "../ServerChoice.ts"

/** A server of the URL. */
export interface HostFacts {
  /** Host and port as the URL has them. */
  readonly name: string
  /** What it says of itself; null if it does not. */
  readonly state: ServerState | null
  /** Why it says nothing; empty if it does. */
  readonly silence: string
}

/** Asks each of them, within two seconds. */
export const hostFacts = (config: PostgresClientConfig) =>
  Effect.map(askServers({ ...config, maxConnections: 1 }), (all) =>
    all.map(
      ({ host: { name }, answer }): HostFacts =>
        Result.match(answer, {
          onSuccess: (state) => ({ name, state, silence: "" }),
          onFailure: (error) => ({
            name,
            state: null,
            silence: storeErrorText(error).split("; ").at(-1) ?? ""
          })
        })
    )
  )
