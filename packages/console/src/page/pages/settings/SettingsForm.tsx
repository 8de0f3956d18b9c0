/** A part of the settings that is saved by itself. */
import { Card } from "@cairn/ui/parts"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { type Change, useChange } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { settingsTexts } from "./SettingsTexts.ts"

/** What to change of the workspace. */
export type Patch = Schemas["WorkspacePatch"]

/** A change of settings, and whether it was made since the form was last touched. */
export interface Saving extends Change<Patch> {
  readonly isSaved: boolean
  /** Says that the form was touched. */
  readonly touch: () => void
}

/** Saves settings, and then calls `done`. */
export const useSaving = (done: () => void = () => undefined): Saving => {
  const [isSaved, setSaved] = useState(false)
  const change = useChange<Patch, unknown>(
    ["workspace", "usage"],
    ({ workspace }, patch) => workspace.update(patch),
    () => {
      setSaved(true)
      done()
    }
  )
  return { ...change, isSaved, touch: () => setSaved(false) }
}

/**
 * The part: its fields, and a button. `patch` is what differs from what is stored; undefined while nothing
 * does. `check` says whether it may be sent, and shows what is wrong with it.
 */
export const SettingsForm = ({
  title,
  hint,
  saving,
  patch,
  check = () => true,
  children
}: {
  readonly title: string
  readonly hint: ComponentChildren
  readonly saving: Saving
  readonly patch: Patch | undefined
  readonly check?: () => boolean
  readonly children: ComponentChildren
}) => {
  const texts = useTexts(settingsTexts)
  const mayWrite = useMay("workspace:write")
  return (
    <Card title={title} hint={hint}>
      <form
        class="form settings-form"
        noValidate
        onInput={saving.touch}
        onSubmit={(event) => {
          event.preventDefault()
          if (patch !== undefined && check()) saving.run(patch)
        }}
      >
        <fieldset disabled={!mayWrite}>{children}</fieldset>
        <ChangeFault fault={saving.fault} />
        {mayWrite && (
          <div class="settings-save">
            <span role="status" class="muted">
              {saving.isSaved && patch === undefined ? texts.saved : ""}
            </span>
            <button type="submit" class="primary" disabled={patch === undefined || saving.isRunning}>
              {texts.save} <span class="hidden">{title}</span>
            </button>
          </div>
        )}
      </form>
    </Card>
  )
}
