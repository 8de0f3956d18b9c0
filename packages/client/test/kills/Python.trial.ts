/**
 * The kill trials of the spool and of the outbox with applications in Python and in TypeScript that share the
 * folder or the tables: each takes over what the other has left.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleProgram } from "@cairn/testing/BundledProgram"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { beforeAll, describe, it } from "@effect/vitest"
import { pythonPackages } from "../../../server/test/contract/Tools.ts"
import { killLeftovers } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { hasPython, PYTHON_CLIENT, PYTHON_ENVIRONMENT, startPython } from "../python/PythonHere.ts"
import { type OutboxKillsOptions, outboxKills } from "./OutboxKills.ts"
import { spoolKills } from "./SpoolKills.ts"

const SPOOLING = fileURLToPath(new URL("SpoolingApplication.ts", import.meta.url))
const OUTBOX = fileURLToPath(new URL("OutboxApplication.ts", import.meta.url))

/** The trial over one database; `driver` is the folder of Python's driver of it. */
const sharedOutbox = (kind: OutboxKillsOptions["kind"], folder: string, driver?: string): Promise<void> => {
  const { PYTHONPATH } = PYTHON_ENVIRONMENT
  const variables = driver === undefined ? {} : { PYTHONPATH: `${PYTHONPATH}:${driver}` }
  const program = (argument: string) => startPython("tests.outbox_application", [argument], variables)
  const python = { language: "Python", program }
  const typeScript = { language: "TypeScript", program: OUTBOX }
  return seededTrial(import.meta.url, (seed) =>
    outboxKills(seed, { kind, programs: [python, python, typeScript], folder, each: 3, kills: 64 })
  )
}

describe.skipIf(!hasPython())(
  "applications in Python and TypeScript (skipped: no python3 from 3.9 on)",
  () => {
    const folder = temporaryFolder()
    killLeftovers()
    let program = ""

    beforeAll(async () => {
      program = await bundleProgram(SPOOLING, folder)
    })

    it("share a spool and have each promised event in the log once", { timeout: 3_600_000 }, () =>
      seededTrial(import.meta.url, (seed) => {
        const python = (argument: string) => startPython("tests.spooling_application", [argument])
        return spoolKills(seed, { programs: [python, python, program], folder, each: 4, kills: 80 })
      })
    )

    describe.each(["postgres", "sqlite"] as const)("in %s", (kind) => {
      const title =
        "share an outbox and have each committed event in the log once, with its time, and no other"

      it(title, { timeout: 3_600_000 }, async ({ skip }) => {
        if (kind === "sqlite") return sharedOutbox(kind, folder)
        const driver = await pythonPackages("psycopg", join(PYTHON_CLIENT, "tests/requirements.txt"))
        return "missing" in driver ? skip(driver.missing) : sharedOutbox(kind, folder, driver.folder)
      })
    })
  }
)
