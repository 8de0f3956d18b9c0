/** What a search means, where it found nothing. */
import { useLanguage } from "@cairn/ui/locale"
import type { LogReader } from "@cairn/ui/log"
import { visibleText } from "@cairn/ui/text"
import { useTexts } from "../../locale/Texts.ts"
import { othersThanSearch } from "./Conditions.ts"
import { eventsTexts } from "./EventsTexts.ts"

/** The sentences; nothing without a search. */
export const NothingFound = ({ reader }: { readonly reader: LogReader }) => {
  const texts = useTexts(eventsTexts)
  const { locale, number } = useLanguage()
  const place = reader.place.value
  const { search } = place.filter
  if (search === undefined) return null
  const list = new Intl.ListFormat(locale, { type: "conjunction" })
  const words = list.format(search.map((text) => texts.quoted(visibleText(text, 80))))
  const others = othersThanSearch(place)
  return (
    <>
      <p>{texts.asItStands(search.length, words)}</p>
      {others > 0 && (
        <>
          <p>{texts.others(others, number(others))}</p>
          <button type="button" onClick={() => reader.filterBy({ search })}>
            {texts.clearOthers}
          </button>{" "}
        </>
      )}
    </>
  )
}
