/**
 * What a start of a service without an owner adds to its log: where the set-up link is, and never the link.
 *
 * Each start makes a link of its own, and the one that was in the file before it is withdrawn. Several
 * processes have a file each; whichever link is used first, the others do nothing any more.
 */
import { Micros } from "@cairn/core/encoding"
import { Setup } from "@cairn/core/management"
import { SignIn } from "@cairn/core/people"
import { Effect, Option } from "effect"
import { layerLogging } from "../layers/Logging.ts"
import { SetupLinkFile, setupAddress } from "../secret/SetupLinkFile.ts"

/** How else a service gets its first owner. */
const INSTEAD =
  "cairn workspace create NAME, cairn member add -w NAME ADDRESS --role owner --confirmed and cairn member sign-in-link ADDRESS make one"

const NOT_WRITTEN = `No workspace has an owner yet, and there is no set-up link: ${INSTEAD}`

/** Makes a link and writes it; returns until when it is good, none if too many were made. */
const writeLink = Effect.fnUntraced(function* (file: NonNullable<SetupLinkFile["Service"]>, baseUrl: string) {
  const signIn = yield* SignIn
  const former = yield* file.former
  if (former !== null) yield* signIn.withdrawSetupLink(former)
  const made = Option.getOrUndefined(yield* signIn.setupLink)
  if (made === undefined) return undefined
  yield* file
    .write(setupAddress(baseUrl, made.secret))
    // What is there then is of an earlier start, and its link does not work any more.
    .pipe(
      Effect.tapError(() => Effect.andThen(Effect.ignore(file.remove), signIn.withdrawSetupLink(made.secret)))
    )
  return made.link.expires_at
})

/**
 * Writes a set-up link if no workspace has an owner, and logs where; removes a link that is there otherwise.
 * Whatever fails, the server goes on, and the log says how else to make an owner.
 */
export const announceSetup = Effect.fnUntraced(
  function* (baseUrl: string) {
    const file = yield* SetupLinkFile
    if (file === null) return
    if (yield* (yield* Setup).isDone) return yield* Effect.ignore(file.remove)
    const until = yield* writeLink(file, baseUrl)
    if (until === undefined) {
      return yield* Effect.logWarning(NOT_WRITTEN).pipe(
        Effect.annotateLogs({ reason: "a hundred were made within a quarter of an hour" })
      )
    }
    // As the line that says where the server listens: at every level.
    yield* Effect.logInfo(
      `No workspace has an owner yet: the link in ${file.path} sets one up, once, until ${Micros.format(until)}`
    ).pipe(Effect.provide(layerLogging("info")))
  },
  Effect.catch((error) => Effect.logWarning(NOT_WRITTEN).pipe(Effect.annotateLogs({ reason: error.message })))
)
