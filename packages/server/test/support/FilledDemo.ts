/** The demo's workspace, filled in a server of the test's own: see `TestServer`, which sequences nothing. */
import { AlertConsumer } from "@cairn/core/alert"
import { ExportMaker } from "@cairn/core/export"
import { Sequencer } from "@cairn/core/log"
import { SignIn } from "@cairn/core/people"
import { Effect, Option } from "effect"
import { fillDemo } from "../../src/demo/DemoFill.ts"
import { DEMO_OWNER } from "../../src/demo/DemoSetup.ts"
import { makeDemo } from "../../src/demo/DemoWorkspace.ts"
import type { PastConfig } from "../../src/demo/PastClock.ts"

/** The inbox of a server that is filled needs room for the whole week. */
export const DEMO_INBOX = 10_000

/** Settings with these keys, that allow this machine to be called. */
export const demoConfig = (secretKey: string): PastConfig => ({
  secretKeys: [secretKey],
  outbound: { mail: null, allow: "127.0.0.0/8", http: true, streamFolder: null },
  retentionDelayDays: 7,
  logOrigin: null
})

/** Gives places in the chain to what waits, as long as an effect runs. */
export const whileSequencing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    effect,
    Effect.forever(
      Effect.delay(
        Effect.flatMap(Sequencer, ({ drain }) => drain),
        "20 millis"
      )
    )
  )

/**
 * Makes and fills it, raises its alerts and makes its export. Gives the workspace, a key with every scope,
 * and the path of a link that signs in its owner.
 */
export const filledDemo = Effect.fnUntraced(function* (secretKey: string) {
  const config = demoConfig(secretKey)
  const workspace = yield* makeDemo(config)
  const key = (yield* whileSequencing(fillDemo(config, workspace))) ?? ""
  yield* (yield* AlertConsumer).drain
  yield* (yield* ExportMaker).advance
  const link = yield* (yield* SignIn).operatorLink(DEMO_OWNER)
  const secret = Option.match(link, { onNone: () => "", onSome: (made) => made.secret })
  return { workspace, key, signInPath: `/sign-in/link?token=${secret}` }
}, Effect.orDie)
