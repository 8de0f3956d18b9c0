/** Until when a session is of use in a workspace. */
import type { Schemas } from "../../data/Schemas.ts"

/** The end of the session, or that of the member's access where it is earlier. */
export const endOfUse = (
  { expires_at: end }: Pick<Schemas["MemberSession"], "expires_at">,
  { expires_at: access }: Pick<Schemas["Member"], "expires_at">
): string => (access !== null && Date.parse(access) < Date.parse(end) ? access : end)
