/** A row whose event is being read. */
import { useLanguage } from "../../locale/Messages.ts"

/** The row; `row` is its number where those who listen come to it. */
export const SkeletonRow = ({ row, top }: { readonly row: number | undefined; readonly top: number }) => {
  const { messages } = useLanguage()
  const place = { transform: `translateY(${top}px)` }
  if (row === undefined) {
    return (
      <div class="row" aria-hidden="true" style={place}>
        <span class="cell-wait" />
      </div>
    )
  }
  return (
    <div class="row" role="row" aria-rowindex={row + 2} style={place}>
      <span class="cell-wait" role="gridcell">
        <span class="hidden">{messages.loading}</span>
      </span>
    </div>
  )
}
