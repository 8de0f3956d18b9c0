/** The OpenAPI document and its reader, which loads nothing from elsewhere: it works without the internet. */
import { createHash } from "node:crypto"
import { apiAt, openApiDocument } from "@cairn/api"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import type { Answer } from "../plumbing/Answer.ts"
import { jsonTextAnswer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { compressed } from "../plumbing/Compression.ts"

/** The page runs its own script and style alone, and calls only this server. */
const READER_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer"
}

/** The names of the reader's script and style change with what is in them. */
const ASSET_HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  "referrer-policy": "no-referrer"
}

/** Where the reader's script and style are. */
const ASSET = /^\/docs\/[0-9a-f]{16}\.(?:js|css)$/

/** The pages. */
export interface Documentation {
  /** The answer at a path; undefined if the path is none of the documentation's. */
  readonly find: (path: string) => Effect.Effect<Answer, ApiError> | undefined
}

/** A script or style, compressed once. */
const asset = Effect.fnUntraced(function* (text: string, extension: "js" | "css") {
  const name = createHash("sha256").update(text).digest("hex").slice(0, 16)
  const answer: Answer = {
    status: 200,
    body: text,
    contentType: `text/${extension === "js" ? "javascript" : "css"}; charset=utf-8`,
    headers: { ...ASSET_HEADERS, etag: `"${name}"` },
    compressible: true,
    encoded: { br: yield* compressed("br", text), gzip: yield* compressed("gzip", text) }
  }
  return { path: `/docs/${name}.${extension}`, answer }
})

/** The reader's page with its script and its style in files of their own: it is made with both in it. */
const takenApart = Effect.fnUntraced(function* (html: string) {
  const [style, endOfStyle] = [html.indexOf("<style>"), html.indexOf("</style>")]
  const data = html.indexOf('<script id="swagger-spec"')
  const [script, endOfScript] = [html.indexOf("<script>", data), html.lastIndexOf("</script>")]
  const css = yield* asset(html.slice(style + "<style>".length, endOfStyle), "css")
  const js = yield* asset(html.slice(script + "<script>".length, endOfScript), "js")
  const page = [
    html.slice(0, style),
    `<link rel="stylesheet" href="${css.path.slice(1)}">`,
    html.slice(endOfStyle + "</style>".length, script),
    `<script src="${js.path.slice(1)}">`,
    html.slice(endOfScript)
  ].join("")
  const answer: Answer = {
    status: 200,
    body: page,
    contentType: "text/html; charset=utf-8",
    headers: READER_HEADERS,
    compressible: true
  }
  return new Map([
    ["/docs", answer],
    [css.path, css.answer],
    [js.path, js.answer]
  ])
})

/** The reader, as the generator makes it for the document. */
const generated = (server: string) =>
  Effect.gen(function* () {
    const page = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(apiAt(server), { path: "/docs" }))
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
    const response = yield* Effect.provideService(page, HttpServerRequest.HttpServerRequest, request)
    return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  }).pipe(Effect.scoped, Effect.orDie)

/**
 * Makes the pages. `baseUrl` is where clients reach the server; empty for wherever the document comes from.
 *
 * They are made on the first request for them: an idle server would keep the memory that making the document
 * takes, and the reader is two megabytes.
 */
export const makeDocumentation = Effect.fnUntraced(function* (baseUrl: string) {
  const server = baseUrl === "" ? "/" : baseUrl
  const document = yield* Effect.cached(
    Effect.sync(() => ({ ...jsonTextAnswer(JSON.stringify(openApiDocument(server))), compressible: true }))
  )
  const reader = yield* Effect.cached(Effect.uninterruptible(Effect.flatMap(generated(server), takenApart)))
  const documentation: Documentation = {
    find: (path) => {
      if (path === "/openapi.json") return document
      if (path !== "/docs" && !ASSET.test(path)) return undefined
      return Effect.flatMap(reader, (files) => {
        const found = files.get(path)
        return found === undefined
          ? Effect.fail(new ApiError({ code: "not_found", message: "There is nothing at this path" }))
          : Effect.succeed(found)
      })
    }
  }
  return documentation
})
