/** Whether the log is whole, in a sentence, with what that rests on. */
import { millisOf, useLanguage } from "@cairn/ui/locale"
import { Badge, Card, Facts, Moment, type Tone } from "@cairn/ui/parts"
import { type Schemas, useAddress } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { overviewTexts } from "./OverviewTexts.ts"
import type { Readings } from "./Readings.ts"

/**
 * A pass that has begun anew says nothing against the one before it, and an event of a moment ago is checked
 * a moment later.
 */
const toneOf = ({ valid, reached_end_at: end }: Schemas["LogVerificationStatus"]): Tone =>
  valid ? (end === null ? "busy" : "good") : "bad"

/** The sentence. */
const Statement = ({ status }: { readonly status: Schemas["LogVerificationStatus"] }) => {
  const texts = useTexts(overviewTexts)
  const { number, moments } = useLanguage()
  const address = useAddress()
  const { valid, sequence, total, reached_end_at: end, findings_total: findings } = status
  const said = !valid
    ? texts.broken(number(findings))
    : end !== null
      ? texts.wholeAll(moments.relative(millisOf(end), Date.now()))
      : status.began_at === null
        ? texts.wholeNothing
        : texts.wholeSoFar(number(sequence), number(total))
  return (
    <div class="overview-statement" data-tone={toneOf(status)}>
      <p>
        <Badge tone={toneOf(status)}>{said}</Badge>
      </p>
      {!valid && <a href={address("integrity")}>{texts.brokenHint}</a>}
      {end !== null && !status.complete && (
        <p class="muted">{texts.wholeSoFar(number(sequence), number(total))}</p>
      )}
      {status.paused && <p class="muted">{texts.paused}</p>}
    </div>
  )
}

/** The newest checkpoint. */
const Checkpoint = ({
  checkpoint
}: {
  readonly checkpoint: Schemas["SignedCheckpoint"] | null | undefined
}) => {
  const texts = useTexts(overviewTexts)
  const { number } = useLanguage()
  if (checkpoint === undefined) return <>…</>
  if (checkpoint === null) return <span class="muted">{texts.noCheckpoint}</span>
  return (
    <>
      {texts.events(checkpoint.size, number(checkpoint.size))}, <Moment at={checkpoint.signed_at} />
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
                [texts.newestCheckpoint, <Checkpoint key="checkpoint" checkpoint={checkpoint.data} />],
                [texts.newestAnchor, <Anchor key="anchor" anchor={anchor.data} />]
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
