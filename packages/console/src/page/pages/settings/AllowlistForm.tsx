/** From which addresses the workspace may be used. */
import { TextArea } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { type Schemas, useMay, useSession } from "../../data/Session.ts"
import { Choice } from "../../frame/choice/Choice.tsx"
import { fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { EVERYWHERE, isLetIn, isOpen, linesOf, wrongLines } from "./Allowlist.ts"
import { SettingsForm, useSaving } from "./SettingsForm.tsx"
import { settingsTexts } from "./SettingsTexts.ts"

/** What the form holds of a stored list. */
const formOf = (list: ReadonlyArray<string>) => ({
  isEverywhere: isOpen(list),
  text: isOpen(list) ? "" : list.join("\n")
})

/** The list of the form. What was open stays as it was. */
const listOf = (stored: ReadonlyArray<string>, isEverywhere: boolean, lines: ReadonlyArray<string>) =>
  isEverywhere ? (isOpen(stored) ? stored : EVERYWHERE) : lines

/** The person's own address, and that the list would shut it out. */
const OwnAddress = ({
  address,
  lines,
  add
}: {
  readonly address: string
  readonly lines: ReadonlyArray<string>
  readonly add: () => void
}) => {
  const texts = useTexts(settingsTexts)
  const mayWrite = useMay("workspace:write")
  const isOut = lines.length > 0 && !isLetIn(address, lines)
  return (
    <div class={isOut ? "settings-warning" : "settings-own"} role="status">
      <p>
        {texts.ownAddress}{" "}
        <code>
          <PlainText text={address} />
        </code>
        . {isOut && texts.shutOut}
      </p>
      {mayWrite && !isLetIn(address, lines) && (
        <button type="button" class="small" onClick={add}>
          {texts.addOwn}
        </button>
      )}
    </div>
  )
}

/** The form. */
export const AllowlistForm = ({ of: { ip_allowlist: stored } }: { readonly of: Schemas["Workspace"] }) => {
  const texts = useTexts(settingsTexts)
  const saving = useSaving()
  const address = useSession().person.session.client_address
  const [touched, setForm] = useState<ReturnType<typeof formOf>>()
  const { isEverywhere, text } = touched ?? formOf(stored)
  const [isSent, setSent] = useState(false)
  const lines = linesOf(text)
  const wrong = wrongLines(lines)
  const list = listOf(stored, isEverywhere, lines)
  const fault = isEverywhere
    ? undefined
    : lines.length === 0
      ? texts.listMissing
      : wrong.length > 0
        ? texts.wrongLines(wrong.slice(0, 3).join(", "))
        : undefined
  const isChanged = list.join("\n") !== stored.join("\n")
  return (
    <SettingsForm
      title={texts.allowlist}
      hint={texts.allowlistHint}
      saving={saving}
      patch={isChanged ? { ip_allowlist: list } : undefined}
      check={() => {
        setSent(true)
        return fault === undefined
      }}
    >
      <Choice
        label={texts.from}
        isLine
        value={isEverywhere ? "everywhere" : "listed"}
        change={(value) => setForm({ isEverywhere: value === "everywhere", text })}
        options={[
          { value: "everywhere", label: texts.everywhere },
          { value: "listed", label: texts.listed }
        ]}
      />
      {!isEverywhere && (
        <>
          <TextArea
            label={texts.addresses}
            hint={texts.addressesHint}
            rows={6}
            placeholder={"192.0.2.0/24\n2001:db8::/32"}
            value={text}
            change={(value) => setForm({ isEverywhere, text: value })}
            error={(isSent ? fault : undefined) ?? fieldFault(saving.fault, "ip_allowlist")}
          />
          {address !== null && (
            <OwnAddress
              address={address}
              lines={lines}
              add={() => setForm({ isEverywhere, text: [...lines, address].join("\n") })}
            />
          )}
        </>
      )}
    </SettingsForm>
  )
}
