/** The page at `/viewer`, what it loads, and the element that products embed it with; read once. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { fileURLToPath } from "node:url"
import type { StorageUnavailable } from "@cairn/core/log"
import { isOriginOf, parseToken, payloadText } from "@cairn/core/workspace"
import type { ViewerFile } from "@cairn/viewer"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ownOrigins } from "../gate/SameOrigin.ts"
import { WorkspaceDirectory } from "../gate/WorkspaceDirectory.ts"
import type { Answer } from "../plumbing/Answer.ts"
import type { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { Query } from "../plumbing/QueryParameters.ts"

/** Longest token that is looked at, in characters. */
const LONGEST_TOKEN = 8_192
/** Longest origin that is looked at, in characters. */
const LONGEST_ORIGIN = 300

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

/** What browsers call a request for a page that stands in another one. */
const FRAMES: ReadonlySet<unknown> = new Set(["iframe", "frame", "embed", "object"])

const originIn = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).origin : undefined

/**
 * The origin of the page that embeds the viewer: what that page says in the address, or else what the browser
 * says of a request for a frame. Undefined if it is not known, or the service's own. It decides on nothing
 * but which of two pages is sent: `frame-ancestors` stays as it is on the one with a log.
 */
export const embedderOf = (
  query: string,
  { "sec-fetch-dest": dest, referer = "", host }: IncomingHttpHeaders,
  baseUrl: string
): string | undefined => {
  let said: string | undefined
  try {
    said = new Query(query).text("origin", LONGEST_ORIGIN)
  } catch {
    said = undefined
  }
  const origin = said ?? (FRAMES.has(dest) ? originIn(referer) : undefined)
  return origin === undefined || ownOrigins(baseUrl, host).includes(origin) ? undefined : origin
}

/** What a request says of the page around the viewer. */
interface Around {
  /** Whether it is a page of the service, see {@link isOwnFrame}. */
  readonly ownFrame: boolean
  /** Its origin, see {@link embedderOf}. */
  readonly embedder: string | undefined
}

/** Whether no browser would show the page in a frame there. What is no origin of the web is left to them. */
const isRefused = (embedder: string, ancestors: ReadonlyArray<string>): boolean =>
  /^https?:/.test(embedder) && !SCHEMES.some((scheme) => isOriginOf(embedder, ancestors, scheme))

/** The schemes that the service may be reached by. A proxy may have taken `https` off. */
const SCHEMES = ["http", "https"] as const

const digestOf = ({ bytes }: ViewerFile): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 16)

const answerOf = (
  { contentType: type, bytes: body, encoded }: ViewerFile,
  { "content-type": contentType = type, ...headers }: Readonly<Record<string, string>>,
  tag?: string
): Answer => ({
  status: 200,
  body,
  contentType,
  headers: tag === undefined ? headers : { ...headers, etag: `"${tag}"` },
  compressible: true,
  encoded
})

/** The page's files. */
export class ViewerPage extends Context.Service<
  ViewerPage,
  {
    /**
     * The response at a path, `503` while it is not known who may embed it; `undefined` if there is no such
     * file. In a frame of the service's own, pages of the service may embed it too; in one of a product that
     * may not embed it, it is a page without a log that says so, which is `403`.
     */
    readonly find: (
      path: string,
      query: string,
      around: Around
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
        const { readViewerFiles, viewerHeaders, refusalHeaders, elementHeaders, REFUSAL_PATH, ELEMENT_PATH } =
          yield* Effect.promise(() => import("@cairn/viewer"))
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
        // The name of what the page loads changes with what is in it.
        const loaded = new Map(
          files
            .filter(({ immutable }) => immutable)
            .map((file) => {
              const name = file.path.slice(file.path.lastIndexOf("/") + 1)
              // What is no page stands in no frame.
              return [file.path, answerOf(file, viewerHeaders(file, []), name)]
            })
        )
        const named = (path: string) => files.find((file) => file.path === path)
        const element = named(ELEMENT_PATH)
        if (element !== undefined)
          loaded.set(ELEMENT_PATH, answerOf(element, elementHeaders(element), digestOf(element)))
        const refusal = named(REFUSAL_PATH)
        const refused = refusal && { ...answerOf(refusal, refusalHeaders(refusal)), status: 403 }
        const page = named("/viewer")
        return ViewerPage.of({
          ancestorsOf,
          find: (path, query, { ownFrame, embedder }) => {
            const file = loaded.get(path)
            if (file !== undefined) return Effect.succeed(file)
            if (path !== "/viewer" || page === undefined) return undefined
            return ancestorsOf(workspaceOf(query)).pipe(
              Effect.map((ancestors) => {
                if (ownFrame) return answerOf(page, viewerHeaders(page, [...ancestors, "'self'"]))
                const mayNot = embedder !== undefined && isRefused(embedder, ancestors)
                return mayNot && refused ? refused : answerOf(page, viewerHeaders(page, ancestors))
              }),
              asApiError
            )
          }
        })
      })
    )
}
