/** Who may embed the viewer. */
import { Card, SelectField, TextArea } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { useTexts } from "../../locale/Texts.ts"
import { type AncestorsDraft, ancestorFaults, ancestorsOf, draftOf } from "./Ancestors.ts"
import { embeddingTexts } from "./EmbeddingTexts.ts"

const CHOICES = ["service", "nobody", "listed"] as const

type Ancestors = Schemas["Workspace"]["viewer_frame_ancestors"]

const Form = ({ ancestors }: { readonly ancestors: Ancestors }) => {
  const texts = useTexts(embeddingTexts)
  const [draft, setDraft] = useState(() => draftOf(ancestors))
  const [said, setSaid] = useState<"nothing" | "saved" | "none">("nothing")
  const change = useChange(
    ["workspace"],
    ({ workspace }, viewer_frame_ancestors: Ancestors) => workspace.update({ viewer_frame_ancestors }),
    ({ data }) => {
      setDraft(draftOf(data.viewer_frame_ancestors))
      setSaid("saved")
    }
  )
  const edit = (next: Partial<AncestorsDraft>) => {
    setSaid("nothing")
    change.reset()
    setDraft({ ...draft, ...next })
  }
  const wanted = ancestorsOf(draft)
  const { fault } = change
  const refused = fault?.kind === "invalid" ? ancestorFaults(wanted ?? [], fault.fields) : undefined
  return (
    <form
      class="form viewer-narrow"
      onSubmit={(event) => {
        event.preventDefault()
        if (draft.choice === "listed" && wanted?.length === 0) setSaid("none")
        else change.run(wanted)
      }}
    >
      <SelectField
        label={texts.who}
        hint={texts.choiceHints[draft.choice]}
        value={draft.choice}
        change={(choice) => edit({ choice })}
        options={CHOICES.map((choice) => [choice, texts.choices[choice]])}
      />
      {draft.choice === "listed" && (
        <TextArea
          label={texts.origins}
          hint={texts.originsHint}
          value={draft.lines}
          rows={4}
          placeholder="https://app.example.com"
          change={(lines) => edit({ lines })}
          error={said === "none" ? texts.none : refused === undefined ? undefined : visibleText(refused, 400)}
        />
      )}
      {refused === undefined && <ChangeFault fault={fault} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={change.isRunning}>
          {texts.save}
        </button>
        <span role="status" class="muted viewer-said">
          {said === "saved" && texts.saved}
        </span>
      </div>
    </form>
  )
}

/** The setting, for roles that cannot change it. */
const Shown = ({ ancestors }: { readonly ancestors: Ancestors }) => {
  const texts = useTexts(embeddingTexts)
  const frame = useTexts(frameTexts)
  const { choice } = draftOf(ancestors)
  return (
    <>
      <p>{texts.choices[choice]}</p>
      <ul>
        {(ancestors ?? []).map((ancestor) => (
          <li key={ancestor}>
            <PlainText text={ancestor} limit={200} />
          </li>
        ))}
      </ul>
      <p class="muted">{frame.roleCannot}</p>
    </>
  )
}

/** The card. */
export const Embedding = ({ ancestors }: { readonly ancestors: Ancestors }) => {
  const texts = useTexts(embeddingTexts)
  return (
    <Card title={texts.title} hint={texts.hint}>
      {useMay("workspace:write") ? <Form ancestors={ancestors} /> : <Shown ancestors={ancestors} />}
    </Card>
  )
}
