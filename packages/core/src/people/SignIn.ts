/**
 * Signing in: by a link that is spent, or by an account at an identity provider. A session begins with
 * either, and every request is checked against it.
 *
 * The secrets of links and sessions are 256 random bits. Only their SHA-256 is stored, so who reads the
 * database can sign in with nothing that is in it.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { ClockGuard } from "../log/ClockGuard.ts"
import { hasLeft, isEnteredBy, type Member, Members } from "../workspace/Members.ts"
import { People, type Person, type ProviderAccount } from "./People.ts"
import { type Device, faultOf, KEPT, newSecret, openSession, type SignInOptions } from "./SessionOpening.ts"
import { type Session, Sessions, type SignInMethod } from "./Sessions.ts"
import {
  type LinkLimit,
  SETUP_ADDRESS,
  type SignInLink,
  type SignInLinkKind,
  SignInLinks
} from "./SignInLinks.ts"

/** Why nobody is signed in. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  /**
   * `no_membership`: the address is no member of any workspace that is entered this way, or no longer.
   * `address_not_confirmed`: the provider does not say that the address is the account's. `other_account`:
   * the address signs in with another account of this provider.
   */
  reason: Schema.Literals([
    "link_unknown",
    "link_expired",
    "link_spent",
    "no_membership",
    "address_not_confirmed",
    "other_account"
  ])
}) {}

/** A session is not valid. */
export class SessionRefused extends Schema.TaggedError<SessionRefused>()("SessionRefused", {
  /** `ended` by somebody, `expired` by its age, `idle` for too long, or `unknown`. */
  reason: Schema.Literals(["unknown", "ended", "expired", "idle"])
}) {}

/** A link with its secret, which is shown this once. */
export interface MadeLink {
  readonly secret: string
  readonly link: SignInLink
}

/** What an identity provider says of who signs in. */
export interface ProviderClaims {
  readonly account: ProviderAccount
  readonly address: string | null
  /** Whether the provider has confirmed that the address is the account's. */
  readonly isConfirmed: boolean
}

/** How long a link is good for that was mailed on request, or made by the operator. */
export const LINK_LIFE: Micros.Micros = 15 * Micros.MINUTE
/** How long an invitation is good for: people read their mail after a weekend. */
const INVITATION_LIFE: Micros.Micros = 7 * Micros.DAY
/** How long a set-up link is good for: the operator may read the log only tomorrow. */
export const SETUP_LIFE: Micros.Micros = Micros.DAY
interface Limit extends Pick<LinkLimit, "most" | "mostOfWorkspace"> {
  readonly within: Micros.Micros
}
/** How many links are made of each kind, and in which time. */
const LIMITS: Readonly<Record<SignInLinkKind, Limit>> = {
  mail: { most: 3, mostOfWorkspace: 0, within: 15 * Micros.MINUTE },
  invitation: { most: 5, mostOfWorkspace: 50, within: 60 * Micros.MINUTE },
  operator: { most: 100, mostOfWorkspace: 0, within: 15 * Micros.MINUTE },
  setup: { most: 100, mostOfWorkspace: 0, within: 15 * Micros.MINUTE }
}
const LIVES: Readonly<Record<SignInLinkKind, Micros.Micros>> = {
  mail: LINK_LIFE,
  invitation: INVITATION_LIFE,
  operator: LINK_LIFE,
  setup: SETUP_LIFE
}
/** How old a stored use may be before the next one is stored: a write in a minute, not one a request. */
const TOUCH_AFTER: Micros.Micros = Micros.MINUTE

/** What signing in needs. */
const loadServices = Effect.fnUntraced(function* (options: SignInOptions) {
  return {
    people: yield* People,
    sessions: yield* Sessions,
    links: yield* SignInLinks,
    members: yield* Members,
    clock: yield* ClockGuard,
    random: yield* Randomness,
    sha256: yield* Sha256,
    options
  }
})
type Services = Effect.Success<ReturnType<typeof loadServices>>

const isLive =
  (now: Micros.Micros) =>
  (member: Member): boolean =>
    !hasLeft(member, now)

/** The memberships of an address whose time is not over, and which who signs in by `method` enters. */
const membershipsOf = Effect.fnUntraced(function* (
  { members, clock }: Services,
  address: string,
  method: SignInMethod
) {
  const now = yield* clock.reckoned
  return (yield* members.ofAddress(address)).filter(
    (member) => isLive(now)(member) && isEnteredBy(member, method)
  )
})

/** How a link of each kind signs in. */
const methodOf = (kind: SignInLinkKind): SignInMethod =>
  kind === "operator" || kind === "setup" ? "operator" : "mail"

const makeLink = Effect.fnUntraced(function* (
  services: Services,
  wanted: Pick<SignInLink, "kind" | "address" | "workspace_id" | "return_to">
) {
  const { links, clock, sha256 } = services
  const now = yield* clock.reckoned
  const secret = newSecret(services)
  const { within, ...limit } = LIMITS[wanted.kind]
  const link: SignInLink = {
    ...wanted,
    secret_hash: sha256.hex(secret),
    created_at: now,
    expires_at: now + LIVES[wanted.kind],
    spent_at: null
  }
  yield* links.prune(now - KEPT)
  const made = yield* links.create(link, { ...limit, since: now - within })
  return made ? Option.some<MadeLink>({ secret, link }) : Option.none<MadeLink>()
})

const requestLink = Effect.fn("SignIn.requestLink")(function* (
  services: Services,
  address: string,
  returnTo: string | null
) {
  const [first] = yield* membershipsOf(services, address, "mail")
  if (first === undefined) return Option.none<MadeLink>()
  // The mail goes to the address as it is known, whatever was typed.
  return yield* makeLink(services, {
    kind: "mail",
    address: first.email,
    workspace_id: null,
    return_to: returnTo
  })
})

/** A link that signs its address in, or one that sets the service up: neither is good for the other. */
const findLink = Effect.fnUntraced(function* (
  { links, clock, sha256 }: Services,
  secret: string,
  isSetup = false
) {
  const link = Option.getOrUndefined(yield* links.find(sha256.hex(secret)))
  if (link === undefined || (link.kind === "setup") !== isSetup)
    return yield* new SignInRefused({ reason: "link_unknown" })
  if (link.spent_at !== null) return yield* new SignInRefused({ reason: "link_spent" })
  const now = yield* clock.reckoned
  return link.expires_at <= now ? yield* new SignInRefused({ reason: "link_expired" }) : link
})

/** Whom a link would have signed in, and how, whatever has become of it; undefined if there is none. */
const whoseLink = Effect.fnUntraced(function* ({ links, sha256 }: Services, secret: string) {
  const link = Option.getOrUndefined(yield* links.find(sha256.hex(secret)))
  return link === undefined || link.kind === "setup"
    ? undefined
    : { address: link.address, method: methodOf(link.kind) }
})

const ensurePerson = Effect.fnUntraced(function* ({ people, clock, random }: Services, address: string) {
  return yield* people.ensure({ id: `per_${uuid(random)}`, address, created_at: yield* clock.reckoned })
})

const byLink = Effect.fn("SignIn.byLink")(function* (services: Services, secret: string, device: Device) {
  const { links, clock, sha256 } = services
  const { address, kind, workspace_id } = yield* findLink(services, secret)
  const memberships = yield* membershipsOf(services, address, methodOf(kind))
  const wanted = memberships.some((member) => workspace_id === null || member.workspace_id === workspace_id)
  if (!wanted) return yield* new SignInRefused({ reason: "no_membership" })
  const spent = yield* links.spend(sha256.hex(secret), yield* clock.reckoned)
  if (Option.isNone(spent)) return yield* new SignInRefused({ reason: "link_spent" })
  const person = yield* ensurePerson(services, address)
  const opened = yield* openSession(services, person, methodOf(kind), device)
  return { ...opened, link: spent.value }
})

/**
 * Spends a set-up link for the owner that it has made. The session begins first: a crash in between leaves
 * one that no browser has, and a link that still signs this owner in. All other set-up links are spent too.
 */
const bySetupLink = Effect.fn("SignIn.bySetupLink")(function* (
  services: Services,
  secret: string,
  address: string,
  device: Device
) {
  const { links, sessions, clock, sha256 } = services
  yield* findLink(services, secret, true)
  const person = yield* ensurePerson(services, address)
  const opened = yield* openSession(services, person, methodOf("setup"), device)
  const at = yield* clock.reckoned
  const spent = yield* links.spend(sha256.hex(secret), at)
  if (Option.isNone(spent)) {
    yield* sessions.end(person.id, opened.session.id, at)
    return yield* new SignInRefused({ reason: "link_spent" })
  }
  yield* links.revoke(SETUP_ADDRESS, null, at)
  return opened
})

/** Spends a set-up link for nothing, if it is one. */
const withdrawSetupLink = Effect.fn("SignIn.withdrawSetupLink")(function* (
  services: Services,
  secret: string
) {
  const { links, clock, sha256 } = services
  const found = yield* Effect.option(findLink(services, secret, true))
  if (Option.isSome(found)) yield* links.spend(sha256.hex(secret), yield* clock.reckoned)
})

/**
 * Whose account it is: the person's whose address the provider confirms now, whatever it was before. If the
 * account was another person's, that person's sessions end.
 */
const identify = Effect.fn("SignIn.identify")(function* (
  services: Services,
  { account, address, isConfirmed }: ProviderClaims,
  mayJoin: boolean
) {
  const { people, sessions, clock } = services
  if (address === null || !isConfirmed) return yield* new SignInRefused({ reason: "address_not_confirmed" })
  if (!mayJoin && (yield* membershipsOf(services, address, "oidc")).length === 0)
    return yield* new SignInRefused({ reason: "no_membership" })
  const person = yield* ensurePerson(services, address)
  const former = Option.getOrUndefined(yield* people.ofAccount(account))
  const now = yield* clock.reckoned
  yield* people
    .bind(person.id, account, now)
    .pipe(Effect.catchTag("AccountConflict", () => new SignInRefused({ reason: "other_account" })))
  if (former !== undefined && former.id !== person.id) {
    yield* sessions.endAll(former.id, now, null)
    yield* Effect.logWarning("An account at the identity provider has another address than before").pipe(
      Effect.annotateLogs({ personId: person.id, formerPersonId: former.id })
    )
  }
  return person
})

const byAccount = Effect.fn("SignIn.byAccount")(function* (
  services: Services,
  person: Person,
  device: Device
) {
  const memberships = yield* membershipsOf(services, person.address, "oidc")
  if (memberships.length === 0) return yield* new SignInRefused({ reason: "no_membership" })
  return yield* openSession(services, person, "oidc", device)
})

/** Ends what signs a person in: its sessions, but for one, and the links that were sent and not used. */
const endAll = Effect.fn("SignIn.endAll")(function* (
  { people, sessions, links, clock }: Services,
  address: string,
  except: string | null
) {
  const now = yield* clock.reckoned
  yield* links.revoke(address, null, now)
  const person = Option.getOrUndefined(yield* people.ofAddress(address))
  return person === undefined ? 0 : yield* sessions.endAll(person.id, now, except)
})

const look = Effect.fn("SignIn.look")(function* (services: Services, secret: string) {
  const { sessions, people, clock, sha256, options } = services
  const session = Option.getOrUndefined(yield* sessions.find(sha256.hex(secret)))
  if (session === undefined) return yield* new SessionRefused({ reason: "unknown" })
  const now = yield* clock.reckoned
  const reason = faultOf(session, options, now)
  if (reason !== undefined) return yield* new SessionRefused({ reason })
  const person = Option.getOrUndefined(yield* people.get(session.person_id))
  return person === undefined ? yield* new SessionRefused({ reason: "ended" }) : { session, person, now }
})

const check = Effect.fn("SignIn.check")(function* (services: Services, secret: string) {
  const { session, person, now } = yield* look(services, secret)
  if ((session.last_used_at ?? session.created_at) + TOUCH_AFTER <= now) {
    // A store that takes no writes for a while still knows who may read.
    yield* Effect.ignore(services.sessions.touch(new Map([[session.id, now]])))
  }
  return { session, person }
})

const make = (options: SignInOptions) =>
  Effect.map(loadServices(options), (services) => ({
    /**
     * Makes a link for an address, to be mailed to the link's address; none if no workspace has a member
     * with the address who may sign in by mail, or three links were sent within a quarter of an hour.
     */
    requestLink: (address: string, returnTo: string | null) => requestLink(services, address, returnTo),
    /**
     * Makes the link of an invitation; none if the workspace has invited the address five times within an
     * hour, or fifty times whomsoever.
     */
    inviteLink: ({ email, workspace_id }: Member) =>
      makeLink(services, { kind: "invitation", address: email, workspace_id, return_to: null }),
    /** Makes a link for the operator to hand over; none for an address that is no member anywhere. */
    operatorLink: Effect.fnUntraced(function* (address: string) {
      const [first] = yield* membershipsOf(services, address, "operator")
      if (first === undefined) return Option.none<MadeLink>()
      return yield* makeLink(services, {
        kind: "operator",
        address: first.email,
        workspace_id: null,
        return_to: null
      })
    }),
    /**
     * Makes a link that sets the service up; none if a hundred were made within a quarter of an hour. Whether
     * there is an owner is for the caller to look.
     */
    setupLink: makeLink(services, {
      kind: "setup",
      address: SETUP_ADDRESS,
      workspace_id: null,
      return_to: null
    }),
    /** A set-up link that is good; looking at it does not spend it. */
    findSetupLink: (secret: string) => findLink(services, secret, true),
    /** Spends a set-up link, with all others, and begins a session of the owner that it has made. */
    bySetupLink: (secret: string, address: string, device: Device) =>
      bySetupLink(services, secret, address, device),
    /** Makes a set-up link invalid. */
    withdrawSetupLink: (secret: string) => withdrawSetupLink(services, secret),
    /** What a link would do; looking at it does not spend it. */
    findLink: (secret: string) => findLink(services, secret),
    /** Whose link a secret is, also where it was spent or has expired; undefined where there is none. */
    whoseLink: (secret: string) => whoseLink(services, secret),
    /** Spends a link, and begins a session. If that fails after all, a new link is needed. */
    byLink: (secret: string, device: Device) => byLink(services, secret, device),
    /**
     * Whose account it is at a provider, whose claims the caller has verified. `mayJoin` says whether an
     * address will do that is no member of any workspace yet.
     */
    identify: (claims: ProviderClaims, mayJoin: boolean) => identify(services, claims, mayJoin),
    /** Begins a session for who has been identified, and is a member somewhere by now. */
    byAccount: (person: Person, device: Device) => byAccount(services, person, device),
    /**
     * Ends the sessions of an address's person, but for the one with the id `except`, and revokes the links
     * that were sent to the address; returns how many sessions.
     */
    endAll: (address: string, except: string | null) => endAll(services, address, except),
    /** The session of a secret, and its person. Costs two look-ups, and a write in a minute. */
    check: (secret: string) => check(services, secret),
    /** The same for who does nothing meanwhile: it is no use of the session, which may become idle. */
    look: (secret: string) => look(services, secret),
    /** Whether a session is valid at `now`, by its own times. */
    isValid: (session: Session, now: Micros.Micros) => faultOf(session, options, now) === undefined,
    /** The memberships of an address that who signs in by `method` enters, the oldest first. */
    membershipsOf: (address: string, method: SignInMethod) => membershipsOf(services, address, method)
  }))

/** The use cases of signing in. */
export class SignIn extends Context.Service<SignIn, Effect.Success<ReturnType<typeof make>>>()(
  "@cairn/core/SignIn"
) {
  static readonly layer = (options: SignInOptions) => Layer.effect(SignIn, make(options))
}
