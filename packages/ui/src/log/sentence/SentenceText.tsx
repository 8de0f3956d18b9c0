/** The sentence of an event, with its picture. */
import type { Event } from "@cairn/core/event"
import { useLanguage } from "../../locale/Messages.ts"
import { Highlighted } from "../../text/Highlight.tsx"
import type { LogReader } from "../LogReader.ts"
import { OwnMark } from "../OwnMark.tsx"
import { kindOf } from "./EventKind.ts"
import { KindIcon } from "./KindIcon.tsx"
import { outcomeOf, type Piece, sentenceOf } from "./Sentence.ts"

interface PieceLook {
  readonly words: ReadonlyArray<string>
  readonly limit: number
}

const PieceText = ({ kind, text, words, limit }: Piece & PieceLook) => {
  const shown = <Highlighted text={text} words={words} limit={limit} />
  if (kind === "name") return <b>{shown}</b>
  return kind === "aside" ? <span class="muted">{shown}</span> : shown
}

/** The sentence; `limit` is how many characters of a name are shown at most. */
export const SentenceText = ({
  reader,
  event,
  limit
}: {
  readonly reader: LogReader
  readonly event: Event
  readonly limit: number
}) => {
  const { locale, messages, number } = useLanguage()
  const { sentence: texts } = messages
  const words = reader.place.value.filter.search ?? []
  const outcome = outcomeOf(event)
  const [language = ""] = locale.split("-")
  const pieces = sentenceOf(event, { texts, language, number, templates: reader.sentences.value })
  return (
    <span class="sentence">
      <KindIcon kind={outcome === undefined ? kindOf(event) : "failure"} />
      <OwnMark of={event} />
      {outcome !== undefined && <span class="outcome">{texts.outcomes[outcome]}: </span>}
      {pieces.map((piece, index) => (
        <PieceText key={index} {...piece} words={words} limit={limit} />
      ))}
    </span>
  )
}
