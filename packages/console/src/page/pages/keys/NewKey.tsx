/** A new key: what it is for, and when it ends; then the key itself, this once. */
import { toLocalInput, useLanguage, usePageClock } from "@cairn/ui/locale"
import { CheckField, FormError, TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange } from "../../data/Read.ts"
import { type Schemas, useAddress, useMay, useSession } from "../../data/Session.ts"
import { Choice } from "../../frame/choice/Choice.tsx"
import { type EndChosen, EndField, useEndFault } from "../../frame/end/EndField.tsx"
import { type End, endOf } from "../../frame/end/Ends.ts"
import { ChangeFault, FaultNotice, fieldFault } from "../../frame/FaultNotice.tsx"
import { ThingHead } from "../../frame/ThingHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { keysTexts } from "./KeysTexts.ts"
import { MadeKey } from "./MadeKey.tsx"
import { type Purpose, purposeNamed, purposesFor, type Scope, scopesOf, scopesToGive } from "./Purposes.ts"

const ENDS: ReadonlyArray<End> = ["never", "month", "quarter", "year", "date"]

/** The ends that a person can give: all within the person's own access. */
const endsWithin = (until: string | null, now: number): ReadonlyArray<End> =>
  until === null
    ? ENDS
    : ENDS.filter((end) => {
        if (end === "date") return true
        const at = endOf(end, "", now)
        return typeof at === "string" && at <= until
      })

/** The scopes of a key for a purpose of one's own. */
const Scopes = ({
  given,
  picked,
  pick
}: {
  readonly given: ReadonlyArray<Scope>
  readonly picked: ReadonlyArray<Scope>
  readonly pick: (scopes: ReadonlyArray<Scope>) => void
}) => {
  const texts = useTexts(keysTexts)
  return (
    <fieldset>
      <legend>{texts.mayDo}</legend>
      {given.map((scope) => (
        <CheckField
          key={scope}
          label={texts.scopes[scope]}
          hint={texts.scopeHints[scope]}
          value={picked.includes(scope)}
          change={(isPicked) =>
            pick(isPicked ? [...picked, scope] : picked.filter((other) => other !== scope))
          }
        />
      ))}
      {!given.includes("admin") && <p class="hint">{texts.noAdmin}</p>}
    </fieldset>
  )
}

/** What the form holds, what is wrong with it, and what makes the key. */
const useForm = (until: string | null, made: (key: Schemas["CreatedApiKey"]) => void) => {
  const clock = usePageClock()
  const texts = useTexts(keysTexts)
  const asked = purposeNamed(useLocation().query.for)
  const [name, setName] = useState("")
  const [purpose, setPurpose] = useState<Purpose>(asked ?? "send")
  const [picked, setPicked] = useState<ReadonlyArray<Scope>>([])
  const [chosen, setChosen] = useState<EndChosen>({
    end: until === null ? "never" : "date",
    date: toLocalInput(until ?? undefined)
  })
  const [isSent, setSent] = useState(false)
  const endFault = useEndFault(chosen)
  const scopes = scopesOf(purpose, picked)
  const making = useChange(
    ["keys"],
    ({ apiKeys }) => {
      const end = endOf(chosen.end, chosen.date, clock.now())
      return apiKeys.create({
        name: name.trim(),
        scopes,
        ...(typeof end === "string" ? { expires_at: end } : {})
      })
    },
    ({ data }) => made(data)
  )
  const submit = () => {
    setSent(true)
    if (scopes.length > 0 && endFault === undefined && name.trim() !== "") making.run(undefined)
  }
  return {
    name,
    setName,
    purpose,
    setPurpose,
    picked,
    setPicked,
    chosen,
    setChosen,
    making,
    submit,
    faults: {
      name: (isSent && name.trim() === "" ? texts.nameless : undefined) ?? fieldFault(making.fault, "name"),
      scopes: isSent && scopes.length === 0 ? texts.noScopes : undefined,
      end: (isSent ? endFault : undefined) ?? fieldFault(making.fault, "expires_at")
    }
  }
}

const Form = ({ made }: { readonly made: (key: Schemas["CreatedApiKey"]) => void }) => {
  const clock = usePageClock()
  const texts = useTexts(keysTexts)
  const address = useAddress()
  const { moments } = useLanguage()
  const { membership } = useSession()
  const given = scopesToGive(membership.permissions)
  const purposes = purposesFor(given)
  const until = membership.expires_at
  const form = useForm(until, made)
  const { name, setName, purpose, setPurpose, picked, setPicked, chosen, setChosen, making, faults } = form
  return (
    <form
      class="form keys-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        form.submit()
      }}
    >
      <Choice
        label={texts.purpose}
        value={purpose}
        change={setPurpose}
        options={purposes.map((value) => ({
          value,
          label: texts.purposes[value],
          hint: texts.purposeHints[value]
        }))}
      />
      {purpose === "custom" && <Scopes given={given} picked={picked} pick={setPicked} />}
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        change={setName}
        required
        error={faults.name}
      />
      <EndField
        label={texts.endsWhen}
        ends={endsWithin(until, clock.now())}
        chosen={chosen}
        change={setChosen}
        error={faults.end}
      />
      {until !== null && <p class="hint">{texts.ownEnd(moments.full(Date.parse(until)))}</p>}
      {faults.scopes !== undefined && <FormError>{faults.scopes}</FormError>}
      <ChangeFault fault={making.fault} />
      <div class="form-actions">
        <a class="button" href={address("keys")}>
          {texts.back}
        </a>
        <button type="submit" class="primary" disabled={making.isRunning}>
          {texts.makeIt}
        </button>
      </div>
    </form>
  )
}

/** The form, and then the key. */
export const NewKey = () => {
  const texts = useTexts(keysTexts)
  const mayWrite = useMay("api_keys:write")
  const [made, setMade] = useState<Schemas["CreatedApiKey"]>()
  return (
    <>
      <ThingHead page="keys" title={made === undefined ? texts.newKey : texts.madeTitle} />
      {!mayWrite ? (
        <FaultNotice fault={{ kind: "refused", message: "" }} retry={() => undefined} />
      ) : made === undefined ? (
        <Form made={setMade} />
      ) : (
        <MadeKey of={made} />
      )}
    </>
  )
}
