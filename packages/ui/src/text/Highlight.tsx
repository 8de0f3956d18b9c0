/** Text from outside in which the words that were searched for stand out. */
import { hitsIn } from "./Hits.ts"
import { Pieces } from "./PlainText.tsx"
import { shortened } from "./VisibleText.ts"

/** A text as `PlainText` shows it, with `words` marked; beyond `limit` characters it is cut. */
export const Highlighted = ({
  text,
  words,
  limit
}: {
  readonly text: string
  readonly words: ReadonlyArray<string>
  readonly limit?: number
}) => (
  <bdi>
    {hitsIn(shortened(text, limit), words).map(({ text, isHit }) =>
      isHit ? (
        <mark>
          <Pieces text={text} />
        </mark>
      ) : (
        <Pieces text={text} />
      )
    )}
  </bdi>
)
