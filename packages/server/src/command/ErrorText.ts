/** What a command that failed says of it, in one line in place of a stack. */

/** `ApiKeyNotFound` as `Api key not found`. */
const inWords = (tag: string): string =>
  tag.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** What an error without a message carries, in words. */
const details = (error: object): string =>
  Object.entries(error)
    .filter(([name, value]) => name !== "_tag" && (typeof value === "string" || typeof value === "number"))
    .map(([, value]) => value)
    .join(", ")

/**
 * The error's message, and what the platform says if it was caused by that. An error without a message says its name and what it carries;
 * one that carries nothing only wraps what the platform says.
 */
export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const source = error.cause instanceof Error ? error.cause.message : ""
  const carried = details(error)
  if (error.message === "" && carried === "" && source !== "") return source
  const name = "_tag" in error ? inWords(String(error._tag)) : error.name
  const text = error.message === "" ? [name, carried].filter((part) => part !== "").join(": ") : error.message
  return source === "" ? text : `${text} (${source})`
}
