/**
 * The starts of `npm start`: at the first one a workspace to play with, filled with a generated week, and a
 * key that is shown once; at each, links to its console and its viewer.
 */
import { linkAddress } from "@cairn/core/outbound"
import { SignIn } from "@cairn/core/people"
import { ManagedWorkspaces, VIEWER_TTL, ViewerTokens } from "@cairn/core/workspace"
import { Console, Effect, Option } from "effect"
import { fillDemo } from "../demo/DemoFill.ts"
import { DEMO_OWNER } from "../demo/DemoSetup.ts"
import { findDemo, makeDemo } from "../demo/DemoWorkspace.ts"
import type { PastConfig } from "../demo/PastClock.ts"

const curls = (baseUrl: string, key: string): string => `
Try it:

  curl -s ${baseUrl}/api/v1/events -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"actor_id":"ada","action":"document.created","resource":"document","resource_id":"42"}'

  curl -s '${baseUrl}/api/v1/events?action=document.*&limit=1' -H 'Authorization: Bearer ${key}'

  curl -s ${baseUrl}/api/v1/verify -H 'Authorization: Bearer ${key}'
`

/** The line that shows a workspace's viewer. */
const viewerLine = Effect.fnUntraced(function* (baseUrl: string, workspaceId: string) {
  const { issue } = yield* ViewerTokens
  const { token } = yield* issue(workspaceId, { tenantId: null, actorId: null, ttl: VIEWER_TTL.maximum })
  return `Viewer     ${baseUrl}/viewer?token=${token}   (for a day)`
})

/** The line that signs the demo's owner in; none if that is no member any more, or had too many links. */
const consoleLine = Effect.fnUntraced(function* (baseUrl: string) {
  const made = yield* (yield* SignIn).operatorLink(DEMO_OWNER)
  return Option.match(made, {
    onNone: () => "",
    onSome: ({ secret }) =>
      `Console    ${linkAddress(baseUrl, secret)}   (once, within 15 minutes; another: npx @cairn/server member sign-in-link ${DEMO_OWNER})\n`
  })
})

/** What is there from an earlier start. */
const announceExisting = Effect.fnUntraced(function* (
  baseUrl: string,
  { workspaceId, isDemo }: { readonly workspaceId: string; readonly isDemo: boolean }
) {
  const console = isDemo ? yield* consoleLine(baseUrl) : ""
  yield* Console.log(`\n${console}${yield* viewerLine(baseUrl, workspaceId)}\n`)
  yield* Console.log(
    "The workspace and its API key are those of the first start; a lost key is replaced with `npx @cairn/server key create`.\n"
  )
})

/** The demo's workspace, which is made in a database that has none; else one of the user's own. */
const prepared = Effect.fnUntraced(function* (config: PastConfig) {
  const demo = yield* findDemo
  if (demo !== undefined) return { workspaceId: demo.id, demo }
  const [existing] = yield* (yield* ManagedWorkspaces).list
  if (existing !== undefined) return { workspaceId: existing.id, demo: undefined }
  const made = yield* makeDemo(config)
  return { workspaceId: made.id, demo: made }
})

/**
 * Makes the demo's workspace in a database that has no workspace, fills it and makes its key, and prints how
 * to begin. What an earlier start has not finished is finished.
 */
export const announceDemo = Effect.fnUntraced(function* (
  baseUrl: string,
  database: string,
  config: PastConfig
) {
  yield* Console.log(`\nData       ${database}\nInterface  ${baseUrl}/docs`)
  yield* Console.log("Webhooks and log streams may call this machine: http://127.0.0.1:PORT")
  const { workspaceId, demo } = yield* prepared(config)
  const key =
    demo === undefined
      ? null
      : yield* fillDemo(config, demo).pipe(
          Effect.catch((error) =>
            Effect.as(
              Effect.logError("The demo workspace is not filled; the next start goes on").pipe(
                Effect.annotateLogs({ reason: error.message })
              ),
              null
            )
          )
        )
  if (key === null) return yield* announceExisting(baseUrl, { workspaceId, isDemo: demo !== undefined })
  const links = `${yield* consoleLine(baseUrl)}${yield* viewerLine(baseUrl, workspaceId)}`
  yield* Console.log(
    `\nWorkspace  ${workspaceId}\nAPI key    ${key}   (shown this once)\n\n  export CAIRN_API_KEY=${key}\n\n${links}\n${curls(baseUrl, key)}`
  )
})
