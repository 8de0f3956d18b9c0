/** The report on the page. */
import { useLayoutEffect, useRef } from "preact/hooks"
import { useTexts } from "../../locale/Texts.ts"
import { checkTexts } from "./CheckTexts.ts"
import type { FinishedCheck } from "./RunCheck.ts"
import { useEngine } from "./useEngine.ts"

/** The report. */
export const ReportSheet = ({ check }: { readonly check: FinishedCheck }) => {
  const texts = useTexts(checkTexts)
  const engine = useEngine()
  const host = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (host.current !== null) engine?.drawReport(host.current, check)
  }, [engine, check])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen it scrolls, for the keyboard, too.
    <section class="check-sheet" tabIndex={0} aria-label={texts.report}>
      <div ref={host} />
    </section>
  )
}
