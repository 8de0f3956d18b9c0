/** Changes a member's name, role and end of access. */
import { usePageClock } from "@cairn/ui/locale"
import { Card, TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { type Schemas, useSession } from "../../data/Session.ts"
import { type EndChosen, EndField, useEndFault } from "../../frame/end/EndField.tsx"
import { endOf } from "../../frame/end/Ends.ts"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { ENDS, RoleChoice } from "./InviteMember.tsx"
import { KeysToRevoke, useKeysAsked } from "./KeysToRevoke.tsx"
import { membersTexts } from "./MembersTexts.ts"
import { canEnd, isLower, rolesToGive } from "./Roles.ts"

type Member = Schemas["Member"]

/** What is to be changed: nothing but what differs. */
const patchOf = (member: Member, name: string, role: Member["role"], end: string | null | undefined) => ({
  ...(name.trim() === (member.name ?? "") ? {} : { name: name.trim() === "" ? null : name.trim() }),
  ...(role === member.role ? {} : { role }),
  ...(typeof end === "string" && canEnd(role) ? { expires_at: end } : {})
})

/** What the form holds, and what is wrong with it. */
const useForm = (member: Member) => {
  const clock = usePageClock()
  const [name, setName] = useState(member.name ?? "")
  const [role, setRole] = useState(member.role)
  const [chosen, setChosen] = useState<EndChosen>({
    end: member.expires_at === null ? "never" : "keep",
    date: ""
  })
  const endFault = useEndFault(chosen)
  const patch = patchOf(member, name, role, endOf(chosen.end, chosen.date, clock.now()))
  const hasEndFault = endFault !== undefined && canEnd(role)
  return { name, setName, role, setRole, chosen, setChosen, endFault, hasEndFault, patch }
}

/** What sends the change, and the keys that are revoked with it. */
const useSaving = (
  member: Member,
  role: Member["role"],
  patch: ReturnType<typeof patchOf>,
  saved: () => void
) => {
  const { membership, renew } = useSession()
  const isSelf = member.id === membership.member_id
  const keys = useKeysAsked(member.id, role, isLower(role, member.role))
  const changing = useChange(
    ["members", "sessions", "keys"],
    async (calls) => {
      // First: the change of one's own role ends the session.
      await keys.revoke(calls)
      return calls.members.update(member.id, patch)
    },
    () => {
      saved()
      // With another role of one's own, the session has ended.
      if (isSelf && role !== member.role) location.reload()
      else if (isSelf) renew()
    }
  )
  return { isSelf, keys, changing }
}

/** The form. */
export const EditMember = ({
  of: member,
  isLastOwner,
  isSaved,
  saved
}: {
  readonly of: Member
  readonly isLastOwner: boolean
  /** Whether it was saved since the page was opened. */
  readonly isSaved: boolean
  readonly saved: () => void
}) => {
  const texts = useTexts(membersTexts)
  const { membership } = useSession()
  const { name, setName, role, setRole, chosen, setChosen, endFault, hasEndFault, patch } = useForm(member)
  const [isSent, setSent] = useState(false)
  const { isSelf, keys, changing } = useSaving(member, role, patch, saved)
  const isChanged = Object.keys(patch).length > 0 || hasEndFault
  return (
    <Card title={texts.change}>
      <form
        class="form members-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setSent(true)
          if (isChanged && !hasEndFault) changing.run(undefined)
        }}
      >
        <TextField
          label={texts.name}
          value={name}
          change={setName}
          error={fieldFault(changing.fault, "name")}
        />
        {isLastOwner ? (
          <p class="hint">{texts.lastOwner}</p>
        ) : (
          <RoleChoice
            roles={rolesToGive(membership.permissions)}
            value={role}
            change={setRole}
            error={fieldFault(changing.fault, "role")}
          />
        )}
        {role !== member.role && (
          <p class="members-note">
            {isSelf ? texts.ownRoleChanges : texts.roleChanges}{" "}
            {member.managed_by === "oidc" && texts.takesOver}
          </p>
        )}
        <KeysToRevoke of={keys} />
        {canEnd(role) && (
          <EndField
            label={texts.accessEnds}
            ends={member.expires_at === null ? ENDS : ["keep", ...ENDS.filter((end) => end !== "never")]}
            chosen={chosen}
            change={setChosen}
            error={(isSent ? endFault : undefined) ?? fieldFault(changing.fault, "expires_at")}
          />
        )}
        {canEnd(role) && member.expires_at !== null && <p class="hint">{texts.endStays}</p>}
        {!canEnd(role) && member.expires_at !== null && <p class="hint">{texts.endLifted}</p>}
        <ChangeFault fault={changing.fault} />
        <div class="form-actions">
          <span role="status" class="muted">
            {isSaved && !isChanged ? texts.saved : ""}
          </span>
          <button type="submit" class="primary" disabled={!isChanged || changing.isRunning || keys.isReading}>
            {texts.save}
          </button>
        </div>
      </form>
    </Card>
  )
}
