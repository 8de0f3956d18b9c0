/** The built page, as files for a server to serve. */
import { Effect, FileSystem, Path } from "effect"

/** One file of a page. */
export interface ViewerFile {
  /** Where it is served, below the service's base address: that of its page, or below it. */
  readonly path: string
  readonly contentType: string
  readonly bytes: Uint8Array
  /** The same as the build compressed it, by content coding. */
  readonly encoded: { readonly br?: Uint8Array; readonly gzip?: Uint8Array }
  /** Whether its name changes with what is in it, so that it may be kept for ever. */
  readonly immutable: boolean
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8"
}

/** Where products load the element from: the name stays, whatever is in it. */
export const ELEMENT_PATH = "/viewer/element.js"

/** Where the page is that is shown in place of the viewer where it may not be embedded. */
export const REFUSAL_PATH = "/viewer/refused.html"

/** Where the build leaves the page. */
export const builtPage: URL = new URL("../dist/page/", import.meta.url)

/**
 * All files of a page that was built into a folder, to be served at `address`, such as `/viewer`, and below.
 * Fails with a `PlatformError` if it was not built.
 */
export const readPageFiles = Effect.fn("Viewer.readPageFiles")(function* (root: string, address: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* fs.readDirectory(root, { recursive: true })
  const files: Array<ViewerFile> = []
  const encodings = (name: string) =>
    Effect.all({
      ...(names.includes(`${name}.br`) ? { br: fs.readFile(path.join(root, `${name}.br`)) } : {}),
      ...(names.includes(`${name}.gz`) ? { gzip: fs.readFile(path.join(root, `${name}.gz`)) } : {})
    })
  for (const name of names.toSorted()) {
    const contentType = CONTENT_TYPES[path.extname(name)]
    if (contentType === undefined) continue
    files.push({
      path: name === "index.html" ? address : `${address}/${name.split(path.sep).join("/")}`,
      contentType,
      bytes: yield* fs.readFile(path.join(root, name)),
      encoded: yield* encodings(name),
      immutable: path.dirname(name) === "assets"
    })
  }
  return files
})

/**
 * All files of the page, and the element's, some 80 KB compressed. `folder` is where it was built,
 * {@link builtPage} unless given. Fails with a `PlatformError` if it was not built.
 */
export const readViewerFiles = Effect.fn("Viewer.readViewerFiles")(function* (folder?: string) {
  const path = yield* Path.Path
  return yield* readPageFiles(folder ?? (yield* path.fromFileUrl(builtPage)), "/viewer")
})
