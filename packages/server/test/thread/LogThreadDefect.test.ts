import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { ChainVerifier } from "@cairn/core/verification"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { EventAnswers } from "../../src/thread/EventAnswers.ts"
import * as LogThreadClient from "../../src/thread/LogThreadClient.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()

it.live(
  "what one call of the log thread meets unexpectedly fails that call, and none that is under way beside it",
  () =>
    Effect.gen(function* () {
      const events = yield* EventAnswers
      const verifier = yield* ChainVerifier
      // There is no such workspace, and whoever asks the thread knows that there is: that is a defect of it.
      const unexpected = events.get({
        workspaceId: "wsp_none",
        eventId: "x",
        visibleFrom: null,
        viewer: null
      })
      const [bad, good] = yield* Effect.all(
        [Effect.exit(unexpected), Effect.exit(verifier.verify({ workspaceId: "wsp_none", limit: 1 }))],
        { concurrency: "unbounded" }
      )
      assert.isTrue(Exit.isFailure(bad) && Cause.hasDies(bad.cause))
      assert.isTrue(Exit.isFailure(good) && !Cause.hasDies(good.cause), "it is answered as if alone")
    }).pipe(
      Effect.provide(
        LogThreadClient.layer({
          database: { kind: "sqlite", filename: join(folder, "cairn.db") },
          works: false,
          inboxCapacity: 1_000,
          connections: 1,
          secretKeys: [randomBytes(32).toString("base64")],
          chain: null,
          anchorEverySeconds: 3_600,
          geoipFiles: [],
          logLevel: "none",
          growth: "a test",
          traces: null,
          metrics: "meters of a test"
        })
      )
    )
)
