/** People, their sessions and the links that sign them in, in memory. */
import type { Micros } from "@cairn/core/encoding"
import { StorageUnavailable } from "@cairn/core/log"
import {
  AccountConflict,
  People,
  type Person,
  type ProviderAccount,
  type Session,
  type SessionEntry,
  Sessions,
  type SignInLink,
  SignInLinks
} from "@cairn/core/people"
import { addressKey } from "@cairn/core/workspace"
import { Context, Effect, Layer, Option } from "effect"

/** An account that is a person's. */
interface BoundAccount extends ProviderAccount {
  readonly personId: string
}

/** Rows of all of them: who is forgotten is so with accounts and sessions. */
class PeopleTables extends Context.Service<
  PeopleTables,
  {
    /** By id, as sessions. */
    readonly people: Map<string, Person>
    accounts: ReadonlyArray<BoundAccount>
    readonly sessions: Map<string, Session>
    entries: ReadonlyArray<SessionEntry>
  }
>()("@cairn/testing/PeopleTables") {
  static readonly layer = Layer.sync(PeopleTables, () => ({
    people: new Map(),
    accounts: [],
    sessions: new Map(),
    entries: []
  }))
}
type Tables = typeof PeopleTables.Service

const isKept = (...texts: ReadonlyArray<string>) =>
  texts.every((text) => text.isWellFormed() && !text.includes("\0"))

/** What no database stores, or what it would belong to is not there. */
const refuse = (operation: string) =>
  Effect.fail(new StorageUnavailable({ operation, cause: new Error("it cannot be stored") }))

const removeSessions = (tables: Tables, isGone: (session: Session) => boolean): number => {
  const gone = Array.from(tables.sessions.values()).filter(isGone)
  for (const { id } of gone) tables.sessions.delete(id)
  tables.entries = tables.entries.filter(({ session_id }) => tables.sessions.has(session_id))
  return gone.length
}

const bind = (tables: Tables, personId: string, { issuer, subject }: ProviderAccount) =>
  Effect.suspend((): Effect.Effect<void, AccountConflict | StorageUnavailable> => {
    if (!isKept(issuer, subject) || !tables.people.has(personId)) return refuse("bind an account")
    const own = tables.accounts.find((one) => one.issuer === issuer && one.personId === personId)
    if (own !== undefined)
      return own.subject === subject ? Effect.void : Effect.fail(new AccountConflict({ personId }))
    const others = tables.accounts.filter((one) => one.issuer !== issuer || one.subject !== subject)
    tables.accounts = [...others, { issuer, subject, personId }]
    return Effect.void
  })

const makePeople = Effect.map(PeopleTables, (tables) => {
  const ofAddress = (address: string) =>
    Array.from(tables.people.values()).find((person) => addressKey(person.address) === addressKey(address))
  return People.of({
    get: (id) => Effect.sync(() => Option.fromNullishOr(tables.people.get(id))),
    ofAddress: (address) => Effect.sync(() => Option.fromNullishOr(ofAddress(address))),
    ofAccount: ({ issuer, subject }) =>
      Effect.sync(() => {
        const account = tables.accounts.find((one) => one.issuer === issuer && one.subject === subject)
        return Option.fromNullishOr(account && tables.people.get(account.personId))
      }),
    ensure: (person) =>
      Effect.suspend(() => {
        if (!isKept(person.address)) return refuse("store a person")
        const stored = ofAddress(person.address) ?? person
        tables.people.set(stored.id, stored)
        return Effect.succeed(stored)
      }),
    bind: (personId, account) => bind(tables, personId, account),
    forget: (id) =>
      Effect.sync(() => {
        removeSessions(tables, ({ person_id }) => person_id === id)
        tables.accounts = tables.accounts.filter(({ personId }) => personId !== id)
        return tables.people.delete(id)
      })
  })
})

const newestFirst = <A>(
  rows: ReadonlyArray<A>,
  keyOf: (row: A) => { readonly at: Micros.Micros; readonly id: string }
): ReadonlyArray<A> =>
  rows.toSorted((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)]
    return other.at - one.at || (one.id < other.id ? 1 : -1)
  })

/** Ends the sessions that `which` means and that have not ended; returns how many. */
const end = (tables: Tables, at: Micros.Micros, which: (session: Session) => boolean) =>
  Effect.sync(() => {
    const ended = Array.from(tables.sessions.values()).filter((one) => one.ended_at === null && which(one))
    for (const session of ended) tables.sessions.set(session.id, { ...session, ended_at: at })
    return ended.length
  })

/** The same with entries. */
const leave = (tables: Tables, at: Micros.Micros, which: (entry: SessionEntry) => boolean) =>
  Effect.sync(() => {
    const isLeft = (entry: SessionEntry) => entry.ended_at === null && which(entry)
    const { length } = tables.entries.filter(isLeft)
    tables.entries = tables.entries.map((entry) => (isLeft(entry) ? { ...entry, ended_at: at } : entry))
    return length
  })

const entriesOf = (tables: Tables) => {
  const find = (sessionId: string, workspaceId: string) =>
    tables.entries.find((one) => one.session_id === sessionId && one.workspace_id === workspaceId)
  return {
    enter: (entry: SessionEntry) =>
      Effect.suspend(() => {
        if (!tables.sessions.has(entry.session_id)) return refuse("enter a workspace")
        const stored = find(entry.session_id, entry.workspace_id)
        if (stored === undefined) tables.entries = [...tables.entries, entry]
        return Effect.succeed(stored ?? entry)
      }),
    entry: (sessionId: string, workspaceId: string) =>
      Effect.sync(() => Option.fromNullishOr(find(sessionId, workspaceId))),
    inWorkspace: (workspaceId: string, memberId: string | null) =>
      Effect.sync(() => {
        const entered = tables.entries.flatMap((entry) => {
          const session = tables.sessions.get(entry.session_id)
          const isListed =
            entry.workspace_id === workspaceId &&
            (memberId === null || entry.member_id === memberId) &&
            entry.ended_at === null
          return isListed && session?.ended_at === null ? [{ session, entry }] : []
        })
        return newestFirst(entered, ({ entry }) => ({ at: entry.entered_at, id: entry.session_id }))
      }),
    leave: (workspaceId: string, sessionId: string, at: Micros.Micros) =>
      Effect.map(
        leave(tables, at, (one) => one.workspace_id === workspaceId && one.session_id === sessionId),
        (left) => left > 0
      ),
    leaveAll: (workspaceId: string, memberId: string, at: Micros.Micros) =>
      leave(tables, at, (one) => one.workspace_id === workspaceId && one.member_id === memberId)
  }
}

const makeSessions = Effect.map(PeopleTables, (tables) => {
  const all = () => Array.from(tables.sessions.values())
  return Sessions.of({
    open: (session) =>
      Effect.suspend(() => {
        const isTaken = all().some(
          ({ id, secret_hash }) => id === session.id || secret_hash === session.secret_hash
        )
        if (isTaken || !tables.people.has(session.person_id)) return refuse("open a session")
        tables.sessions.set(session.id, session)
        return Effect.void
      }),
    find: (secretHash) =>
      Effect.sync(() => Option.fromNullishOr(all().find(({ secret_hash }) => secret_hash === secretHash))),
    ofPerson: (personId) =>
      Effect.sync(() =>
        newestFirst(
          all().filter(({ person_id, ended_at }) => person_id === personId && ended_at === null),
          ({ created_at, id }) => ({ at: created_at, id })
        )
      ),
    end: (personId, id, at) =>
      Effect.map(
        end(tables, at, (one) => one.person_id === personId && one.id === id),
        (ended) => ended > 0
      ),
    endAll: (personId, at, except) =>
      end(tables, at, (one) => one.person_id === personId && one.id !== except),
    touch: (used) =>
      Effect.sync(() => {
        for (const [id, at] of used) {
          const session = tables.sessions.get(id)
          if (session === undefined || (session.last_used_at ?? Number.NEGATIVE_INFINITY) >= at) continue
          tables.sessions.set(id, { ...session, last_used_at: at })
        }
      }),
    ...entriesOf(tables),
    prune: (before) =>
      Effect.sync(() =>
        removeSessions(
          tables,
          ({ expires_at, ended_at }) => expires_at < before || (ended_at !== null && ended_at < before)
        )
      )
  })
})

const makeLinks = Effect.sync(() => {
  const links = new Map<string, SignInLink>()
  const ofAddress = (address: string) =>
    Array.from(links.values()).filter((one) => addressKey(one.address) === addressKey(address))
  return SignInLinks.of({
    create: (link, { most, mostOfWorkspace, since }) =>
      Effect.suspend(() => {
        const alike = Array.from(links.values()).filter(
          ({ kind, workspace_id, created_at }) =>
            kind === link.kind && workspace_id === link.workspace_id && created_at >= since
        )
        const recent = alike.filter((one) => addressKey(one.address) === addressKey(link.address))
        const isFull = link.workspace_id !== null && alike.length >= mostOfWorkspace
        if (isFull || recent.length >= most) return Effect.succeed(false)
        if (links.has(link.secret_hash)) return refuse("create a sign-in link")
        links.set(link.secret_hash, link)
        return Effect.succeed(true)
      }),
    find: (secretHash) => Effect.sync(() => Option.fromNullishOr(links.get(secretHash))),
    spend: (secretHash, at) =>
      Effect.sync(() => {
        const link = links.get(secretHash)
        if (link === undefined || link.spent_at !== null || link.expires_at <= at) return Option.none()
        const spent = { ...link, spent_at: at }
        links.set(secretHash, spent)
        return Option.some(spent)
      }),
    revoke: (address, workspaceId, at) =>
      Effect.sync(() => {
        for (const link of ofAddress(address)) {
          if (link.spent_at !== null || (workspaceId !== null && link.workspace_id !== workspaceId)) continue
          links.set(link.secret_hash, { ...link, spent_at: at })
        }
      }),
    prune: (before) =>
      Effect.sync(() => {
        const gone = Array.from(links.values()).filter(({ expires_at }) => expires_at < before)
        for (const { secret_hash } of gone) links.delete(secret_hash)
        return gone.length
      })
  })
})

/** `People`, `Sessions` and `SignInLinks`. */
export const layerPeople = Layer.mergeAll(
  Layer.effect(People, makePeople),
  Layer.effect(Sessions, makeSessions),
  Layer.effect(SignInLinks, makeLinks)
).pipe(Layer.provide(PeopleTables.layer))
