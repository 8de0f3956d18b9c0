/** The OpenAPI document and its reader, which loads nothing from elsewhere: it works without the internet. */
import { apiAt, openApiDocument } from "@cairn/api"
import { Effect, Scope } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"

/** The page runs its own inline script and style, and calls only this server. */
const READER_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'"
].join("; ")

type Page = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** The pages by their paths. */
export type Documentation = ReadonlyMap<string, Page>

/**
 * The pages by their paths. `baseUrl` is where clients reach the server; empty for wherever the document
 * comes from.
 *
 * Both are made on the first request for them: an idle server would keep the memory that making the document
 * takes, and the reader is two megabytes.
 */
export const makeDocumentation = Effect.fnUntraced(function* (baseUrl: string) {
  const server = baseUrl === "" ? "/" : baseUrl
  const document = yield* Effect.cached(
    Effect.sync(() =>
      HttpServerResponse.text(JSON.stringify(openApiDocument(server)), { contentType: "application/json" })
    )
  )
  const scope = yield* Effect.scope
  const reader = yield* Effect.suspend(() =>
    HttpRouter.toHttpEffect(HttpApiSwagger.layer(apiAt(server), { path: "/docs" }))
  ).pipe(Scope.provide(scope), Effect.cached)
  const pages: Documentation = new Map<string, Page>([
    ["/openapi.json", document],
    [
      "/docs",
      Effect.flatten(reader).pipe(
        Effect.map(HttpServerResponse.setHeader("content-security-policy", READER_POLICY)),
        Effect.orDie
      )
    ]
  ])
  return pages
})
