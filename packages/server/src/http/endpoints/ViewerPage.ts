/** The page at `/viewer` and what it loads, read once from where it was built. */
import { existsSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { fileURLToPath } from "node:url"
import type { StorageUnavailable } from "@cairn/core/log"
import { parseToken, payloadText } from "@cairn/core/workspace"
import type { ViewerFile } from "@cairn/viewer"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { WorkspaceDirectory } from "../gate/WorkspaceDirectory.ts"
import type { Answer } from "../plumbing/Answer.ts"
import type { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { Query } from "../plumbing/QueryParameters.ts"

/** Longest token that is looked at, in characters. */
const LONGEST_TOKEN = 8_192

/** Beside the bundle, which brings the page along; elsewhere it is where its package built it. */
const bundled = fileURLToPath(new URL("./viewer/", import.meta.url))

/** A workspace's id. */
const WORKSPACE = /^wsp_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const decodeSubject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ sub: Schema.String })))

/** The workspace that a token names, which it need not have been signed by; undefined if it names none. */
export const subjectOf = (token: string): string | undefined => {
  const parsed = parseToken(token)
  const claims = parsed === undefined ? Option.none() : decodeSubject(payloadText(parsed))
  return Option.isSome(claims) && WORKSPACE.test(claims.value.sub) ? claims.value.sub : undefined
}

/**
 * The workspace that a page's address speaks of: that of its token or, where the page has taken that out of
 * the address, the one that it left there in its place, for reloads. The token is not checked: a reader must
 * learn within the frame that a token has expired, and who may embed a page is no secret.
 */
export const workspaceOf = (query: string): string | null => {
  try {
    const parameters = new Query(query)
    const token = parameters.text("token", LONGEST_TOKEN)
    const workspace = token === undefined ? parameters.text("workspace", LONGEST_TOKEN) : subjectOf(token)
    return workspace !== undefined && WORKSPACE.test(workspace) ? workspace : null
  } catch {
    return null
  }
}

/**
 * Whether a browser says that it asks for a page to show it in a frame of a page of the service itself. No
 * script can set these headers, and every other page between the two is still checked by `frame-ancestors`.
 */
export const isOwnFrame = (headers: IncomingHttpHeaders): boolean =>
  headers["sec-fetch-dest"] === "iframe" && headers["sec-fetch-site"] === "same-origin"

/** The page's files. */
export class ViewerPage extends Context.Service<
  ViewerPage,
  {
    /**
     * The response at a path, `503` while it is not known who may embed it; `undefined` if there is no such
     * file. With `ownFrame` pages of the service may embed it too.
     */
    readonly find: (
      path: string,
      query: string,
      ownFrame: boolean
    ) => Effect.Effect<Answer, ApiError> | undefined
    /** Who may embed the page of a workspace, and read its answers; null for the service's own say. */
    readonly ancestorsOf: (
      workspaceId: string | null
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  }
>()("@cairn/server/ViewerPage") {
  /**
   * `frameAncestors` may embed the page of a workspace that does not say who may. Without the built page
   * there is nothing at `/viewer`, which the log says. `folder` is where the page lies if not where it was
   * built.
   */
  static readonly layer = (frameAncestors: ReadonlyArray<string>, folder?: string) =>
    Layer.effect(
      ViewerPage,
      Effect.gen(function* () {
        const directory = yield* WorkspaceDirectory
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
        const ancestorsOf = (workspaceId: string | null) =>
          workspaceId === null
            ? Effect.succeed(frameAncestors)
            : Effect.map(
                directory.find(workspaceId),
                (profile) => profile?.workspace.viewer_frame_ancestors ?? frameAncestors
              )
        const answer = (file: ViewerFile, ancestors: ReadonlyArray<string>): Answer => {
          const { "content-type": contentType = file.contentType, ...headers } = viewerHeaders(
            file,
            ancestors
          )
          const { path, bytes: body, encoded, immutable } = file
          // Its name changes with what is in it.
          const etag = immutable ? { etag: `"${path.slice(path.lastIndexOf("/") + 1)}"` } : {}
          const all = { ...headers, ...etag }
          return { status: 200, body, contentType, headers: all, compressible: true, encoded }
        }
        const byPath = new Map(files.map((file) => [file.path, file]))
        return ViewerPage.of({
          ancestorsOf,
          find: (path, query, ownFrame) => {
            const file = byPath.get(path)
            if (file === undefined) return undefined
            // What is no page stands in no frame.
            if (file.immutable) return Effect.succeed(answer(file, []))
            return ancestorsOf(workspaceOf(query)).pipe(
              Effect.map((ancestors) => answer(file, ownFrame ? [...ancestors, "'self'"] : ancestors)),
              asApiError
            )
          }
        })
      })
    )
}
