/** What the logs of workspaces tell of sign-ins that were refused, and of sessions that were ended. */
import { Effect } from "effect"
import * as Micros from "../encoding/Micros.ts"
import type { Person } from "../people/People.ts"
import { Sessions, type SignInMethod } from "../people/Sessions.ts"
import { type Member, Members } from "../workspace/Members.ts"
import { type ManagementChange, type Manager, onceKey } from "./ManagementEvent.ts"

/** Somebody who asks to sign in, before the person is known. */
export const SIGN_IN: Manager = { id: "cairn-sign-in", name: "sign-in", type: "system", address: null }

/** A member as the one who does something. */
export const memberManager = ({ id, name, email }: Member, address: string | null): Manager => ({
  id,
  name: name ?? email,
  type: "member",
  address
})

/** A change, and the member that it is about. */
export interface MemberRecord {
  readonly member: Member
  readonly change: ManagementChange
}

const about = ({ id, name }: Member) => ({ type: "member", id, name })

/** Which sessions of a person are ended, and why. */
export interface EndedSessions {
  readonly person: Pick<Person, "address">
  /** The session that is ended, or that alone stays; null for none. */
  readonly session: string | null
  /** `one` ends that session, `others` all but that one, `all` every one. */
  readonly which: "one" | "others" | "all"
  /** What ended them: a sign-out, a choice among one's sessions, another sign-in, or the operator. */
  readonly reason: "signed_out" | "chosen" | "signed_in_again" | "operator"
}

/**
 * The records of sessions that are about to be ended, but are not yet: one for each workspace that has seen
 * any of them. Costs a look-up for each membership of the person.
 */
export const endedRecords = Effect.fn("SessionRecords.ended")(function* ({
  person,
  session,
  which,
  reason
}: EndedSessions) {
  const [members, sessions] = [yield* Members, yield* Sessions]
  const records: Array<MemberRecord> = []
  for (const member of yield* members.ofAddress(person.address)) {
    const entered = yield* sessions.inWorkspace(member.workspace_id, member.id)
    const [newest] = entered
      .map(({ entry }) => entry.session_id)
      .filter((id) => which === "all" || (which === "one") === (id === session))
    if (newest === undefined) continue
    const change = {
      workspaceId: member.workspace_id,
      action: "cairn.session.ended",
      resource: about(member),
      metadata: { sessions: which === "one" ? newest : which, reason },
      idempotencyKey: onceKey("cairn.session.ended", which === "one" ? newest : `${which} ${newest}`)
    }
    records.push({ member, change })
  }
  return records
})

/** A sign-in that was refused. */
export interface RefusedSignIn {
  readonly address: string
  readonly method: SignInMethod
  readonly reason: string
  readonly at: Micros.Micros
}

const HOUR = 60 * Micros.MINUTE

/**
 * The records of a sign-in that was refused, for the workspaces that the address is a member of, also where
 * its access has ended. A member has one for each reason in an hour.
 */
export const refusedRecords = Effect.fn("SessionRecords.refused")(function* ({
  address,
  method,
  reason,
  at
}: RefusedSignIn) {
  const hour = Micros.formatSeconds(Math.floor(at / HOUR) * HOUR)
  return (yield* (yield* Members).ofAddress(address)).map((member): MemberRecord => {
    const change = {
      workspaceId: member.workspace_id,
      action: "cairn.session.refused",
      resource: about(member),
      metadata: { method, reason, hour },
      idempotencyKey: onceKey("cairn.session.refused", `${member.id} ${reason} ${hour}`)
    }
    return { member, change }
  })
})
