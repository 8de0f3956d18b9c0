/** A member of a workspace. */
import type { Member } from "@cairn/core/workspace"

/** An owner whose address is confirmed, and who gets mail for that, except for what a test gives. */
export const testMember = (fields: Pick<Member, "id" | "workspace_id"> & Partial<Member>): Member => {
  const { created_at = 1 } = fields
  return {
    email: "owner@example.com",
    name: null,
    role: "owner",
    confirmed_at: created_at,
    signed_in_at: created_at,
    expires_at: null,
    sessions_from: null,
    managed_by: null,
    created_at,
    updated_at: created_at,
    ...fields
  }
}
