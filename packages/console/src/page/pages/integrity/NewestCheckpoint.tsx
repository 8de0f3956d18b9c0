/** The newest checkpoint, to be copied and kept elsewhere. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, CopyButton, Facts, Moment, Secret } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import type { Read } from "../../data/Read.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { checkpointTexts } from "./CheckpointTexts.ts"
import type { FetchedNote } from "./FetchedNote.ts"
import { type ReadNote, readNote } from "./ReadNote.ts"

const Keys = ({ keys }: Pick<ReadNote, "keys">) => {
  const texts = useTexts(checkpointTexts)
  return (
    <>
      {keys.map(({ name, id }) => (
        <div key={`${name} ${id}`}>
          <PlainText text={name} limit={120} /> <code>{id}</code>
        </div>
      ))}
      <div class="muted integrity-small">{texts.keysHint}</div>
    </>
  )
}

const Contents = ({ note, at }: FetchedNote) => {
  const texts = useTexts(checkpointTexts)
  const { number } = useLanguage()
  const read = readNote(note)
  if (read === undefined) return <p role="alert">{texts.unreadable}</p>
  return (
    <div class="integrity-stack">
      <Facts
        of={[
          [texts.events, number(read.checkpoint.size)],
          [
            texts.root,
            <>
              <code>{read.root}</code> <CopyButton text={read.root} />
              <div class="muted integrity-small">{texts.rootHint}</div>
            </>
          ],
          [
            texts.signed,
            <>
              <Moment at={at} exact /> <span class="muted">({texts.signedNow})</span>
            </>
          ],
          [texts.keys, <Keys keys={read.keys} />],
          [texts.log, <PlainText text={read.checkpoint.origin} limit={200} />]
        ]}
      />
      <p class="muted integrity-small">{texts.noteHint}</p>
      <Secret label={texts.note} text={note} />
    </div>
  )
}

/** The checkpoint. A service that does not sign says so with "unavailable", which would be no help here. */
export const NewestCheckpoint = ({ read }: { readonly read: Read<FetchedNote> }) => {
  const texts = useTexts(checkpointTexts)
  const { messages } = useLanguage()
  return (
    <Card title={texts.title} hint={texts.hint}>
      {read.data === undefined && read.fault?.kind === "unavailable" ? (
        <div class="integrity-stack" role="alert">
          <p>{texts.unsigned}</p>
          <p>
            <button type="button" onClick={read.again}>
              {messages.retry}
            </button>
          </p>
        </div>
      ) : (
        <Loaded read={read}>{(fetched) => <Contents {...fetched} />}</Loaded>
      )}
    </Card>
  )
}
