/** Parts of a member that several views show. */
import { usePageClock } from "@cairn/ui/locale"
import { Badge, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { type Schemas, useSession } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { membersTexts } from "./MembersTexts.ts"

type Member = Schemas["Member"]

/** What a member is called: by name where there is one. */
export const MemberName = ({ of: { name, email } }: { readonly of: Pick<Member, "name" | "email"> }) => (
  <PlainText text={name || email} limit={120} />
)

/** That the member is the one who looks. */
export const You = ({ id }: { readonly id: string }) => {
  const texts = useTexts(membersTexts)
  const { membership } = useSession()
  return membership.member_id === id ? <span class="muted"> ({texts.you})</span> : null
}

/** Whether somebody has shown to read the address's mail. */
export const Confirmed = ({ of: { confirmed_at } }: { readonly of: Pick<Member, "confirmed_at"> }) => {
  const texts = useTexts(membersTexts)
  return confirmed_at === null ? (
    <Badge tone="busy">{texts.notConfirmed}</Badge>
  ) : (
    <Badge tone="good">{texts.confirmed}</Badge>
  )
}

/** When access ends, to the second and with the zone, or that it has: nobody should have to reckon it. */
export const AccessEnd = ({ of: { expires_at } }: { readonly of: Pick<Member, "expires_at"> }) => {
  const clock = usePageClock()
  const texts = useTexts(membersTexts)
  if (expires_at === null) return <span class="muted">{texts.noEnd}</span>
  return (
    <>
      {Date.parse(expires_at) <= clock.now() && (
        <>
          <Badge tone="calm" glyph="clock">
            {texts.ended}
          </Badge>{" "}
        </>
      )}
      <Moment at={expires_at} exact />
    </>
  )
}
