/** The page. */

import { type Language, LanguageContext, PageClockContext, type ServiceClock } from "@cairn/ui/locale"
import { type LogReader, LogView } from "@cairn/ui/log"
import { Notice } from "@cairn/ui/notice"
import type { LogPart } from "@cairn/ui/place"
import type { ReadonlySignal } from "@preact/signals"

/** What the page shows. */
export interface Shown {
  readonly language: ReadonlySignal<Language>
  /** Undefined without a token. */
  readonly reader: ReadonlySignal<LogReader | undefined>
  /** Whether the product may still give a token. */
  readonly isWaiting: ReadonlySignal<boolean>
  readonly hidden: ReadonlySignal<ReadonlySet<LogPart>>
  readonly clock: ServiceClock
}

/** The page. */
export const App = ({ language, reader, isWaiting, hidden, clock }: Shown) => {
  const { messages } = language.value
  return (
    <LanguageContext.Provider value={language.value}>
      <main>
        <h1 class="hidden">{messages.title}</h1>
        {reader.value !== undefined ? (
          <PageClockContext.Provider value={clock}>
            <LogView reader={reader.value} hidden={hidden.value} />
          </PageClockContext.Provider>
        ) : (
          !isWaiting.value && <Notice title={messages.missing} hint={messages.missingHint} alert />
        )}
      </main>
    </LanguageContext.Provider>
  )
}
