/** How a member gets in who has not been there yet: by an invitation, the identity provider, or a link. */
import { shellWord } from "@cairn/core/encoding"
import { CopyButton } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { type Schemas, useSession } from "../../data/Session.ts"
import { OnServer } from "../../frame/OnServer.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { membersTexts } from "./MembersTexts.ts"

/** Whether an invitation by mail gets the member in. */
export const useIsInvited = ({ managed_by }: Pick<Schemas["Member"], "managed_by">): boolean =>
  useSession().person.sign_in.mail && managed_by === null

/** The ways that there are, the one that asks least of everybody first. */
export const HowIn = ({
  of: member,
  isSent
}: {
  readonly of: Pick<Schemas["Member"], "email" | "managed_by">
  /** Whether an invitation was sent just now. */
  readonly isSent: boolean
}) => {
  const texts = useTexts(membersTexts)
  const { provider } = useSession().person.sign_in
  const isInvited = useIsInvited(member)
  const command = `cairn member sign-in-link ${shellWord(member.email)}`
  return (
    <div class="members-ways">
      {isInvited && <p>{isSent ? texts.invited(member.email) : texts.invitable}</p>}
      {provider !== null && (
        <p>
          {texts.byProviderWay(provider)}{" "}
          <code>
            <PlainText text={`${location.origin}/sign-in`} />
          </code>{" "}
          <CopyButton text={`${location.origin}/sign-in`} />
        </p>
      )}
      {!isInvited && (
        <>
          <p>{provider === null ? texts.noMail : texts.orOperator}</p>
          <p>
            <code>
              <PlainText text={command} />
            </code>{" "}
            <CopyButton text={command} />
          </p>
          <p class="muted">
            <OnServer /> {texts.operatorLink}
          </p>
        </>
      )}
    </div>
  )
}
