/** `cairn key create|list|revoke` */

import { Micros } from "@cairn/core/encoding"
import { InvalidInput } from "@cairn/core/event"
import { ApiKeyManagement, COMMAND_LINE } from "@cairn/core/management"
import { type ApiKey, ApiKeyNotFound, ApiKeys, type ManagedWorkspace, Scope } from "@cairn/core/workspace"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerAccepting } from "../layers/Accepting.ts"
import { checkCanAsk, consent, consentFlags, type Plan } from "./Consent.ts"
import { configuration, findWorkspace, json, print, row, workspaceFlag } from "./Shared.ts"

const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(configuration, (settings) => Effect.provide(effect, layerAccepting(settings)))

const moment = (micros: number | null) => (micros === null ? null : Micros.format(micros))

/** A key without its hash. */
const view = ({ hash: _, public_id, ...key }: ApiKey) => ({
  ...key,
  prefix: `cairn_${public_id}`,
  created_at: moment(key.created_at),
  last_used_at: moment(key.last_used_at),
  expires_at: moment(key.expires_at),
  revoked_at: moment(key.revoked_at)
})

const line = (key: ApiKey): string =>
  row(
    key.id,
    `cairn_${key.public_id}…`,
    key.scopes.join(","),
    key.revoked_at === null ? "active" : `revoked ${Micros.format(key.revoked_at)}`,
    ...(key.created_by === null ? [] : [`by ${key.created_by}`]),
    key.name ?? ""
  )

const isScope = Schema.is(Scope)

const readScopes = Effect.fnUntraced(function* (text: string) {
  const scopes: Array<Scope> = []
  for (const item of text.split(",").map((scope) => scope.trim())) {
    if (!isScope(item)) {
      return yield* new InvalidInput({
        path: "--scopes",
        reason: `${JSON.stringify(item)} is not one of ingest, read, export, viewer, admin`
      })
    }
    scopes.push(item)
  }
  return scopes
})

const create = Command.make(
  "create",
  {
    workspace: workspaceFlag,
    name: Flag.String("name").pipe(Flag.withDescription("What it is for"), Flag.optional),
    scopes: Flag.String("scopes").pipe(
      Flag.withDescription("Comma-separated: ingest, read, export, viewer, admin (default: all but admin)"),
      Flag.optional
    ),
    expires: Flag.String("expires").pipe(
      Flag.withDescription("ISO 8601 time at which it expires"),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id: workspaceId } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const { stored, key } = yield* (yield* ApiKeyManagement).create(COMMAND_LINE, {
        workspaceId,
        name: Option.getOrNull(flags.name),
        scopes: Option.isSome(flags.scopes) ? yield* readScopes(flags.scopes.value) : undefined,
        expiresAt: Option.getOrNull(flags.expires)
      })
      yield* print(
        flags.json,
        { ...view(stored), key },
        `${key}\n\nThis is the only time it is shown (${stored.id}).`
      )
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn key create -w Acme --name billing --scopes ingest,read" }]),
  Command.withDescription("Make an API key and print it, once")
)

const list = Command.make(
  "list",
  { workspace: workspaceFlag, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const keys = yield* (yield* ApiKeys).list(id)
      yield* print(flags.json, keys.map(view), keys.length === 0 ? "No API keys" : keys.map(line).join("\n"))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn key list -w Acme" }]),
  Command.withDescription("List a workspace's API keys, newest first")
)

const revocation = ({ id, name }: ManagedWorkspace, key: ApiKey): Plan => ({
  value: { action: "revoke_key", workspace: { id, name }, key: view(key) },
  text: [
    line(key),
    key.revoked_at === null
      ? `Requests with this key of ${name} (${id}) will be rejected within seconds. It cannot be made valid again.`
      : "It is revoked already: nothing changes."
  ].join("\n")
})

const revoke = Command.make(
  "revoke",
  {
    workspace: workspaceFlag,
    key: Argument.String("key").pipe(Argument.withDescription("Id: key_…")),
    ...consentFlags,
    json
  },
  Effect.fn(function* (flags) {
    yield* checkCanAsk("cairn key revoke", flags)
    yield* Effect.gen(function* () {
      const workspace = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const found = yield* (yield* ApiKeys).get(workspace.id, flags.key)
      if (Option.isNone(found)) return yield* new ApiKeyNotFound({ keyId: flags.key })
      if (!(yield* consent(flags, revocation(workspace, found.value)))) return
      const key = yield* (yield* ApiKeyManagement).revoke(COMMAND_LINE, workspace.id, flags.key)
      yield* print(flags.json, view(key), line(key))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([
    { command: "cairn key revoke -w Acme key_… --dry-run" },
    { command: "cairn key revoke -w Acme key_… --yes" }
  ]),
  Command.withDescription("Revoke an API key; running servers reject it within seconds")
)

/** `cairn key` */
export const keyCommand = Command.make("key").pipe(
  Command.withExamples([{ command: "cairn key create -w Acme --name billing --scopes ingest" }]),
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke])
)
