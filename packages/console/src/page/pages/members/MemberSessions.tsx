/** Where a member has signed in, and the end of that. */
import { Card, type Column, Confirm, Moment } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { usePages } from "../../data/Pages.ts"
import { useChange } from "../../data/Read.ts"
import { type Schemas, useMay, useSession } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { deviceOf } from "./Devices.ts"
import { mayChange } from "./Roles.ts"
import { endOfUse } from "./SessionEnd.ts"
import { sessionTexts } from "./SessionTexts.ts"

type Member = Schemas["Member"]
type Session = Schemas["MemberSession"]

const useColumns = (
  member: Member,
  end: ((session: Session) => void) | undefined
): ReadonlyArray<Column<Session>> => {
  const texts = useTexts(sessionTexts)
  const { person } = useSession()
  return [
    {
      name: texts.browser,
      cell: ({ id, user_agent }) => (
        <>
          {user_agent === null ? (
            texts.noBrowser
          ) : (
            <span title={visibleText(user_agent, 400)}>
              <PlainText text={deviceOf(user_agent)} limit={80} />
            </span>
          )}
          {id === person.session.id && <span class="muted"> ({texts.thisSession})</span>}
        </>
      )
    },
    {
      name: texts.clientAddress,
      cell: ({ client_address }) =>
        client_address === null ? texts.noAddress : <PlainText text={client_address} />
    },
    { name: texts.way, cell: ({ method }) => texts.ways[method] },
    { name: texts.since, cell: ({ created_at }) => <Moment at={created_at} /> },
    { name: texts.firstHere, cell: ({ entered_at }) => <Moment at={entered_at} /> },
    { name: texts.latestEnd, cell: (session) => <Moment at={endOfUse(session, member)} /> },
    ...(end === undefined
      ? []
      : [
          {
            name: texts.end,
            unnamed: true,
            cell: (session: Session) => (
              <button type="button" class="small" onClick={() => end(session)}>
                {texts.end}{" "}
                <span class="hidden">
                  <PlainText text={deviceOf(session.user_agent ?? texts.noBrowser)} limit={80} />
                </span>
              </button>
            )
          }
        ])
  ]
}

/** Asks before sessions end: one, or all of a member. */
const EndSessions = ({
  of: member,
  session,
  close
}: {
  readonly of: Member
  /** Undefined for all. */
  readonly session: Session | undefined
  readonly close: () => void
}) => {
  const texts = useTexts(sessionTexts)
  const { person, membership } = useSession()
  const isOwn = session === undefined ? member.id === membership.member_id : session.id === person.session.id
  const ending = useChange<void, unknown>(
    ["sessions", "members"],
    ({ sessions, members }) =>
      session === undefined ? members.endSessions(member.id) : sessions.delete(session.id),
    () => (isOwn ? location.reload() : close())
  )
  return (
    <Confirm
      title={session === undefined ? texts.endAllTitle : texts.endTitle}
      action={session === undefined ? texts.endAll : texts.end}
      dangerous
      busy={ending.isRunning}
      error={<ChangeFault fault={ending.fault} />}
      confirm={() => ending.run()}
      close={close}
    >
      <p>
        <strong>
          <PlainText text={member.email} />
        </strong>
        {session !== undefined && (
          <>
            {" · "}
            <PlainText
              text={session.user_agent === null ? texts.noBrowser : deviceOf(session.user_agent)}
              limit={80}
            />
          </>
        )}
      </p>
      <p>{session === undefined ? texts.endAllWhat : texts.endWhat}</p>
      {isOwn && <p>{texts.endOwn}</p>}
    </Confirm>
  )
}

/** The sessions. */
export const MemberSessions = ({ of: member }: { readonly of: Member }) => {
  const texts = useTexts(sessionTexts)
  const { membership } = useSession()
  const mayEnd = useMay("sessions:end") && mayChange(membership.permissions, member)
  const [asked, setAsked] = useState<{ readonly session: Session | undefined }>()
  const columns = useColumns(member, mayEnd ? (session) => setAsked({ session }) : undefined)
  const pages = usePages(["sessions", member.id], ({ sessions }, query, signal) =>
    sessions.list({ ...query, member_id: member.id }, { signal }).page()
  )
  const hasAny = (pages.data?.data.length ?? 0) > 0
  return (
    <Card
      title={texts.sessions}
      hint={texts.sessionsHint}
      actions={
        mayEnd && hasAny ? (
          <button type="button" onClick={() => setAsked({ session: undefined })}>
            {texts.endAll}
          </button>
        ) : undefined
      }
    >
      <div class="members-list">
        <ListFrame
          label={texts.sessions}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={texts.noSessions}
          emptyHint={texts.noSessionsHint}
        />
      </div>
      {asked !== undefined && (
        <EndSessions of={member} session={asked.session} close={() => setAsked(undefined)} />
      )}
    </Card>
  )
}
