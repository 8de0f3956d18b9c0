/**
 * The kill trial of the spool: applications that enqueue are killed at named points and at random, and the
 * service too, behind a proxy that does what networks do. In the end each event whose `enqueue` resolved is
 * in the log once, with the time of the call.
 */
import { fileURLToPath } from "node:url"
import { bundleProgram } from "@cairn/testing/BundledProgram"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { beforeAll, describe, it } from "@effect/vitest"
import { killLeftovers } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { spoolKills } from "./SpoolKills.ts"

const SOURCE = fileURLToPath(new URL("SpoolingApplication.ts", import.meta.url))

describe("applications with a spool and their service, killed -9", () => {
  const folder = temporaryFolder()
  killLeftovers()
  let program = ""

  beforeAll(async () => {
    program = await bundleProgram(SOURCE, folder)
  })

  it("have each promised event in the log once, with its time", { timeout: 3_600_000 }, () =>
    seededTrial(import.meta.url, (seed) =>
      spoolKills(seed, { programs: [program], folder, each: 15, kills: 250 })
    )
  )
})
