/** How many conditions are set, as a person counts them. */
import { type Filter, filterParameters, type Place } from "@cairn/ui/place"

/** The conditions beside the search; a period that is chosen by name is one, whatever ends it has. */
export const othersThanSearch = ({ filter, period }: Pick<Place, "filter" | "period">): number => {
  const names = filterParameters(filter).map(([name]) => name)
  const own = names.filter((name) => name !== "search" && (period === undefined || !isTime(name)))
  return own.length + (period === undefined ? 0 : 1)
}

const isTime = (name: keyof Filter): boolean => name === "from" || name === "to"
