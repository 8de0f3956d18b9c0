/** A key that was made just now: its secret, what to do with it, and what comes of that. */
import { Card, Facts, Moment, Secret } from "@cairn/ui/parts"
import { visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { type Schemas, useAddress, useMay } from "../../data/Session.ts"
import { Choice } from "../../frame/choice/Choice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { markOf } from "./Arrival.ts"
import { FirstEvent } from "./FirstEvent.tsx"
import { keysTexts } from "./KeysTexts.ts"
import { SNIPPET_FILES } from "./SnippetFiles.ts"
import { readingSnippet, type SnippetLanguage, type SnippetPlace, sendingSnippets } from "./Snippets.ts"

/** How to send a first event, in a language of one's choice. */
const Sending = ({ place }: { readonly place: SnippetPlace }) => {
  const texts = useTexts(keysTexts)
  const [language, setLanguage] = useState<SnippetLanguage>("curl")
  const snippets = sendingSnippets(SNIPPET_FILES, place)
  const snippet = snippets.find((one) => one.language === language)
  return (
    <div class="form keys-snippet">
      <Choice
        label={texts.language}
        isLine
        value={language}
        change={setLanguage}
        options={snippets.map((one) => ({ value: one.language, label: one.language }))}
      />
      {snippet?.file !== undefined && (
        <>
          <p>{texts.writeFile(snippet.file.name)}</p>
          <Secret label={snippet.file.name} text={snippet.file.text} />
        </>
      )}
      <p>{texts.runThis}</p>
      <Secret label={texts.commands} text={snippet?.commands ?? ""} />
    </div>
  )
}

/** The key. */
export const MadeKey = ({ of: key }: { readonly of: Schemas["CreatedApiKey"] }) => {
  const texts = useTexts(keysTexts)
  const address = useAddress()
  const mayRead = useMay("events:read")
  const place = { url: location.origin, key: key.key, mark: markOf(key) }
  const maySend = key.scopes.includes("ingest")
  return (
    <>
      <Card title={texts.onceTitle} hint={texts.once}>
        <Secret label={texts.key} text={key.key} />
        <div class="keys-facts">
          <Facts
            of={[
              [texts.name, key.name === null ? undefined : visibleText(key.name, 120)],
              [texts.mayDo, key.scopes.map((scope) => texts.scopes[scope]).join(", ")],
              [texts.endsWhen, <Moment at={key.expires_at} exact />]
            ]}
          />
        </div>
      </Card>
      {maySend && (
        <Card title={texts.sendTitle} hint={texts.sendHint}>
          <Sending place={place} />
        </Card>
      )}
      {maySend && mayRead && <FirstEvent of={key} />}
      {!maySend && key.scopes.includes("read") && (
        <Card title={texts.readTitle}>
          <Secret label={texts.commands} text={readingSnippet(place)} />
        </Card>
      )}
      <p class="form-actions">
        <a class="button primary" href={address("keys")}>
          {texts.saved}
        </a>
      </p>
    </>
  )
}
