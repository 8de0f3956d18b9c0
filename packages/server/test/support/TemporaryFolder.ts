/** A folder for the files of one test file. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "@effect/vitest"

/** Makes a folder that is removed after the tests of the file that asks for it. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-hold-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}
