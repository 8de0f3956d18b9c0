/** Whether the log is whole, in a sentence, with what that rests on. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, Facts, Moment } from "@cairn/ui/parts"
import type { ComponentChildren } from "preact"
import { type Schemas, useAddress } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { integrityTexts } from "../integrity/IntegrityTexts.ts"
import { readNote } from "../integrity/ReadNote.ts"
import { VERDICT_TONES, verdictOf } from "../integrity/Verdict.ts"
import { overviewTexts } from "./OverviewTexts.ts"
import type { Readings } from "./Readings.ts"

/** The sentence, which is that of the page on integrity. */
const Statement = ({ status }: { readonly status: Schemas["LogVerificationStatus"] }) => {
  const texts = useTexts(overviewTexts)
  const { verdicts } = useTexts(integrityTexts)
  const { number } = useLanguage()
  const address = useAddress()
  const { sequence, total } = status
  const verdict = verdictOf(status)
  return (
    <div class="overview-statement">
      <p>
        <Badge tone={VERDICT_TONES[verdict]}>
          {verdicts[verdict](number(total), number(sequence), number(total - sequence))}
        </Badge>
      </p>
      {verdict === "broken" && <a href={address("integrity")}>{texts.brokenHint}</a>}
      {status.paused && <p class="muted">{texts.paused}</p>}
    </div>
  )
}

/** The newest checkpoint. A service that does not sign says so with "unavailable". */
const Checkpoint = ({ data, fault }: Readings["checkpoint"]) => {
  const texts = useTexts(overviewTexts)
  const { number } = useLanguage()
  if (data === undefined) {
    if (fault === undefined) return <>…</>
    return <span class="muted">{fault.kind === "unavailable" ? texts.noCheckpoint : texts.notRead}</span>
  }
  const read = readNote(data.note)
  if (read === undefined) return <span class="muted">{texts.notRead}</span>
  const { size } = read.checkpoint
  return (
    <>
      {texts.signedAt(size, number(size))}, <Moment at={data.at} />
    </>
  )
}

/** The newest anchor. */
const Anchor = ({ anchor }: { readonly anchor: Schemas["Anchor"] | null | undefined }) => {
  const texts = useTexts(overviewTexts)
  const { number } = useLanguage()
  if (anchor === undefined) return <>…</>
  if (anchor === null) return <span class="muted">{texts.noAnchor}</span>
  return (
    <>
      {texts.events(anchor.events_count, number(anchor.events_count))}, {texts.anchorStates[anchor.status]}
    </>
  )
}

/** A fact, and what its name means. */
const Explained = ({
  meaning,
  children
}: {
  readonly meaning: string
  readonly children: ComponentChildren
}) => (
  <>
    {children}
    <div class="muted overview-meaning">{meaning}</div>
  </>
)

/** The card. */
export const IntegrityCard = ({ verification, checkpoint, anchor }: Readings) => {
  const texts = useTexts(overviewTexts)
  const address = useAddress()
  return (
    <Card title={texts.whole} actions={<a href={address("integrity")}>{texts.integrity}</a>}>
      <Loaded read={verification}>
        {(status) => (
          <>
            <Statement status={status} />
            <Facts
              of={[
                [texts.checkedSince, <Moment key="end" at={status.reached_end_at} />],
                [
                  texts.newestCheckpoint,
                  <Explained key="checkpoint" meaning={texts.checkpointMeaning}>
                    <Checkpoint {...checkpoint} />
                  </Explained>
                ],
                [
                  texts.newestAnchor,
                  <Explained key="anchor" meaning={texts.anchorMeaning}>
                    <Anchor anchor={anchor.data} />
                  </Explained>
                ]
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
