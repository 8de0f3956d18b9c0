/** How the check stands, its verdict, and the report. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, FormError, Glyph, type Tone } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { useTexts } from "../../locale/Texts.ts"
import { fileSize } from "../exports/Export.ts"
import { checkTexts, type ShownVerdict } from "./CheckTexts.ts"
import { ReportSheet } from "./ReportSheet.tsx"
import type { FinishedCheck } from "./RunCheck.ts"
import type { Check, CheckState } from "./useCheck.ts"
import { useEngine } from "./useEngine.ts"
import { verdictOf } from "./Verdict.ts"

const TONES: Readonly<Record<ShownVerdict, Tone>> = {
  intact: "good",
  part: "warning",
  continued: "good",
  consistent: "warning",
  tampered: "bad",
  unproven: "warning",
  unreadable: "bad"
}

/** Whether somebody types, whose place must not be lost. */
const isTyping = (): boolean => document.activeElement?.closest(".check-known") != null

/** Moves there when something new is to be read, unless somebody types. */
const useArrival = (what: unknown): RefObject<HTMLElement | null> => {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isTyping()) return
    // Its beginning, however long it is.
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: "start" })
  }, [what])
  return place
}

const Finished = ({ check, clear }: { readonly check: FinishedCheck; readonly clear: () => void }) => {
  const texts = useTexts(checkTexts)
  const engine = useEngine()
  const verdict = verdictOf(check)
  const { word, sentence } = texts.verdicts[verdict]
  const place = useArrival(check)
  return (
    <section class="card check-result" tabIndex={-1} ref={place} aria-labelledby="check-verdict">
      <h2 id="check-verdict">
        <Badge tone={TONES[verdict]}>{word}</Badge>
      </h2>
      <p>{sentence}</p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => engine?.saveReport(check)}>
          <Glyph name="download" /> {texts.save}
        </button>
        <button type="button" onClick={() => print()}>
          {texts.print}
        </button>
        <button type="button" onClick={clear}>
          {texts.another}
        </button>
      </div>
      <ReportSheet check={check} />
    </section>
  )
}

const Running = ({
  state: { read, total },
  cancel
}: {
  readonly state: Extract<CheckState, { kind: "running" }>
  readonly cancel: () => void
}) => {
  const texts = useTexts(checkTexts)
  const { locale } = useLanguage()
  return (
    <Card title={texts.running}>
      <div class="check-running">
        <progress max={Math.max(1, total)} value={read} aria-label={texts.running} />
        <p>{texts.progress(fileSize(read, locale), fileSize(total, locale))}</p>
        <button type="button" onClick={cancel}>
          {texts.cancel}
        </button>
      </div>
    </Card>
  )
}

const Ended = ({ again }: { readonly again: () => void }) => {
  const texts = useTexts(checkTexts)
  const place = useArrival(again)
  return (
    <section class="card check-result" tabIndex={-1} ref={place} aria-label={texts.cancelled}>
      <p>{texts.cancelled}</p>
      <button type="button" onClick={again}>
        {texts.again}
      </button>
    </section>
  )
}

/** What is said aloud; the report itself is read where the focus is then. */
const Announced = ({ state, hasFaults }: { readonly state: CheckState; readonly hasFaults: boolean }) => {
  const texts = useTexts(checkTexts)
  if (hasFaults) return <>{texts.correct}</>
  if (state.kind === "running") return <>{texts.running}</>
  if (state.kind !== "done") return null
  const { word, sentence } = texts.verdicts[verdictOf(state)]
  return (
    <>
      {word}. {sentence}
    </>
  )
}

/** How the check stands. */
export const Result = ({
  check: { state, cancel, again },
  hasFaults,
  clear
}: {
  readonly check: Check
  /** Whether a file waits for what is known to be corrected. */
  readonly hasFaults: boolean
  readonly clear: () => void
}) => {
  const texts = useTexts(checkTexts)
  return (
    <>
      <p role="status" class={hasFaults ? "check-waits" : "hidden"}>
        <Announced state={state} hasFaults={hasFaults} />
      </p>
      {state.kind === "running" && <Running state={state} cancel={cancel} />}
      {state.kind === "cancelled" && <Ended again={again} />}
      {state.kind === "failed" && (
        <FormError>
          <PlainText text={texts.failures[state.reason](visibleText(state.name, 120))} />
        </FormError>
      )}
      {state.kind === "done" && <Finished check={state} clear={clear} />}
    </>
  )
}
