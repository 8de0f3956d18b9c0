/** What an address's query says: filters, and what is open. */
import { useLocation } from "preact-iso"

/** The query's parameters, and a change of some of them, after which the address can be sent to others. */
export interface Query {
  readonly get: (name: string) => string | undefined
  /** All values of a parameter, in their order. */
  readonly all: (name: string) => ReadonlyArray<string>
  /** Sets parameters in place; undefined removes one. */
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void
}

/** A query's text with some of its parameters changed, with its question mark; empty for no parameters. */
const changedQuery = (
  query: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>
): string => {
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  }
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

/** The query of the address that is shown. */
export const useQuery = (): Query => {
  const { path, query, route, url } = useLocation()
  return {
    all: (name) => new URLSearchParams(url.replace(/^[^?]*/, "")).getAll(name),
    get: (name) => (Object.hasOwn(query, name) ? query[name] : undefined),
    change: (changes) => route(`${path}${changedQuery(query, changes)}`, true)
  }
}
