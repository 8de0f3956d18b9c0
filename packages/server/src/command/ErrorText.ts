/** The error of a command in one line, in place of a stack. */

/** `ApiKeyNotFound` as `Api key not found`. */
const inWords = (tag: string): string =>
  tag.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** What an error without a message carries, in words. */
const details = (error: object): string =>
  Object.entries(error)
    .filter(([name, value]) => name !== "_tag" && (typeof value === "string" || typeof value === "number"))
    .map(([, value]) => value)
    .join(", ")

/** How many causes are followed. */
const DEEPEST = 5

/** What each of the error's causes says. */
const causesOf = (error: Error): ReadonlyArray<string> => {
  const found: Array<string> = []
  let at: unknown = error.cause
  for (let depth = 0; at instanceof Error && depth < DEEPEST; depth++) {
    found.push(at.message)
    at = at.cause
  }
  return found
}

/**
 * The error's message, and what the platform says if it was caused by that. An error without a message shows
 * its name and its data; one without data only wraps what the platform says.
 */
export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const causes = causesOf(error).filter((message) => message !== "")
  const carried = details(error)
  if (error.message === "" && carried === "" && causes[0] !== undefined) return causes[0]
  const name = "_tag" in error ? inWords(String(error._tag)) : error.name
  const text = error.message === "" ? [name, carried].filter((part) => part !== "").join(": ") : error.message
  // One that wraps another often repeats it.
  const source = causes.find((message) => !text.includes(message))
  return source === undefined ? text : `${text} (${source})`
}
