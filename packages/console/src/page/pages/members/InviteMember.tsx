/** A new member: whom, with which role, until when; then how the person gets in. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { Card, Facts, Glyph, TextField } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange } from "../../data/Read.ts"
import { type Schemas, useAddress, useMay, useSession } from "../../data/Session.ts"
import { Choice } from "../../frame/choice/Choice.tsx"
import { type EndChosen, EndField, useEndFault } from "../../frame/end/EndField.tsx"
import { type End, endOf } from "../../frame/end/Ends.ts"
import { ChangeFault, FaultNotice, fieldFault } from "../../frame/FaultNotice.tsx"
import { frameTexts, type RoleName } from "../../frame/FrameTexts.ts"
import { ThingHead } from "../../frame/ThingHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { HowIn } from "./HowIn.tsx"
import { MemberName } from "./MemberParts.tsx"
import { membersTexts } from "./MembersTexts.ts"
import { canEnd, rolesToGive } from "./Roles.ts"

/** When access can end, in this order. */
export const ENDS: ReadonlyArray<End> = ["never", "friday", "week", "month", "date"]

/** The roles that the person may give, each with what it may do. */
export const RoleChoice = ({
  roles,
  value,
  change,
  error
}: {
  readonly roles: ReadonlyArray<RoleName>
  readonly value: RoleName
  readonly change: (role: RoleName) => void
  readonly error: string | undefined
}) => {
  const texts = useTexts(membersTexts)
  const names = useTexts(frameTexts).roles
  return (
    <Choice
      label={texts.role}
      value={value}
      change={change}
      options={roles.map((role) => ({ value: role, label: names[role], hint: texts.roleHints[role] }))}
      error={error}
    />
  )
}

const Form = ({ added }: { readonly added: (member: Schemas["Member"]) => void }) => {
  const clock = usePageClock()
  const texts = useTexts(membersTexts)
  const address = useAddress()
  const { membership, person } = useSession()
  const { query } = useLocation()
  const roles = rolesToGive(membership.permissions)
  const [email, setEmail] = useState("")
  const [name, setName] = useState("")
  const [role, setRole] = useState<RoleName>(roles.find((one) => one === query.role) ?? "member")
  const [chosen, setChosen] = useState<EndChosen>({ end: "never", date: "" })
  const [isSent, setSent] = useState(false)
  const endFault = useEndFault(chosen)
  const adding = useChange(
    ["members"],
    ({ members }) => {
      const end = canEnd(role) ? endOf(chosen.end, chosen.date, clock.now()) : null
      return members.create({
        email: email.trim(),
        name: name.trim() === "" ? null : name.trim(),
        role,
        ...(typeof end === "string" ? { expires_at: end } : {})
      })
    },
    ({ data }) => added(data)
  )
  return (
    <form
      class="form members-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setSent(true)
        if (email.trim() !== "" && (!canEnd(role) || endFault === undefined)) adding.run(undefined)
      }}
    >
      <TextField
        label={texts.email}
        type="email"
        required
        value={email}
        change={setEmail}
        error={isSent && email.trim() === "" ? texts.emailMissing : fieldFault(adding.fault, "email")}
      />
      <TextField label={texts.name} value={name} change={setName} error={fieldFault(adding.fault, "name")} />
      <RoleChoice roles={roles} value={role} change={setRole} error={fieldFault(adding.fault, "role")} />
      {canEnd(role) ? (
        <EndField
          label={texts.accessEnds}
          ends={ENDS}
          chosen={chosen}
          change={setChosen}
          error={(isSent ? endFault : undefined) ?? fieldFault(adding.fault, "expires_at")}
        />
      ) : (
        <p class="hint">{texts.endless}</p>
      )}
      <ChangeFault fault={adding.fault} />
      <div class="form-actions">
        <a class="button" href={address("members")}>
          {texts.back}
        </a>
        <button type="submit" class="primary" disabled={adding.isRunning}>
          {person.sign_in.mail ? texts.sendInvitation : texts.addIt}
        </button>
      </div>
    </form>
  )
}

/** What the person was given, as the service has it. */
const Given = ({ of: { email, role, expires_at } }: { readonly of: Schemas["Member"] }) => {
  const texts = useTexts(membersTexts)
  const { roles } = useTexts(frameTexts)
  const { moments } = useLanguage()
  return (
    <Card title={texts.given}>
      <Facts
        of={[
          [texts.email, <PlainText key="email" text={email} />],
          [texts.role, `${roles[role]}. ${texts.roleHints[role]}`],
          [texts.accessEnds, expires_at === null ? texts.noEnd : moments.full(Date.parse(expires_at))]
        ]}
      />
    </Card>
  )
}

const Added = ({ of: member, another }: { readonly of: Schemas["Member"]; readonly another: () => void }) => {
  const texts = useTexts(membersTexts)
  const address = useAddress()
  return (
    <Card title={texts.howIn}>
      <HowIn of={member} isSent />
      <p class="form-actions">
        <button type="button" onClick={another}>
          {texts.another}
        </button>
        <a class="button" href={address(`members/${member.id}`)}>
          {texts.show}
        </a>
        <a class="button primary" href={address("members")}>
          <Glyph name="check" /> {texts.done}
        </a>
      </p>
    </Card>
  )
}

/** The form, and then how the person gets in. */
export const InviteMember = () => {
  const texts = useTexts(membersTexts)
  const mayWrite = useMay("members:write")
  const [added, setAdded] = useState<Schemas["Member"]>()
  return (
    <>
      <ThingHead
        page="members"
        title={
          added === undefined ? (
            texts.add
          ) : (
            <>
              {texts.addedTitle}: <MemberName of={added} />
            </>
          )
        }
      />
      {!mayWrite ? (
        <FaultNotice fault={{ kind: "refused", message: "" }} retry={() => undefined} />
      ) : added === undefined ? (
        <Form added={setAdded} />
      ) : (
        <>
          <Given of={added} />
          <Added of={added} another={() => setAdded(undefined)} />
        </>
      )}
    </>
  )
}
