/** The mails with links that sign somebody in. */
import type { NewDelivery } from "../consumer/Delivery.ts"
import { type RandomnessShape, uuid } from "../hashing/Randomness.ts"
import type { SecretBoxShape } from "../hashing/SecretBox.ts"
import type { MadeLink } from "../people/SignIn.ts"
import { addressKey } from "../workspace/AddressKey.ts"
import type { MemberRole } from "../workspace/Permissions.ts"
import type { MailNotice } from "./MailNotice.ts"

/** What such a mail is made with. */
export interface SignInMailContext {
  readonly box: SecretBoxShape
  readonly random: RandomnessShape
  /** Where people reach the service, without a slash at the end. */
  readonly baseUrl: string
}

/** Who invites, and to what. */
export interface Invitation {
  readonly workspace: string
  readonly role: MemberRole
  readonly invitedBy: string | null
  /** Whether the person is in already, and shows only to read the address's mail. */
  readonly confirms?: boolean
}

/** The address of the page that a link opens. */
export const linkAddress = (baseUrl: string, secret: string): string =>
  `${baseUrl}/sign-in/link?token=${secret}`

/**
 * The mail with a link, with an invitation or without. It counts as one workspace's only if the link does:
 * other mail of an address waits for itself alone.
 */
export const signInMail = (
  { box, random, baseUrl }: SignInMailContext,
  { secret, link }: MadeLink,
  invitation: Invitation | null
): NewDelivery => {
  const id = `dlv_${uuid(random)}`
  const common = {
    sealed: box.seal(linkAddress(baseUrl, secret), id),
    expires_at: link.expires_at,
    service: baseUrl
  }
  const notice: MailNotice =
    invitation === null
      ? { kind: "sign_in", ...common }
      : {
          kind: "invitation",
          ...common,
          workspace: invitation.workspace,
          role: invitation.role,
          invited_by: invitation.invitedBy,
          ...(invitation.confirms === true ? { confirms: true } : {})
        }
  return {
    id,
    workspaceId: link.workspace_id ?? `sign-in ${addressKey(link.address)}`,
    channel: "mail",
    target: link.address,
    type: `mail.${notice.kind}`,
    payload: JSON.stringify(notice),
    createdAt: link.created_at
  }
}
