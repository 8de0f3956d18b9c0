/** One member: who, with which access, from where; and its end. */
import { Card, Facts, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useChange, useRead } from "../../data/Read.ts"
import { type Schemas, useMay, useSession } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { ThingHead } from "../../frame/ThingHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { EditMember } from "./EditMember.tsx"
import { HowIn, useIsInvited } from "./HowIn.tsx"
import { AccessEnd, Confirmed, MemberName, You } from "./MemberParts.tsx"
import { MemberSessions } from "./MemberSessions.tsx"
import { membersTexts } from "./MembersTexts.ts"
import { RemoveMember } from "./RemoveMember.tsx"
import { isLastOwner, mayChange } from "./Roles.ts"

type Member = Schemas["Member"]

/** Members that are read at once. */
const MOST = 100

/** Whether the member is the last owner; undefined while it is not known. */
const useIsLastOwner = (member: Member): boolean | undefined => {
  const enabled = member.role === "owner"
  const { data } = useRead(
    ["members", "owners"],
    async ({ members }, signal) => {
      const owners: Array<Member> = []
      for await (const one of members.list({ limit: MOST }, { signal })) {
        if (one.role === "owner") owners.push(one)
      }
      return owners
    },
    { enabled }
  )
  if (!enabled) return false
  return data === undefined ? undefined : isLastOwner(data, member)
}

/** How the person gets in, while nobody has; with the way to another invitation. */
const Invitation = ({ of: member }: { readonly of: Member }) => {
  const texts = useTexts(membersTexts)
  const { membership } = useSession()
  const isInvited = useIsInvited(member)
  const [isSent, setSent] = useState(false)
  const inviting = useChange(
    ["members"],
    ({ members }) => members.invite(member.id),
    () => setSent(true)
  )
  return (
    <Card title={texts.howIn} hint={texts.notConfirmedHint}>
      <HowIn of={member} isSent={isSent} />
      <ChangeFault fault={inviting.fault} />
      {isInvited && mayChange(membership.permissions, member) && (
        <p class="form-actions">
          <button type="button" disabled={inviting.isRunning} onClick={() => inviting.run(undefined)}>
            {texts.inviteAgain}
          </button>
        </p>
      )}
    </Card>
  )
}

const About = ({ of: member }: { readonly of: Member }) => {
  const texts = useTexts(membersTexts)
  const { roles } = useTexts(frameTexts)
  return (
    <Card title={texts.about}>
      <Facts
        of={[
          [texts.email, <PlainText text={member.email} />],
          [texts.role, roles[member.role]],
          [
            texts.address,
            <>
              <Confirmed of={member} /> {member.confirmed_at !== null && <Moment at={member.confirmed_at} />}
            </>
          ],
          [texts.accessEnds, <AccessEnd of={member} />],
          [texts.managedBy, member.managed_by === null ? texts.byPeople : texts.byProviderHint],
          [texts.addedWhen, <Moment at={member.created_at} exact />],
          [texts.id, <code>{member.id}</code>]
        ]}
      />
    </Card>
  )
}

const Shown = ({ of: member }: { readonly of: Member }) => {
  const texts = useTexts(membersTexts)
  const { membership } = useSession()
  const isLast = useIsLastOwner(member)
  const seesSessions = useMay("sessions:read")
  const [isRemoving, setRemoving] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const isMine = mayChange(membership.permissions, member)
  return (
    <>
      <ThingHead
        page="members"
        title={
          <>
            <MemberName of={member} />
            <You id={member.id} />
          </>
        }
      >
        {isMine && isLast === false ? (
          <button type="button" class="danger" onClick={() => setRemoving(true)}>
            {texts.remove}
          </button>
        ) : undefined}
      </ThingHead>
      <About of={member} />
      {member.confirmed_at === null && <Invitation of={member} />}
      {isMine && isLast !== undefined && (
        <EditMember
          key={member.updated_at}
          of={member}
          isLastOwner={isLast}
          isSaved={isSaved}
          saved={() => setSaved(true)}
        />
      )}
      {!isMine && membership.permissions.includes("members:write") && <p class="hint">{texts.ownersOnly}</p>}
      {seesSessions && <MemberSessions of={member} />}
      {isRemoving && <RemoveMember of={member} close={() => setRemoving(false)} />}
    </>
  )
}

/** The member of an id. */
export const OneMember = ({ id }: { readonly id: string }) => (
  <Loaded
    read={useRead(["members", id], async ({ members }, signal) => (await members.get(id, { signal })).data)}
  >
    {(member) => <Shown of={member} />}
  </Loaded>
)
