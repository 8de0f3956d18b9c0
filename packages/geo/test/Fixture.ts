/**
 * What the tests share: a folder for databases, the log, and waiting for real files under a clock that stands
 * still.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { afterAll } from "vitest"

/** A folder that is removed after the tests of the file. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-geo-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Replaces a file at once, as a careful updater does. */
export const replaceFile = (path: string, data: Uint8Array | string): void => {
  writeFileSync(`${path}.next`, data)
  renameSync(`${path}.next`, path)
}

/** One line of the log. */
export interface Line {
  readonly level: string
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** A log that is kept, of every level. */
export const makeLog = () => {
  const lines: Array<Line> = []
  const logger = Logger.make(({ message, logLevel, fiber }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    lines.push({ level: logLevel, message: String(message), annotations: { ...annotations } })
  })
  const layer = Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All"))
  return {
    layer,
    warnings: () => lines.filter(({ level }) => level === "Warn"),
    debug: () => lines.filter(({ level }) => level === "Debug")
  }
}

/** Lets reading go on until the condition holds; fails after twenty seconds of real time. */
export const eventually = (what: string, condition: () => boolean) =>
  Effect.promise(async () => {
    const start = performance.now()
    while (!condition()) {
      if (performance.now() - start > 20_000) assert.fail(`Waited in vain: ${what}`)
      await setImmediate()
    }
  })
