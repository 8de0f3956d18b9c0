/** What the service itself has verified, with the answer in the first line. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Facts, Glyph, Moment } from "@cairn/ui/parts"
import type { Read } from "../../data/Read.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { BreakTable } from "./BreakTable.tsx"
import { integrityTexts } from "./IntegrityTexts.ts"
import { VERDICT_TONES, type VerificationStatus, verdictOf } from "./Verdict.ts"
import { MAX_BREAKS } from "./VerifyRun.ts"

const GLYPHS = { bad: "warning", good: "check", busy: "clock", warning: "warning", calm: "shield" } as const

const Findings = ({ status }: { readonly status: VerificationStatus }) => {
  const texts = useTexts(integrityTexts)
  const { number } = useLanguage()
  const shown = status.findings.slice(0, MAX_BREAKS)
  const more = status.findings_total - shown.length
  return (
    <div class="integrity-findings">
      <h3>{texts.standing(status.findings_total, number(status.findings_total))}</h3>
      <BreakTable
        label={texts.findings}
        breaks={shown}
        found={({ found_at }) =>
          found_at === null ? <span class="muted">{texts.notSaid}</span> : <Moment at={found_at} />
        }
      />
      {more > 0 && <p class="muted">{texts.moreFindings(number(more))}</p>}
    </div>
  )
}

const Answer = ({
  status,
  isReading,
  again
}: {
  readonly status: VerificationStatus
  readonly isReading: boolean
  readonly again: () => void
}) => {
  const texts = useTexts(integrityTexts)
  const { number } = useLanguage()
  const verdict = verdictOf(status)
  const tone = VERDICT_TONES[verdict]
  return (
    <section class="card integrity-verdict" data-tone={tone}>
      <header>
        <Glyph name={GLYPHS[tone]} />
        <div>
          <h2>
            {texts.verdicts[verdict](
              number(status.total),
              number(status.sequence),
              number(status.total - status.sequence)
            )}
          </h2>
          <p>{texts.verdictHints[verdict]}</p>
        </div>
        <button type="button" class="small" disabled={isReading} onClick={again}>
          {texts.refresh}
        </button>
      </header>
      {status.findings_total > 0 && <Findings status={status} />}
      <Facts
        of={[
          [
            texts.self,
            status.paused ? (
              <>
                <Badge tone="warning">{texts.pausedBadge}</Badge> {texts.paused}
              </>
            ) : undefined
          ],
          [
            texts.chain,
            status.began_at === null
              ? undefined
              : texts.chainFact(number(status.sequence), number(status.total))
          ],
          [texts.reachedEnd, status.began_at === null ? undefined : <Moment at={status.reached_end_at} />],
          [texts.began, status.began_at === null ? undefined : <Moment at={status.began_at} />],
          [texts.notHere, <span class="muted">{texts.notHereHint}</span>]
        ]}
      />
    </section>
  )
}

/** The answer, once it is read. */
export const SelfVerification = ({ read }: { readonly read: Read<VerificationStatus> }) => (
  <Loaded read={read}>
    {(status) => <Answer status={status} isReading={read.isReading} again={read.again} />}
  </Loaded>
)
