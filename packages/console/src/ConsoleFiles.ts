/** The built page, as files for a server to serve. */
import { readPageFiles } from "@cairn/viewer"
import { Effect, Path } from "effect"

/** Where the build leaves the page. */
export const builtConsole: URL = new URL("../dist/page/", import.meta.url)

/**
 * All files of the console. What it loads is at `/console/…`; the page itself, whose path is `/console`, is
 * for the server to show wherever the console is. `folder` is where it was built, {@link builtConsole} unless
 * given. Fails with a `PlatformError` if it was not built.
 */
export const readConsoleFiles = Effect.fn("Console.readConsoleFiles")(function* (folder?: string) {
  const path = yield* Path.Path
  return yield* readPageFiles(folder ?? (yield* path.fromFileUrl(builtConsole)), "/console")
})
