/** What came of one attempt to send something. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Facts, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useTexts } from "../../../locale/Texts.ts"
import { type Attempt, readable } from "./Delivery.ts"
import { deliveryTexts } from "./DeliveryTexts.ts"

/** A text of several lines, whole, in a box that scrolls. */
export const CodeBox = ({ label, text }: { readonly label: string; readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
  <pre class="delivery-code" tabIndex={0} role="region" aria-label={label}>
    <code>
      <PlainText text={text} />
    </code>
  </pre>
)

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The attempt: when, what was answered, and how long it took. `maySee` is whether the role sees answers. */
export const AttemptFacts = ({
  attempt,
  maySee,
  label
}: {
  readonly attempt: Attempt
  readonly maySee: boolean
  /** What the answer is called for those who listen. */
  readonly label: string
}) => {
  const texts = useTexts(deliveryTexts)
  const { number } = useLanguage()
  const { status, answer, error, duration_ms, started_at } = attempt
  return (
    <Facts
      of={[
        [
          texts.status,
          status === null ? (
            <span class="muted">{texts.noAnswer}</span>
          ) : (
            <Badge tone={isSuccess(status) ? "good" : "bad"}>{String(status)}</Badge>
          )
        ],
        [
          texts.error,
          error === null ? undefined : (
            <span lang="en">
              <PlainText text={error} />
            </span>
          )
        ],
        [texts.started, <Moment key="at" at={started_at} exact />],
        [texts.took, texts.milliseconds(number(duration_ms))],
        [
          texts.answer,
          answer !== "" ? (
            <CodeBox label={`${texts.answer}, ${label}`} text={readable(answer)} />
          ) : maySee ? (
            <span class="muted">{texts.answerEmpty}</span>
          ) : (
            <span class="muted">{texts.answerHidden}</span>
          )
        ]
      ]}
    />
  )
}
