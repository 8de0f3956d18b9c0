/** A test message, sent while one watches, and what its receiver answered. */
import type { SessionCalls } from "@cairn/client/session"
import { Badge, Dialog, type Tone } from "@cairn/ui/parts"
import { useEffect, useState } from "preact/hooks"
import { useChange } from "../../../data/Read.ts"
import { ChangeFault } from "../../../frame/FaultNotice.tsx"
import { useTexts } from "../../../locale/Texts.ts"
import { AttemptFacts } from "./AttemptFacts.tsx"
import { outcomeOf, type TestDelivery } from "./Delivery.ts"
import { deliveryTexts } from "./DeliveryTexts.ts"
import "./deliveries.css"

/** Sends a test. */
export type SendTest = (calls: SessionCalls) => Promise<{ readonly data: TestDelivery }>

const TONES: Readonly<Record<ReturnType<typeof outcomeOf>, Tone>> = {
  accepted: "good",
  refused: "bad",
  silent: "bad",
  unanswered: "busy"
}

const Outcome = ({ test }: { readonly test: TestDelivery }) => {
  const texts = useTexts(deliveryTexts)
  const outcome = outcomeOf(test)
  if (outcome === "unanswered") return <p>{texts.unanswered}</p>
  return (
    <div class="delivery-outcome">
      <p>
        <Badge tone={TONES[outcome]}>{texts[outcome]}</Badge>
      </p>
      {test.attempt !== undefined && <AttemptFacts attempt={test.attempt} maySee label={texts.test} />}
    </div>
  )
}

/** Sends a test as soon as it is there, and again on request. */
export const TestPanel = ({
  about,
  send,
  close
}: {
  /** What is read again after it. */
  readonly about: ReadonlyArray<string>
  readonly send: SendTest
  readonly close: () => void
}) => {
  const texts = useTexts(deliveryTexts)
  const [test, setTest] = useState<TestDelivery>()
  const sending = useChange(
    about,
    (calls) => send(calls),
    ({ data }) => setTest(data)
  )
  useEffect(() => sending.run({}), [])
  return (
    <div class="delivery-test">
      <div role="status" aria-busy={sending.isRunning}>
        {sending.isRunning ? (
          <p class="muted">
            {texts.testHint} {texts.testing}
          </p>
        ) : (
          test !== undefined && sending.fault === undefined && <Outcome test={test} />
        )}
      </div>
      <ChangeFault fault={sending.fault} />
      <div class="form-actions">
        <button type="button" disabled={sending.isRunning} onClick={() => sending.run({})}>
          {texts.testAgain}
        </button>
        <button type="button" class="primary" onClick={close}>
          {texts.done}
        </button>
      </div>
    </div>
  )
}

/** A test by itself. */
export const TestDialog = ({
  name,
  ...panel
}: {
  readonly name: string
  readonly about: ReadonlyArray<string>
  readonly send: SendTest
  readonly close: () => void
}) => {
  const texts = useTexts(deliveryTexts)
  return (
    <Dialog title={texts.testOf(name)} close={panel.close}>
      <TestPanel {...panel} />
    </Dialog>
  )
}
