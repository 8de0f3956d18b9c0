/** The page at `/viewer` and what it loads, read once from where it was built. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseToken, payloadText } from "@cairn/core"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Answer } from "../http/Answer.ts"
import { Query } from "../http/QueryParameters.ts"

/** Longest token that is looked at, in characters. */
const LONGEST_TOKEN = 8_192

/** Beside the bundle, which brings the page along; elsewhere it is where its package built it. */
const bundled = fileURLToPath(new URL("./viewer/", import.meta.url))

/** Who may embed the page, by workspace; null where no token says which. */
export type FrameAncestors = (workspaceId: string | null) => Effect.Effect<ReadonlyArray<string>>

const decodeSubject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ sub: Schema.String })))

/**
 * The workspace that a page's address speaks of. The token is not checked: an expired one must be told to the reader within the frame, and
 * who may embed a page is no secret.
 */
export const workspaceOf = (query: string): string | null => {
  let token: string | undefined
  try {
    token = new Query(query).text("token", LONGEST_TOKEN)
  } catch {
    return null
  }
  const parsed = token === undefined ? undefined : parseToken(token)
  const claims = parsed === undefined ? Option.none() : decodeSubject(payloadText(parsed))
  return Option.isSome(claims) ? claims.value.sub : null
}

/** The page's files. */
export class ViewerPage extends Context.Service<
  ViewerPage,
  {
    /** The answer at a path; `undefined` where there is no such file. */
    readonly find: (path: string, query: string) => Effect.Effect<Answer> | undefined
  }
>()("@cairn/server/ViewerPage") {
  /** Without the built page there is nothing at `/viewer`, which is said in the log. `folder` is where the page lies if not where it was built. */
  static readonly layer = (frameAncestors: FrameAncestors, folder?: string) =>
    Layer.effect(
      ViewerPage,
      Effect.gen(function* () {
        const { readViewerFiles, viewerHeaders } = yield* Effect.promise(() => import("@cairn/viewer"))
        const files = yield* readViewerFiles(folder ?? (existsSync(bundled) ? bundled : undefined)).pipe(
          Effect.catch((error) =>
            Effect.as(
              Effect.logWarning("The viewer's page is not built; there is nothing at /viewer").pipe(
                Effect.annotateLogs({ cause: String(error) })
              ),
              []
            )
          )
        )
        const byPath = new Map(files.map((file) => [file.path, file]))
        return ViewerPage.of({
          find: (path, query) => {
            const file = byPath.get(path)
            if (file === undefined) return undefined
            return Effect.map(frameAncestors(workspaceOf(query)), (ancestors) => {
              const { "content-type": contentType = file.contentType, ...headers } = viewerHeaders(
                file,
                ancestors
              )
              return { status: 200, body: file.bytes, contentType, headers }
            })
          }
        })
      })
    )
}
