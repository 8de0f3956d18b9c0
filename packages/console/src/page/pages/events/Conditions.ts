/** How many conditions are set, as a person counts them. */
import type { Place } from "@cairn/ui/place"

/** The conditions beside the search; a period that is chosen by name is one, whatever ends it has. */
export const othersThanSearch = ({ filter, period }: Pick<Place, "filter" | "period">): number => {
  const own = Object.keys(filter).filter(
    (name) => name !== "search" && (period === undefined || !isTime(name))
  )
  return own.length + (period === undefined ? 0 : 1)
}

const isTime = (name: string): boolean => name === "from" || name === "to"
