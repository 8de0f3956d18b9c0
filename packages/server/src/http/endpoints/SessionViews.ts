/** Sessions as clients see them. */
import type { MemberSession, OwnSession } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import type { EnteredSession, Session } from "@cairn/core/people"

const common = ({ id, method, client_address, user_agent, created_at, expires_at }: Session) => ({
  id,
  method,
  client_address,
  user_agent,
  created_at: Micros.format(created_at),
  expires_at: Micros.format(expires_at)
})

/**
 * A session for the admins of a workspace that it was used for. It does not show them when the session was
 * last used: that may have been for another workspace.
 */
export const memberSession = ({ session, entry }: EnteredSession): MemberSession => ({
  ...common(session),
  member_id: entry.member_id,
  entered_at: Micros.format(entry.entered_at)
})

/** A session for the person whose it is; `currentId` is that of the session that asks. */
export const ownSession =
  (currentId: string) =>
  (session: Session): OwnSession => ({
    ...common(session),
    last_used_at: Micros.format(session.last_used_at ?? session.created_at),
    current: session.id === currentId
  })
