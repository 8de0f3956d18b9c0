/** `cairn member list|add|update|remove|sign-in-link|sign-out|forget` */

import { Micros } from "@cairn/core/encoding"
import {
  COMMAND_LINE,
  endedRecords,
  ManagementEvents,
  MemberInvitations,
  MemberManagement,
  NotFound
} from "@cairn/core/management"
import { linkAddress } from "@cairn/core/outbound"
import { People, SignIn } from "@cairn/core/people"
import { hasAddress, type ManagedWorkspace, type Member, MemberRole, Members } from "@cairn/core/workspace"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerInvitations, layerMembers } from "../layers/Commands.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { serviceAddress } from "../settings/ServiceAddress.ts"
import { checkCanAsk, consent, consentFlags, type Plan } from "./Consent.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, findWorkspace, json, print, row, workspaceFlag } from "./Shared.ts"

const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(configuration, (settings) => Effect.provide(effect, layerMembers(settings)))

const moment = (micros: number | null) => (micros === null ? null : Micros.format(micros))

const view = ({ sessions_from: _, ...member }: Member) => ({
  ...member,
  confirmed_at: moment(member.confirmed_at),
  signed_in_at: moment(member.signed_in_at),
  expires_at: moment(member.expires_at),
  created_at: moment(member.created_at),
  updated_at: moment(member.updated_at)
})

const line = (member: Member): string =>
  row(
    member.id,
    member.role,
    member.email,
    member.confirmed_at === null ? "not confirmed" : "confirmed",
    ...(member.expires_at === null ? [] : [`until ${Micros.format(member.expires_at)}`]),
    ...(member.managed_by === null ? [] : ["by the identity provider"]),
    member.name ?? ""
  )

const who = Argument.String("member").pipe(Argument.withDescription("Id or mail address"))
const address = Argument.String("address").pipe(Argument.withDescription("Mail address of the person"))

const changeFlags = {
  name: Flag.String("name").pipe(Flag.withDescription("What the person is called"), Flag.optional),
  role: Flag.Literals("role", MemberRole.literals).pipe(
    Flag.withDescription("What the person may do"),
    Flag.optional
  ),
  expires: Flag.String("expires").pipe(
    Flag.withDescription("ISO 8601 time at which the person's access ends; not for owners and admins"),
    Flag.optional
  ),
  confirmed: Flag.Boolean("confirmed").pipe(
    Flag.withDescription("You vouch that the person reads the address's mail, so that it gets alerts"),
    Flag.withDefault(false)
  )
}

const findMember = Effect.fnUntraced(function* ({ id, name }: ManagedWorkspace, wanted: string) {
  const all = yield* (yield* Members).list(id)
  const found = all.find((member) => member.id === wanted || hasAddress(member, wanted))
  if (found !== undefined) return found
  return yield* new CommandFailed({ message: `${name} (${id}) has no member ${JSON.stringify(wanted)}` })
})

const list = Command.make(
  "list",
  { workspace: workspaceFlag, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const members = yield* (yield* Members).list(id)
      yield* print(
        flags.json,
        members.map(view),
        members.length === 0 ? "No members" : members.map(line).join("\n")
      )
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn member list -w Acme" }]),
  Command.withDescription("List a workspace's members, newest first")
)

/** Where people reach the service, as far as a command can know. */
const reachedAt = (settings: Configuration) =>
  settings.baseUrl === "" && settings.port === 0
    ? Effect.fail(
        new CommandFailed({ message: "With CAIRN_PORT=0 a link needs CAIRN_BASE_URL, the service's address" })
      )
    : Effect.succeed(serviceAddress(settings, settings.port))

/** A new member, and what keeps an invitation from it; null if one is on its way. */
interface Added {
  readonly member: Member
  readonly notInvited: string | null
}

/** How a new member gets in, where no mail says so. */
const hint = ({ member, notInvited }: Added): string =>
  notInvited === null
    ? `An invitation is on its way to ${member.email}`
    : `Not invited by mail (${notInvited}); a link to sign in: cairn member sign-in-link ${member.email}`

/** Adds a member, and puts an invitation into the outbox, which the server sends. */
const addInvited = Effect.fnUntraced(function* <E, R>(
  settings: Configuration,
  adding: Effect.Effect<Member, E, R>
) {
  const secretKeys = yield* secretKeysFor(settings)
  const baseUrl = yield* reachedAt(settings)
  return yield* Effect.gen(function* () {
    const member = yield* adding
    // The member is there, whatever becomes of the mail.
    const notInvited = yield* (yield* MemberInvitations).welcome(COMMAND_LINE, member).pipe(
      Effect.as(null),
      Effect.catch(({ message }) => Effect.succeed(message))
    )
    return { member, notInvited } satisfies Added
  }).pipe(Effect.provide(layerInvitations(settings, secretKeys, baseUrl)))
})

const add = Command.make(
  "add",
  { workspace: workspaceFlag, email: address, ...changeFlags, json },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const { expires } = flags
    const adding = Effect.gen(function* () {
      const { id: workspaceId } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      return yield* (yield* MemberManagement).create(COMMAND_LINE, workspaceId, {
        email: flags.email,
        name: Option.getOrNull(flags.name),
        role: Option.getOrNull(flags.role),
        isConfirmed: flags.confirmed,
        ...(Option.isSome(expires) ? { expires_at: expires.value } : {})
      })
    })
    const invites = settings.outbound.mail !== null && !flags.confirmed
    const why = flags.confirmed ? "you vouch for the address" : "the service sends no mail"
    const added: Added = invites
      ? yield* addInvited(settings, adding)
      : { member: yield* Effect.provide(adding, layerMembers(settings)), notInvited: why }
    yield* print(
      flags.json,
      { ...view(added.member), invited: added.notInvited === null },
      `${line(added.member)}\n${hint(added)}`
    )
  })
).pipe(
  Command.withExamples([
    { command: "cairn member add -w Acme ada@example.com --role owner --confirmed" },
    { command: "cairn member add -w Acme grace@example.com --role auditor --expires 2026-12-31" }
  ]),
  Command.withDescription("Add a member, and send an invitation where the service sends mail")
)

const update = Command.make(
  "update",
  { workspace: workspaceFlag, member: who, ...changeFlags, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const workspace = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const { id } = yield* findMember(workspace, flags.member)
      const member = yield* (yield* MemberManagement).change(COMMAND_LINE, workspace.id, id, {
        ...(Option.isSome(flags.name) ? { name: flags.name.value } : {}),
        ...(Option.isSome(flags.role) ? { role: flags.role.value } : {}),
        ...(Option.isSome(flags.expires) ? { expires_at: flags.expires.value } : {}),
        ...(flags.confirmed ? { isConfirmed: true as const } : {})
      })
      yield* print(flags.json, view(member), line(member))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn member update -w Acme ada@example.com --role owner" }]),
  Command.withDescription("Change a member; with another role the person signs in again")
)

const removal = ({ id, name }: ManagedWorkspace, member: Member): Plan => ({
  value: { action: "remove_member", workspace: { id, name }, member: view(member) },
  text: [
    line(member),
    `The person loses access to ${name} (${id}) at once. What was recorded of it stays in the log.`
  ].join("\n")
})

const remove = Command.make(
  "remove",
  { workspace: workspaceFlag, member: who, ...consentFlags, json },
  Effect.fn(function* (flags) {
    yield* checkCanAsk("cairn member remove", flags)
    yield* Effect.gen(function* () {
      const workspace = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const found = yield* findMember(workspace, flags.member)
      if (!(yield* consent(flags, removal(workspace, found)))) return
      const member = yield* (yield* MemberManagement).remove(COMMAND_LINE, workspace.id, found.id)
      yield* print(flags.json, view(member), line(member))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn member remove -w Acme ada@example.com --yes" }]),
  Command.withDescription("Remove a member; the last owner stays")
)

const signInLink = Command.make(
  "sign-in-link",
  { address, json },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const baseUrl = yield* reachedAt(settings)
    yield* Effect.gen(function* () {
      const made = yield* (yield* SignIn).operatorLink(flags.address)
      if (Option.isNone(made)) {
        return yield* new CommandFailed({
          message: `${flags.address} is not a member of any workspace; cairn member add makes it one`
        })
      }
      const { secret, link } = made.value
      const url = linkAddress(baseUrl, secret)
      const until = Micros.format(link.expires_at)
      yield* print(
        flags.json,
        { url, email: link.address, expires_at: until },
        `${url}\n\nIt signs ${link.address} in, once, until ${until}. Anybody who has it can use it.`
      )
    }).pipe(Effect.provide(layerMembers(settings)))
  })
).pipe(
  Command.withExamples([{ command: "cairn member sign-in-link ada@example.com" }]),
  Command.withDescription("Print a link that signs a member in, once, within 15 minutes")
)

const findPerson = Effect.fnUntraced(function* (wanted: string) {
  const person = yield* (yield* People).ofAddress(wanted)
  return Option.isSome(person) ? person.value : yield* new NotFound({ what: "person", id: wanted })
})

/** Records in the logs that all sessions of an address end. They end also where that cannot be written. */
const recordEnd = Effect.fnUntraced(
  function* (address: string) {
    const events = yield* ManagementEvents
    const ended = { person: { address }, session: null, which: "all", reason: "operator" } as const
    for (const { change } of yield* endedRecords(ended)) yield* events.record(COMMAND_LINE, change)
  },
  Effect.catch(({ message }) => Effect.logWarning(`The end of the sessions is not recorded: ${message}`))
)

const signOut = Command.make(
  "sign-out",
  { address, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const isMember = (yield* (yield* Members).ofAddress(flags.address)).length > 0
      const email = isMember ? flags.address : (yield* findPerson(flags.address)).address
      yield* recordEnd(email)
      const ended = yield* (yield* SignIn).endAll(email, null)
      yield* print(
        flags.json,
        { email, ended },
        `${email}: ${ended} ${ended === 1 ? "session" : "sessions"} ended, and links that were not used yet`
      )
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn member sign-out ada@example.com" }]),
  Command.withDescription(
    "End all sessions of a person at once, in every workspace, and revoke unused sign-in links"
  )
)

const forget = Command.make(
  "forget",
  { address, ...consentFlags, json },
  Effect.fn(function* (flags) {
    yield* checkCanAsk("cairn member forget", flags)
    yield* Effect.gen(function* () {
      const person = yield* findPerson(flags.address)
      const goOn = yield* consent(flags, {
        value: { action: "forget_person", email: person.address },
        text: `${person.address}: its account at the identity provider is forgotten, and its sessions end. The next sign-in with the address is of a new person; memberships stay.`
      })
      if (!goOn) return
      yield* recordEnd(person.address)
      yield* (yield* SignIn).endAll(person.address, null)
      yield* (yield* People).forget(person.id)
      yield* print(flags.json, { email: person.address }, `${person.address} is forgotten`)
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn member forget ada@example.com --yes" }]),
  Command.withDescription("Forget who had an address, so that another account may sign in with it")
)

/** `cairn member` */
export const memberCommand = Command.make("member").pipe(
  Command.withExamples([{ command: "cairn member add -w Acme ada@example.com --role owner" }]),
  Command.withDescription("Members of workspaces, and how they sign in"),
  Command.withSubcommands([list, add, update, remove, signInLink, signOut, forget])
)
