/** Port: the sessions of people who have signed in, and the workspaces that each has been used for. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** How a person has signed in: by a link that was mailed, by the provider, or by a link of the operator. */
export const SignInMethod = Schema.Literals(["mail", "oidc", "operator"])
export type SignInMethod = typeof SignInMethod.Type

/** A session as stored. */
export const Session = Schema.Struct({
  /** `ses_` and a UUID; not what the browser has. */
  id: Schema.String,
  person_id: Schema.String,
  /** SHA-256, as hexadecimal text, of the 256 random bits that the browser has, which are stored nowhere. */
  secret_hash: Schema.String,
  method: SignInMethod,
  /** The client's address at the sign-in; null if it had none. */
  client_address: Schema.NullOr(Schema.String),
  /** The browser, as it names itself, at most 256 characters; null if it does not. */
  user_agent: Schema.NullOr(Schema.String),
  /** Microseconds since the epoch, like the next three. */
  created_at: Schema.Number,
  last_used_at: Schema.NullOr(Schema.Number),
  /** Not valid from then on, however much it is used. */
  expires_at: Schema.Number,
  /** When it was ended; null if it was not. */
  ended_at: Schema.NullOr(Schema.Number)
})
export type Session = typeof Session.Type

/** The use of a session for a workspace. */
export const SessionEntry = Schema.Struct({
  session_id: Schema.String,
  workspace_id: Schema.String,
  /** The member that entered. */
  member_id: Schema.String,
  /** Microseconds since the epoch, like the next. */
  entered_at: Schema.Number,
  /** From when on the workspace does not take this session; null if it does. */
  ended_at: Schema.NullOr(Schema.Number)
})
export type SessionEntry = typeof SessionEntry.Type

/** A session and its use for one workspace. */
export interface EnteredSession {
  readonly session: Session
  readonly entry: SessionEntry
}

/**
 * Contract:
 *
 * - When a call returns, its result is durable, and all processes see it: an ended session is not valid
 *   anywhere once `end` has returned. Only what `touch` stores may be lost.
 * - What has ended stays ended; ending it again changes nothing. `find` returns sessions that have ended or
 *   expired too, until `prune` removes them.
 * - `enter` stores the first use for a workspace; if there is one already, it stays as it is and is returned.
 * - Lists are newest first and leave out what has ended.
 * - Sessions are not copied to another database by `cairn copy` and do not survive `cairn restore`: those
 *   that were ended after the backup would be valid again.
 */
interface SessionsShape {
  readonly open: (session: Session) => Effect.Effect<void, StorageUnavailable>
  readonly find: (secretHash: string) => Effect.Effect<Option.Option<Session>, StorageUnavailable>
  readonly ofPerson: (personId: string) => Effect.Effect<ReadonlyArray<Session>, StorageUnavailable>
  /** Whether the person had such a session that was not ended. */
  readonly end: (personId: string, id: string, at: Micros) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends the person's sessions, but for the one with the id `except`; returns how many. */
  readonly endAll: (
    personId: string,
    at: Micros,
    except: string | null
  ) => Effect.Effect<number, StorageUnavailable>
  /** Stores when sessions were last used, by their ids; never an earlier time than is stored. */
  readonly touch: (used: ReadonlyMap<string, Micros>) => Effect.Effect<void, StorageUnavailable>
  readonly enter: (entry: SessionEntry) => Effect.Effect<SessionEntry, StorageUnavailable>
  readonly entry: (
    sessionId: string,
    workspaceId: string
  ) => Effect.Effect<Option.Option<SessionEntry>, StorageUnavailable>
  /** The sessions that were used for a workspace, of one member or of all. */
  readonly inWorkspace: (
    workspaceId: string,
    memberId: string | null
  ) => Effect.Effect<ReadonlyArray<EnteredSession>, StorageUnavailable>
  /** Ends a session for one workspace; whether there was one to end. */
  readonly leave: (
    workspaceId: string,
    sessionId: string,
    at: Micros
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Ends the sessions of a member for its workspace; returns how many. */
  readonly leaveAll: (
    workspaceId: string,
    memberId: string,
    at: Micros
  ) => Effect.Effect<number, StorageUnavailable>
  /** Removes sessions, with their entries, that ended or expired before this time; returns how many. */
  readonly prune: (before: Micros) => Effect.Effect<number, StorageUnavailable>
}

/** The sessions. */
export class Sessions extends Context.Service<Sessions, SessionsShape>()("@cairn/core/Sessions") {}
