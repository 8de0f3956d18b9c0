/** A key that was made just now: its secret, what to do with it, and what comes of that. */
import { Card, Confirm, CopyButton, Facts, Moment, Secret } from "@cairn/ui/parts"
import { visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { type Schemas, useAddress, useMay } from "../../data/Session.ts"
import { Choice } from "../../frame/choice/Choice.tsx"
import { useLeaving } from "../../frame/leave/Leaving.ts"
import { useTexts } from "../../locale/Texts.ts"
import { markOf } from "./Arrival.ts"
import { FirstEvent } from "./FirstEvent.tsx"
import { keysTexts } from "./KeysTexts.ts"
import { SNIPPET_FILES } from "./SnippetFiles.ts"
import { readingSnippet, type SnippetLanguage, type SnippetPlace, sendingSnippets } from "./Snippets.ts"

/** How to send a first event, in a language of one's choice. */
const Sending = ({ place, copied }: { readonly place: SnippetPlace; readonly copied: () => void }) => {
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
      <Secret label={texts.commands} text={snippet?.commands ?? ""} copied={copied} />
    </div>
  )
}

/** The key. */
export const MadeKey = ({ of: key }: { readonly of: Schemas["CreatedApiKey"] }) => {
  const texts = useTexts(keysTexts)
  const address = useAddress()
  const mayRead = useMay("events:read")
  const place = { url: location.origin, key: key.key, mark: markOf(key) }
  const [isCopied, setCopied] = useState(false)
  const copied = () => setCopied(true)
  const leaving = useLeaving(!isCopied)
  const maySend = key.scopes.includes("ingest")
  return (
    <>
      <Card title={texts.onceTitle} hint={texts.once}>
        <Secret label={texts.key} text={key.key} copied={copied} />
        <div class="keys-facts">
          <Facts
            of={[
              [texts.name, key.name === null ? undefined : visibleText(key.name, 120)],
              [texts.mayDo, key.scopes.map((scope) => texts.scopes[scope]).join(", ")],
              [texts.endsWhen, <Moment at={key.expires_at} exact />]
            ]}
          />
        </div>
        <p class="form-actions">
          <a class="button primary" href={address("keys")}>
            {texts.saved}
          </a>
        </p>
      </Card>
      {maySend && (
        <Card title={texts.sendTitle} hint={texts.sendHint}>
          <Sending place={place} copied={copied} />
        </Card>
      )}
      {maySend && mayRead && <FirstEvent of={key} />}
      {!maySend && key.scopes.includes("read") && (
        <Card title={texts.readTitle}>
          <Secret label={texts.commands} text={readingSnippet(place)} copied={copied} />
        </Card>
      )}
      {leaving !== undefined && (
        <Confirm
          title={texts.leaveTitle}
          action={isCopied ? texts.leaveNow : texts.leaveIt}
          dangerous={!isCopied}
          busy={false}
          confirm={leaving.leave}
          close={leaving.stay}
        >
          <p>{texts.leaveWhat}</p>
          <p>
            <CopyButton text={key.key} label={texts.copyKey} copied={copied} />
          </p>
        </Confirm>
      )}
    </>
  )
}
