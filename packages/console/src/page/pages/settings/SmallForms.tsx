/** Settings of one field each. */
import { CheckField, TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { type Schemas, useSession } from "../../data/Session.ts"
import { Choice } from "../../frame/choice/Choice.tsx"
import { fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { SettingsForm, useSaving } from "./SettingsForm.tsx"
import { settingsTexts } from "./SettingsTexts.ts"

interface Props {
  readonly of: Schemas["Workspace"]
}

/** The workspace's name. */
export const NameForm = ({ of: workspace }: Props) => {
  const texts = useTexts(settingsTexts)
  // The frame shows the name, too.
  const saving = useSaving(useSession().renew)
  const [typed, setName] = useState<string>()
  const name = typed ?? workspace.name
  const [isEmpty, setEmpty] = useState(false)
  return (
    <SettingsForm
      title={texts.name}
      hint={texts.nameHint}
      saving={saving}
      patch={name.trim() === workspace.name ? undefined : { name: name.trim() }}
      check={() => {
        setEmpty(name.trim() === "")
        return name.trim() !== ""
      }}
    >
      <TextField
        label={texts.nameLabel}
        required
        value={name}
        change={setName}
        error={isEmpty && name.trim() === "" ? texts.nameMissing : fieldFault(saving.fault, "name")}
      />
    </SettingsForm>
  )
}

/** What becomes of events with members that the service does not know. */
export const UnknownFieldsForm = ({ of: { unknown_fields } }: Props) => {
  const texts = useTexts(settingsTexts)
  const saving = useSaving()
  const [chosen, setValue] = useState<typeof unknown_fields>()
  const value = chosen ?? unknown_fields
  return (
    <SettingsForm
      title={texts.unknown}
      hint={texts.unknownHint}
      saving={saving}
      patch={value === unknown_fields ? undefined : { unknown_fields: value }}
    >
      <Choice
        label={texts.unknownLabel}
        value={value}
        change={setValue}
        options={(["reject", "warn"] as const).map((one) => ({
          value: one,
          label: texts.unknowns[one],
          hint: texts.unknownHints[one]
        }))}
        error={fieldFault(saving.fault, "unknown_fields")}
      />
    </SettingsForm>
  )
}

/** Whether what API keys read is recorded. */
export const KeyAccessForm = ({ of: { key_access_events } }: Props) => {
  const texts = useTexts(settingsTexts)
  const saving = useSaving()
  const [chosen, setValue] = useState<boolean>()
  const value = chosen ?? key_access_events
  return (
    <SettingsForm
      title={texts.access}
      hint={texts.accessHint}
      saving={saving}
      patch={value === key_access_events ? undefined : { key_access_events: value }}
    >
      <CheckField label={texts.accessLabel} hint={texts.accessFieldHint} value={value} change={setValue} />
    </SettingsForm>
  )
}
