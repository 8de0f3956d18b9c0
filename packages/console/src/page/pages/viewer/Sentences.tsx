/** The sentences in which the viewer tells events of the workspace. */
import { Card, TextArea } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { useTexts } from "../../locale/Texts.ts"
import { linesOf, readLines, sentenceFaults } from "./SentenceLines.ts"
import { sentencesTexts } from "./SentencesTexts.ts"

type Settings = Schemas["Workspace"]["viewer"]

const Form = ({ settings }: { readonly settings: Settings }) => {
  const texts = useTexts(sentencesTexts)
  const [lines, setLines] = useState(() => linesOf(settings))
  const [wrong, setWrong] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  const change = useChange(
    ["workspace"],
    ({ workspace }, viewer: Settings) => workspace.update({ viewer }),
    ({ data }) => {
      setLines(linesOf(data.viewer))
      setSaved(true)
    }
  )
  const { fault } = change
  const refused = fault?.kind === "invalid" ? sentenceFaults(fault.fields) : undefined
  const error = wrong === undefined ? refused : texts.wrong(wrong)
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        const read = readLines(lines)
        setWrong(read.wrong[0])
        if (read.wrong.length === 0) change.run(read.settings)
      }}
    >
      <TextArea
        label={texts.lines}
        hint={texts.linesHint}
        value={lines}
        rows={6}
        placeholder="document.* en: {actor} changed {resource}"
        change={(next) => {
          setSaved(false)
          setWrong(undefined)
          change.reset()
          setLines(next)
        }}
        error={error === undefined ? undefined : visibleText(error, 400)}
      />
      {refused === undefined && <ChangeFault fault={fault} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={change.isRunning}>
          {texts.save}
        </button>
        <span role="status" class="muted viewer-said">
          {isSaved && texts.saved}
        </span>
      </div>
    </form>
  )
}

/** The sentences, for roles that cannot change them. */
const Shown = ({ settings }: { readonly settings: Settings }) => {
  const texts = useTexts(sentencesTexts)
  const frame = useTexts(frameTexts)
  const lines = linesOf(settings)
  return (
    <>
      {lines === "" ? (
        <p>{texts.none}</p>
      ) : (
        <ul>
          {lines.split("\n").map((line) => (
            <li key={line}>
              <PlainText text={line} limit={500} />
            </li>
          ))}
        </ul>
      )}
      <p class="muted">{frame.roleCannot}</p>
    </>
  )
}

/** The card. */
export const Sentences = ({ settings }: { readonly settings: Settings }) => {
  const texts = useTexts(sentencesTexts)
  return (
    <Card title={texts.title} hint={texts.hint}>
      {useMay("workspace:write") ? <Form settings={settings} /> : <Shown settings={settings} />}
    </Card>
  )
}
