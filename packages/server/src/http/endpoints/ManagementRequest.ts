/**
 * What the management endpoints have in common: who makes the request, its body, and a page of a short list.
 */

import type { MalformedJson, Micros } from "@cairn/core/encoding"
import type { InvalidInput } from "@cairn/core/event"
import { Cursor, type Page } from "@cairn/core/log"
import type { Manager } from "@cairn/core/management"
import type { CollectionItem } from "@cairn/core/workspace"
import { Effect, type Result } from "effect"
import type { AuthorizedRequest } from "../gate/Endpoint.ts"
import { parseJson } from "../plumbing/Body.ts"

/** Who makes the change. */
export const manager = ({ identity, address }: AuthorizedRequest): Manager => ({
  ...identity,
  address: address.text
})

/** The body as JSON. */
export const readBody = ({
  body
}: Pick<AuthorizedRequest, "body">): Effect.Effect<unknown, InvalidInput | MalformedJson> => parseJson(body)

/** A body's value through its schema. */
export const decodeValue = <A>(
  body: unknown,
  decode: (value: unknown) => Result.Result<A, InvalidInput>
): Effect.Effect<A, InvalidInput> => Effect.fromResult(decode(body))

/** The body through its schema. */
export const decodeBody = <A>(
  request: AuthorizedRequest,
  decode: (value: unknown) => Result.Result<A, InvalidInput>
): Effect.Effect<A, InvalidInput | MalformedJson> =>
  Effect.flatMap(readBody(request), (body) => decodeValue(body, decode))

/** A page of a workspace's things, which are few enough to be read completely; newest first. */
export const collectionPage = <A extends Pick<CollectionItem, "created_at">, V>(
  all: ReadonlyArray<A>,
  { before, limit }: { readonly before: Micros.Micros | null; readonly limit: number },
  view: (item: A) => V
): Page<V> => {
  const rest = before === null ? all : all.filter(({ created_at }) => created_at < before)
  const shown = rest.slice(0, limit)
  const last = rest.length > limit ? shown.at(-1) : undefined
  return {
    data: shown.map(view),
    pagination: {
      has_more: last !== undefined,
      next_cursor: last === undefined ? null : Cursor.encode(last.created_at),
      total: all.length
    }
  }
}
