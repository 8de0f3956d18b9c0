/** The list of members, and what their roles may do. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, type Column, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { usePages } from "../../data/Pages.ts"
import { useRead } from "../../data/Read.ts"
import { type Schemas, useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { signInsOf } from "./Devices.ts"
import { AccessEnd, Confirmed, MemberName, You } from "./MemberParts.tsx"
import { membersTexts } from "./MembersTexts.ts"
import { RoleTable } from "./RoleTable.tsx"

type Member = Schemas["Member"]

/** Sessions that are read to tell who signed in when: the newest. */
const SESSIONS = 100

/** The column of last sign-ins; none for those who may not see sessions. */
const useSignInColumn = (): ReadonlyArray<Column<Member>> => {
  const texts = useTexts(membersTexts)
  const { number } = useLanguage()
  const enabled = useMay("sessions:read")
  const { data } = useRead(
    ["sessions", "newest"],
    ({ sessions }, signal) => sessions.list({ limit: SESSIONS }, { signal }).page(),
    { enabled }
  )
  if (!enabled) return []
  const signIns = signInsOf(data?.data ?? [])
  return [
    {
      name: texts.lastSignIn,
      cell: ({ id }) => {
        const found = signIns.get(id)
        // Of those who are not among the newest sessions nothing is known where there are more.
        if (found === undefined) {
          return data?.pagination.has_more === false && <span class="muted">{texts.notSignedIn}</span>
        }
        return (
          <>
            <Moment at={found.last} />
            {found.count > 1 && (
              <span class="muted"> · {texts.places(found.count, number(found.count))}</span>
            )}
          </>
        )
      }
    }
  ]
}

const useColumns = (): ReadonlyArray<Column<Member>> => {
  const texts = useTexts(membersTexts)
  const { roles } = useTexts(frameTexts)
  const address = useAddress()
  return [
    {
      name: texts.person,
      cell: (member) => (
        <>
          <a href={address(`members/${member.id}`)}>
            <MemberName of={member} />
          </a>
          <You id={member.id} />
          {member.name && (
            <p class="members-email">
              <PlainText text={member.email} limit={120} />
            </p>
          )}
        </>
      )
    },
    { name: texts.role, cell: ({ role }) => roles[role] },
    { name: texts.address, cell: (member) => <Confirmed of={member} /> },
    { name: texts.accessEnds, cell: (member) => <AccessEnd of={member} /> },
    {
      name: texts.managedBy,
      cell: ({ managed_by }) => (managed_by === null ? texts.byPeople : texts.byProvider)
    },
    ...useSignInColumn()
  ]
}

/** The list, and the way to an invitation. */
export const MemberList = () => {
  const texts = useTexts(membersTexts)
  const { roleCannot } = useTexts(frameTexts)
  const address = useAddress()
  const [mayRead, mayWrite] = [useMay("members:read"), useMay("members:write")]
  const columns = useColumns()
  const pages = usePages(["members"], ({ members }, query, signal) => members.list(query, { signal }).page())
  return (
    <>
      <PageHead page="members" hint={mayWrite || !mayRead ? texts.hint : `${texts.hint} ${roleCannot}`}>
        {mayWrite ? (
          <a class="button primary" href={address("members/new")}>
            <Glyph name="plus" /> {texts.add}
          </a>
        ) : undefined}
      </PageHead>
      <div class="members-list">
        <ListFrame
          label={texts.list}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={texts.none}
          emptyHint={texts.noneHint}
        />
      </div>
      <Card title={texts.rolesTitle} hint={texts.rolesHint}>
        <RoleTable />
      </Card>
    </>
  )
}
