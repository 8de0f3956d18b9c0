/** The page. */

import { type Language, LanguageContext } from "@cairn/ui/locale"
import { type LogReader, LogView } from "@cairn/ui/log"
import { Notice } from "@cairn/ui/notice"

/** The page, in a language; `reader` is undefined if it was opened without a token. */
export const App = ({
  reader,
  language
}: {
  readonly reader: LogReader | undefined
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
          <LogView reader={reader} />
        )}
      </main>
    </LanguageContext.Provider>
  )
}
