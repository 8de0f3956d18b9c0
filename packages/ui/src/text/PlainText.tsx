/** Text from outside, shown as text whatever it holds, and unable to turn or hide what stands beside it. */
import { visiblePieces } from "./VisibleText.ts"

/** The text within what keeps it from turning what stands beside it. */
export const Pieces = ({ text, limit }: { readonly text: string; readonly limit?: number }) => (
  <>
    {visiblePieces(text, limit).map(({ text, named }) => (named ? <span class="named">{text}</span> : text))}
  </>
)

/** A text; beyond `limit` characters it is cut. */
export const PlainText = (shown: { readonly text: string; readonly limit?: number }) => (
  <bdi>
    <Pieces {...shown} />
  </bdi>
)
