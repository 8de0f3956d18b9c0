/** Which alerts are shown: of which type of rule, and of when. */
import { fromLocalInput, toLocalInput, useLanguage } from "@cairn/ui/locale"
import { SelectField, TextField } from "@cairn/ui/parts"
import { PERIOD_NAMES } from "@cairn/ui/place"
import { useTexts } from "../../locale/Texts.ts"
import { RULE_TYPES, type RuleType } from "../rules/RuleDraft.ts"
import { rulesTexts } from "../rules/RulesTexts.ts"
import { type AlertPlace, EVERYTHING, type Period } from "./AlertPlace.ts"
import { alertsTexts } from "./AlertsTexts.ts"

const CHOICES: ReadonlyArray<Period> = ["all", ...PERIOD_NAMES, "custom"]

/** The ends of a period of one's own. */
const Ends = ({
  place,
  change
}: {
  readonly place: AlertPlace
  readonly change: (place: AlertPlace) => void
}) => {
  const texts = useTexts(alertsTexts)
  const { messages } = useLanguage()
  const { from, to } = place
  const isWrong = from !== "" && to !== "" && Date.parse(from) > Date.parse(to)
  return (
    <>
      <TextField
        label={messages.conditions.from}
        type="datetime-local"
        value={toLocalInput(from)}
        change={(value) => change({ ...place, from: fromLocalInput(value) })}
      />
      <TextField
        label={messages.conditions.to}
        type="datetime-local"
        error={isWrong ? texts.wrongOrder : undefined}
        value={toLocalInput(to)}
        change={(value) => change({ ...place, to: fromLocalInput(value) })}
      />
    </>
  )
}

/** The filters. */
export const AlertFilters = ({
  place,
  change
}: {
  readonly place: AlertPlace
  readonly change: (place: AlertPlace) => void
}) => {
  const texts = useTexts(alertsTexts)
  const { types } = useTexts(rulesTexts)
  const { messages } = useLanguage()
  const options: ReadonlyArray<readonly [RuleType | "", string]> = [
    ["", texts.everyType],
    ...RULE_TYPES.map((type) => [type, types[type].name] as const)
  ]
  return (
    <div class="alerts-filters" role="group" aria-label={messages.filters}>
      <SelectField
        label={texts.type}
        value={place.type ?? ""}
        options={options}
        change={(type) => change({ ...place, type: type === "" ? undefined : type })}
      />
      <SelectField
        label={messages.period}
        value={place.period}
        options={CHOICES.map((period) => [period, messages.periods[period]] as const)}
        change={(period) => change({ ...place, period })}
      />
      {place.period === "custom" && <Ends place={place} change={change} />}
      {(place.type !== undefined || place.period !== "all") && (
        <button type="button" onClick={() => change(EVERYTHING)}>
          {messages.clearFilters}
        </button>
      )}
    </div>
  )
}
