/**
 * The first start of `npm start`: a workspace to play with, a key that is shown once, and a link to its
 * viewer at each start.
 */
import { ApiKeyManagement, COMMAND_LINE, WorkspaceManagement } from "@cairn/core/management"
import { ManagedWorkspaces, VIEWER_TTL, ViewerTokens } from "@cairn/core/workspace"
import { Console, Effect, Result } from "effect"

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

/** What is there from an earlier start. */
const announceExisting = Effect.fnUntraced(function* (baseUrl: string, workspaceId: string) {
  yield* Console.log(`\n${yield* viewerLine(baseUrl, workspaceId)}\n`)
  yield* Console.log(
    "The workspace and its API key are those of the first start; a lost key is replaced with `npx cairn key create`.\n"
  )
})

/** Makes the workspace and its key unless there is one already, and prints how to begin. */
export const announceDemo = Effect.fnUntraced(function* (baseUrl: string, database: string) {
  const workspaces = yield* ManagedWorkspaces
  yield* Console.log(`\nData       ${database}\nInterface  ${baseUrl}/docs`)
  yield* Console.log("Webhooks and log streams may call this machine: http://127.0.0.1:PORT")
  const [existing] = yield* workspaces.list
  if (existing !== undefined) return yield* announceExisting(baseUrl, existing.id)
  const made = yield* Effect.result((yield* WorkspaceManagement).create(COMMAND_LINE, { name: "Demo" }))
  if (Result.isFailure(made)) {
    const [first] = made.failure._tag === "WorkspaceNameTaken" ? made.failure.ids : []
    // Another process was faster.
    return yield* first === undefined ? Effect.fail(made.failure) : announceExisting(baseUrl, first)
  }
  const workspace = made.success
  const { key } = yield* (yield* ApiKeyManagement).create(COMMAND_LINE, {
    workspaceId: workspace.id,
    name: "Demo",
    scopes: ["ingest", "read", "export", "viewer", "admin"],
    expiresAt: null
  })
  yield* Console.log(
    `\nWorkspace  ${workspace.id}\nAPI key    ${key}   (shown this once)\n\n  export CAIRN_API_KEY=${key}\n\n${yield* viewerLine(baseUrl, workspace.id)}\n${curls(baseUrl, key)}`
  )
})
