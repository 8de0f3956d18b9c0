/** The page. */

import { type Language, LanguageContext, PageClockContext, type ServiceClock } from "@cairn/ui/locale"
import { type LogReader, LogView } from "@cairn/ui/log"
import { Notice } from "@cairn/ui/notice"

/** The page, in a language; `reader` is undefined if it was opened without a token. */
export const App = ({
  reader,
  clock,
  language
}: {
  readonly reader: LogReader | undefined
  readonly clock: ServiceClock
  readonly language: Language
}) => {
  const { messages } = language
  return (
    <LanguageContext.Provider value={language}>
      <main>
        <h1 class="hidden">{messages.title}</h1>
        {reader === undefined ? (
          <Notice title={messages.missing} hint={messages.missingHint} alert />
        ) : (
          <PageClockContext.Provider value={clock}>
            <LogView reader={reader} />
          </PageClockContext.Provider>
        )}
      </main>
    </LanguageContext.Provider>
  )
}
