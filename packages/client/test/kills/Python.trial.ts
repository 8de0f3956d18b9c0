/**
 * The kill trial of the spool with applications in Python and in TypeScript that share the folder: each takes
 * over what the other has left.
 */
import { fileURLToPath } from "node:url"
import { bundleProgram } from "@cairn/testing/BundledProgram"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { beforeAll, describe, it } from "@effect/vitest"
import { killLeftovers } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { hasPython, startPython } from "../python/PythonHere.ts"
import { spoolKills } from "./SpoolKills.ts"

const SOURCE = fileURLToPath(new URL("SpoolingApplication.ts", import.meta.url))

describe.skipIf(!hasPython())(
  "applications in Python and TypeScript (skipped: no python3 from 3.9 on)",
  () => {
    const folder = temporaryFolder()
    killLeftovers()
    let program = ""

    beforeAll(async () => {
      program = await bundleProgram(SOURCE, folder)
    })

    it("share a spool and have each promised event in the log once", { timeout: 3_600_000 }, () =>
      seededTrial(import.meta.url, (seed) => {
        const python = (argument: string) => startPython("tests.spooling_application", [argument])
        return spoolKills(seed, { programs: [python, python, program], folder, each: 4, kills: 80 })
      })
    )
  }
)
