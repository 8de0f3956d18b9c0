/** What a command that failed says of it, in one line in place of a stack. */

/** `ApiKeyNotFound` as `Api key not found`. */
const inWords = (tag: string): string =>
  tag.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** An error that has no message of its own: its name, and what it carries. */
const described = (error: object): string => {
  const { _tag, ...fields } = { _tag: "", ...error }
  const details = Object.values(fields).filter(
    (value) => typeof value === "string" || typeof value === "number"
  )
  return [inWords(_tag), details.join(", ")].filter((part) => part !== "").join(": ")
}

/** The error's message, or its name and what it carries; and the cause, if it only wraps what the platform says. */
export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const text = error.message === "" ? described(error) : error.message
  const source = error.cause instanceof Error ? error.cause.message : ""
  if (text === "" || source === "") return text + source
  return `${text} (${source})`
}
