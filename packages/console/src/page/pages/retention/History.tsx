/** What was removed so far, as the log records it, and what removal means. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, Facts } from "@cairn/ui/parts"
import { useAddress } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { retentionTexts } from "./RetentionTexts.ts"
import { useCount } from "./useCount.ts"

/** Leads to the records of an action, and says how many there are. */
const Records = ({ action }: { readonly action: string }) => {
  const texts = useTexts(retentionTexts)
  const { messages, number } = useLanguage()
  const address = useAddress()
  const { data: count, fault } = useCount({ action })
  return (
    <a href={`${address("events")}?${new URLSearchParams({ action })}`}>
      {count !== undefined
        ? texts.records(count, number(count))
        : fault === undefined
          ? messages.loading
          : action}
    </a>
  )
}

/** The cards. */
export const History = () => {
  const texts = useTexts(retentionTexts)
  const address = useAddress()
  return (
    <>
      <Card title={texts.removal}>
        <Facts
          of={[
            [texts.removed, texts.removedFact],
            [texts.stays, texts.staysFact],
            [texts.derived, texts.derivedFact]
          ]}
        />
      </Card>
      <Card title={texts.history} hint={texts.historyHint}>
        <Facts
          of={[
            [texts.byRetention, <Records action="cairn.retention.applied" />],
            [texts.byErasure, <Records action="cairn.event.erased" />],
            [
              texts.changes,
              <a href={`${address("events")}?${new URLSearchParams({ action: "cairn.retention.*" })}`}>
                cairn.retention.*
              </a>
            ]
          ]}
        />
      </Card>
    </>
  )
}
