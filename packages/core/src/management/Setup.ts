/**
 * Setting up a service that has no owner: the person who has a set-up link makes the first workspace and
 * becomes the owner, or becomes the owner of a workspace that is there.
 *
 * Each step can be repeated, and the link is spent last. The ids of what a link makes derive from it, so that
 * the same link makes the same workspace and the same owner. What a crash leaves, after each write:
 *
 * | after | what is there | who goes on |
 * |---|---|---|
 * | the workspace | no event of it, no owner | this link, or any other one: records it, makes its owner |
 * | its event | a workspace without an owner | the same |
 * | the owner's event | the same, and a record of what did not happen | the same |
 * | the owner | an owner who has not signed in | this link alone, for the same address |
 * | the session | a session that no browser has | the same |
 * | the link is spent | a session that no browser has | the operator, with `cairn member sign-in-link` |
 *
 * Two links, or two browsers with one, cannot make two workspaces or two owners: `ManagedWorkspaces.create`
 * takes the first workspace once, and `Members.createFirstOwner` the first owner.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { MAX_NAME } from "../event/EventInput.ts"
import { nameFault } from "../event/TextFault.ts"
import { derivedUuid } from "../hashing/DerivedUuid.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import type { Device } from "../people/SessionOpening.ts"
import { SignIn } from "../people/SignIn.ts"
import type { SignInLink } from "../people/SignInLinks.ts"
import { addressKey } from "../workspace/AddressKey.ts"
import { demoAmong } from "../workspace/DemoWorkspace.ts"
import { type ManagedWorkspace, ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { newEmailFault } from "../workspace/MemberInput.ts"
import { type Member, Members, withNewEmail } from "../workspace/Members.ts"
import { ManagementEvents, type Manager, onceKey, SETUP_LINK } from "./ManagementEvent.ts"
import { makeOnePerKey } from "./OnePerKey.ts"
import { recordRefusal } from "./RecordedCreation.ts"
import { WorkspaceManagement } from "./WorkspaceManagement.ts"

/** A workspace has an owner already, whom this link has not made: no set-up link does anything any more. */
export class AlreadySetUp extends Schema.TaggedError<AlreadySetUp>()("AlreadySetUp", {}) {
  override get message(): string {
    return "a workspace has an owner already"
  }
}

/** What is wrong with a field of the form. */
export const SetupFault = Schema.Literals([
  /** No workspace can have this name. */
  "workspace_name",
  /** None was chosen of those that there are, or that one is gone. */
  "workspace_choice",
  "email",
  /** The workspace has a member with this address already, who can be made its owner by the command. */
  "email_taken",
  "name"
])
export type SetupFault = typeof SetupFault.Type

/** What was entered will not do. Nothing was changed. */
export class SetupIncomplete extends Schema.TaggedError<SetupIncomplete>()("SetupIncomplete", {
  faults: Schema.Array(SetupFault)
}) {
  override get message(): string {
    return `not set up: ${this.faults.join(", ")}`
  }
}

/** What a person enters who sets the service up. */
export interface SetupInput {
  /** The name of the first workspace; counts if there is none yet. */
  readonly workspaceName: string
  /** Which one it is of those that are there; null for none of them. */
  readonly workspaceId: string | null
  readonly email: string
  /** What the person is called; empty for nothing. */
  readonly name: string
}

/** What a set-up link can do. */
export interface SetupState {
  /** The workspaces to choose from, oldest first, without a demo's; empty if the first one is to be made. */
  readonly workspaces: ReadonlyArray<Pick<ManagedWorkspace, "id" | "name">>
  /** The owner that this link has made, and has not signed in yet; null before. */
  readonly owner: Member | null
}

/** Workspaces to choose from at most; of others the `cairn` command makes owners. */
const MAX_CHOICES = 200

const loadServices = Effect.gen(function* () {
  return {
    signIn: yield* SignIn,
    members: yield* Members,
    workspaces: yield* ManagedWorkspaces,
    management: yield* WorkspaceManagement,
    events: yield* ManagementEvents,
    sha256: yield* Sha256,
    alone: makeOnePerKey()
  }
})
type Services = Effect.Success<typeof loadServices>

const workspaceIdOf = ({ sha256 }: Services, { secret_hash }: SignInLink): string =>
  `wsp_${derivedUuid(sha256, `cairn.setup.workspace.v1\n${secret_hash}`)}`

/** The form of such an id, whose UUID is of version 8; others have random ones. */
const DERIVED = /^wsp_[0-9a-f]{8}-[0-9a-f]{4}-8/

/** The id of the owner that a link makes, derived from all that the log says of the link. */
const ownerIdOf = (
  { sha256 }: Services,
  { secret_hash }: SignInLink,
  { workspace_id, email, name }: Pick<Member, "workspace_id" | "email" | "name">
): string => {
  const text = JSON.stringify(["cairn.setup.owner.v1", secret_hash, workspace_id, email, name])
  return `mem_${derivedUuid(sha256, text)}`
}

/** The demo's own workspace, whose owner is nobody; null if there is none. */
const demoOf = ({ workspaces, sha256 }: Services) =>
  Effect.map(workspaces.list, (all) => demoAmong(sha256, all)?.id ?? null)

/** The oldest owner of a workspace that people have made. */
const firstOwner = (services: Services) => Effect.flatMap(demoOf(services), services.members.firstOwner)

/** The owner that a link has made; none while there is none. Fails if there is another one. */
const ownerBy = Effect.fnUntraced(function* (services: Services, link: SignInLink) {
  const owner = Option.getOrNull(yield* firstOwner(services))
  if (owner !== null && owner.id !== ownerIdOf(services, link, owner)) return yield* new AlreadySetUp()
  return owner
})

/** A link that is good; one that was spent says so, or that there is an owner by now. */
const findLink = (services: Services, secret: string) =>
  Effect.catchTag(
    services.signIn.findSetupLink(secret),
    "SignInRefused",
    Effect.fnUntraced(function* (refused) {
      const isSetUp = refused.reason === "link_spent" && Option.isSome(yield* firstOwner(services))
      return yield* isSetUp ? new AlreadySetUp() : refused
    })
  )

const look = Effect.fn("Setup.look")(function* (services: Services, secret: string) {
  const link = yield* findLink(services, secret)
  const owner = yield* ownerBy(services, link)
  const demo = yield* demoOf(services)
  const workspaces = (yield* services.workspaces.list).filter(({ id }) => id !== demo)
  return { workspaces: workspaces.slice(0, MAX_CHOICES), owner } satisfies SetupState
})

/** The workspace that gets an owner: the first one, which is made, or the one that was chosen. */
const workspaceFor = Effect.fnUntraced(function* (
  services: Services,
  by: Manager,
  link: SignInLink,
  { workspaceName, workspaceId }: SetupInput
) {
  const id = workspaceIdOf(services, link)
  const demo = yield* demoOf(services)
  const existing = (yield* services.workspaces.list).filter((one) => one.id !== demo)
  // What this link has made before a crash is what its form still means.
  const isOwn = existing.every((one) => one.id === id)
  const chosen = isOwn ? { id, name: workspaceName } : existing.find((one) => one.id === workspaceId)
  // The one that an earlier link has made may lack the record of its creation.
  if (chosen !== undefined && (isOwn || DERIVED.test(chosen.id)))
    return yield* services.management.createFirst(by, chosen, demo)
  if (chosen !== undefined) return chosen
  return yield* new SetupIncomplete({ faults: ["workspace_choice"] })
})

const makeOwner = Effect.fnUntraced(
  function* (services: Services, by: Manager, link: SignInLink, input: SetupInput) {
    const { events, members } = services
    const { email } = input
    const workspace = yield* workspaceFor(services, by, link, input)
    const at = yield* Micros.now
    const told = { workspace_id: workspace.id, email, name: input.name === "" ? null : input.name }
    const owner: Member = {
      ...told,
      id: ownerIdOf(services, link, told),
      role: "owner",
      // A link in a file says nothing of the address that is typed, as one of the operator's does.
      confirmed_at: null,
      signed_in_at: null,
      expires_at: null,
      sessions_from: null,
      managed_by: null,
      created_at: at,
      updated_at: at
    }
    const admit = withNewEmail(email, true)
    yield* Effect.fromResult(admit(yield* members.list(workspace.id)))
    const change = {
      workspaceId: workspace.id,
      action: "cairn.member.created",
      resource: { type: "member", id: owner.id, name: owner.name },
      metadata: { email, name: owner.name, role: owner.role }
    }
    yield* events.record(by, { ...change, idempotencyKey: onceKey(change.action, owner.id) })
    const created = Effect.gen(function* () {
      if (yield* members.createFirstOwner(owner, yield* demoOf(services), admit)) return owner
      // Another process may have done the same with the same link.
      return (yield* ownerBy(services, link)) ?? (yield* new AlreadySetUp())
    })
    return yield* recordRefusal(services, by, change)(created)
  },
  Effect.catchTags({
    MemberExists: () => new SetupIncomplete({ faults: ["email_taken"] }),
    CollectionFull: () => new SetupIncomplete({ faults: ["email_taken"] }),
    NotTheFirst: () => new SetupIncomplete({ faults: ["workspace_choice"] })
  })
)

const faultsOf = ({ workspaceName, email, name }: SetupInput, state: SetupState) => {
  const faults: Array<SetupFault> = []
  if (state.workspaces.length === 0 && nameFault(workspaceName, { least: 1, most: MAX_NAME }) !== undefined)
    faults.push("workspace_name")
  if (newEmailFault(email) !== undefined) faults.push("email")
  if (nameFault(name, { least: 0, most: MAX_NAME }) !== undefined) faults.push("name")
  return faults
}

const finish = Effect.fn("Setup.finish")(function* (
  services: Services,
  secret: string,
  input: SetupInput,
  device: Device
) {
  const { alone, signIn } = services
  const by: Manager = { ...SETUP_LINK, address: device.clientAddress }
  return yield* alone("set-up")(
    Effect.gen(function* () {
      const link = yield* findLink(services, secret)
      const state = yield* look(services, secret)
      const faults = faultsOf(input, state)
      if (faults.length > 0) return yield* new SetupIncomplete({ faults })
      const owner = state.owner ?? (yield* makeOwner(services, by, link, input))
      // Of two browsers with one link, the one whose owner was made.
      if (addressKey(owner.email) !== addressKey(input.email)) return yield* new AlreadySetUp()
      const opened = yield* Effect.catchTag(
        signIn.bySetupLink(secret, owner.email, device),
        "SignInRefused",
        (refused) => Effect.fail(refused.reason === "link_spent" ? new AlreadySetUp() : refused)
      )
      return { opened, owner }
    })
  )
})

const make = Effect.map(loadServices, (services) => ({
  /** Whether any workspace has an owner, beside a demo's. Looks at every member. */
  isDone: Effect.map(firstOwner(services), Option.isSome),
  /** What a link can do; looking at it does not spend it. */
  look: (secret: string) => look(services, secret),
  /**
   * Makes the owner, and the first workspace if there is none, each recorded in the workspace's log; spends
   * the link, and begins a session.
   */
  finish: (secret: string, input: SetupInput, device: Device) => finish(services, secret, input, device)
}))

/** The use cases of setting up. */
export class Setup extends Context.Service<Setup, Effect.Success<typeof make>>()("@cairn/core/Setup") {
  static readonly layer = Layer.effect(Setup, make)
}
