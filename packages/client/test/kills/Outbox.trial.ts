/**
 * The kill trial of the outbox: applications that write events with their business, and their relays, are
 * killed at named points and at random, and the service too, behind a proxy that does what networks do. In
 * the end the log has the events of the transactions that committed, once each, with the time of the call,
 * and none of any other.
 */
import { fileURLToPath } from "node:url"
import { seededTrial } from "@cairn/testing/SeededTrial"
import { describe, it } from "@effect/vitest"
import { killLeftovers } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { outboxKills } from "./OutboxKills.ts"

const PROGRAM = fileURLToPath(new URL("OutboxApplication.ts", import.meta.url))

describe.each(["postgres", "sqlite"] as const)(
  "applications with an outbox in %s, their relays and the service, killed -9",
  (kind) => {
    const folder = temporaryFolder()
    killLeftovers()

    it("have each committed event in the log once, with its time, and no other", { timeout: 3_600_000 }, () =>
      seededTrial(import.meta.url, (seed) =>
        outboxKills(seed, {
          kind,
          programs: [{ language: "TypeScript", program: PROGRAM }],
          folder,
          each: 8,
          kills: 165
        })
      )
    )
  }
)
