/** What a destination of log streams is: its configuration, and how it is opened. */

import { decodeStrictly, InvalidInput } from "@cairn/core/event"
import type { BatchLimits, LogStreamSinkShape, OutboundRefused } from "@cairn/core/outbound"
import { type Effect, Result, type Schema, type Scope } from "effect"
import type { OutboundGuardShape } from "../outbound/OutboundGuard.ts"
import { type OutboundPlace, placeOfUrl } from "../outbound/OutboundReach.ts"
import type { FileAppender } from "./file/FileAppender.ts"

/** What a destination is checked against before anything is sent. */
interface SinkPolicy {
  readonly guard: OutboundGuardShape
  /** The folder that `file` destinations write below; null allows none. */
  readonly folder: string | null
}

/** What a destination is opened with. */
export interface SinkEnvironment extends SinkPolicy {
  readonly workspaceId: string
  /** Whether the stream's format is JSON. */
  readonly json: boolean
  /** The media type of one record's text. */
  readonly mediaType: string
  /** Writes what `file` destinations are sent. */
  readonly files: FileAppender
  /** Milliseconds that one request to the destination may take. */
  readonly timeout: number
}

/** How a destination is described in its file. */
interface SinkDescription<C extends { readonly type: string }> {
  readonly type: C["type"]
  /** Its `type` is a literal. */
  readonly config: Schema.Codec<C, unknown>
  /** The members of the configuration that are secret. */
  readonly secrets: ReadonlyArray<Exclude<keyof C, "type"> & string>
  /** The batches that suit it, unless the stream says otherwise. */
  readonly batch: BatchLimits
  /** Rejects configurations that are sure to fail, such as a forbidden address. */
  readonly check?: (config: C, policy: SinkPolicy) => Result.Result<void, InvalidInput>
  /** Where its connections lead; left out by one that makes none. */
  readonly place?: (config: C) => OutboundPlace | undefined
  readonly open: (
    config: C,
    environment: SinkEnvironment
  ) => Effect.Effect<LogStreamSinkShape, never, Scope.Scope>
}

/** A destination that a stream's owner configured. */
export interface Destination {
  readonly type: string
  /** With its defaults filled in, secrets and all. */
  readonly config: Readonly<Record<string, unknown>>
  /** The members of `config` that are secret: to be encrypted where it is stored, and shown to nobody. */
  readonly secrets: ReadonlyArray<string>
  readonly batch: BatchLimits
  readonly check: (policy: SinkPolicy) => Result.Result<void, InvalidInput>
  /** Where its connections lead; undefined if it makes none. */
  readonly place: OutboundPlace | undefined
  readonly open: (environment: SinkEnvironment) => Effect.Effect<LogStreamSinkShape, never, Scope.Scope>
}

/** A kind of destination. */
export interface SinkKind {
  readonly type: string
  /** Checks a configuration; all that is wrong is named by its path, such as `destination.url`. */
  readonly decode: (config: unknown, place: ConfigPlace) => Result.Result<Destination, InvalidInput>
}

/**
 * Where a configuration stands: in a row, in the body that makes a stream, or in one that changes it.
 * Members that are not known are refused in a body. `null` counts as left out, except in a change, where it
 * is refused for what every destination of its type has.
 */
export type ConfigPlace = "row" | "new" | "change"

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Makes a kind from its description. */
export const sinkKind = <C extends { readonly type: string }>(description: SinkDescription<C>): SinkKind => {
  const decode = decodeStrictly(description.config)
  const { type, secrets, batch, check, place: placeOf, open } = description
  return {
    type,
    decode: (given, place) => {
      const present =
        isObject(given) && place !== "change"
          ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
          : given
      const decoded = decode(present, { sent: place === "row" ? {} : given, at: ["destination"] })
      if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
      const config = decoded.success
      return Result.succeed({
        type,
        config: { ...config },
        secrets,
        batch,
        check: (policy) => check?.(config, policy) ?? Result.void,
        place: placeOf?.(config),
        open: (environment) => open(config, environment)
      })
    }
  }
}

/** Why a URL is forbidden, as an error of the member of the configuration that contains it. */
export const checkUrlAt = (
  member: string,
  url: string,
  { guard }: SinkPolicy
): Result.Result<void, InvalidInput> =>
  Result.mapBoth(guard.checkUrl(url), { onSuccess: () => undefined, onFailure: refusedAt(member) })

/** Why an address is forbidden, as an error of the member of the configuration that contains it. */
export const refusedAt =
  (member: string) =>
  ({ message }: OutboundRefused): InvalidInput =>
    new InvalidInput({ path: `destination.${member}`, reason: message })

/** The place of a URL that a configuration contains. */
export const placeAt = (url: string): OutboundPlace | undefined =>
  URL.canParse(url) ? placeOfUrl(new URL(url)) : undefined
