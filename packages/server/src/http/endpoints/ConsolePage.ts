/** The console and what it loads, read once from where it was built. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { ViewerFile } from "@cairn/viewer"
import { Context, Effect, Layer } from "effect"
import type { Answer } from "../plumbing/Answer.ts"

/** Beside the bundle, which brings the console along; elsewhere it is where its package built it. */
const bundled = fileURLToPath(new URL("./console/", import.meta.url))

/** Where the page itself is among its files; it is shown at other paths. */
const PAGE = "/console"

/** The paths that show the console: the first page of the service, and all pages of workspaces. */
const SHOWN = /^\/(?:w(?:\/.{0,1000})?)?$/

/** Where anybody checks an evidence file, without a session. */
export const CHECK_PATH = "/verify"

/** Whether a path is one of the console's. */
export const isConsolePath = (path: string): boolean => SHOWN.test(path)

/** The last part of its path. */
const nameOf = ({ path }: ViewerFile): string => path.slice(path.lastIndexOf("/") + 1)

const digestOf = ({ bytes }: ViewerFile): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 16)

const answerOf = (
  { contentType, bytes: body, encoded }: ViewerFile,
  { "content-type": type = contentType, ...headers }: Readonly<Record<string, string>>,
  tag: string | undefined
): Answer => ({
  status: 200,
  body,
  contentType: type,
  headers: { ...headers, ...(tag === undefined ? {} : { etag: `"${tag}"` }) },
  compressible: true,
  encoded
})

/** The console's files. */
export class ConsolePage extends Context.Service<
  ConsolePage,
  {
    /** The page; undefined where it is not built. */
    readonly page: Answer | undefined
    /** The page at {@link CHECK_PATH}; undefined where it is not built. */
    readonly checkPage: Answer | undefined
    /** What the page loads, by its path; undefined if there is no such file. */
    readonly file: (path: string) => Answer | undefined
  }
>()("@cairn/server/ConsolePage") {
  /**
   * Without the built console people see their account in its place, which the log says. `folder` is where it
   * lies if not where it was built.
   */
  static readonly layer = (folder?: string) =>
    Layer.effect(
      ConsolePage,
      Effect.gen(function* () {
        const { readConsoleFiles, consoleHeaders, checkPageHeaders } = yield* Effect.promise(
          () => import("@cairn/console")
        )
        const files = yield* readConsoleFiles(folder ?? (existsSync(bundled) ? bundled : undefined)).pipe(
          Effect.catch((error) =>
            Effect.as(
              Effect.logWarning("The console is not built; people see their account in its place").pipe(
                Effect.annotateLogs({ cause: String(error) })
              ),
              []
            )
          )
        )
        // The name of what it loads changes with what is in it.
        const byPath = new Map(
          files.map((file) => [
            file.path,
            answerOf(file, consoleHeaders(file), file.immutable ? nameOf(file) : undefined)
          ])
        )
        const page = byPath.get(PAGE)
        byPath.delete(PAGE)
        const shown = files.find(({ path }) => path === PAGE)
        return ConsolePage.of({
          page,
          checkPage: shown && answerOf(shown, checkPageHeaders(shown), `verify-${digestOf(shown)}`),
          file: (path) => byPath.get(path)
        })
      })
    )
}
