/** Text from outside, shown as text whatever it holds, and unable to turn or hide what stands beside it. */
import { visiblePieces } from "./VisibleText.ts"

/** A text; beyond `limit` characters it is cut. */
export const PlainText = ({ text, limit }: { readonly text: string; readonly limit?: number }) => (
  <bdi>
    {visiblePieces(text, limit).map(({ text, named }) => (named ? <span class="named">{text}</span> : text))}
  </bdi>
)
