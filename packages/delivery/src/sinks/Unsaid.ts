/** What destinations say, without the secrets that they repeat. */

/** A part of a secret that is shorter may occur in any text. */
const LEAST_PART = 4

/** What may be repeated of a secret: all of it, the credentials after `Bearer`, and what `Basic` encodes. */
const partsOf = (secret: string): ReadonlyArray<string> => {
  const credentials = secret.slice(secret.indexOf(" ") + 1)
  const decoded = /^basic /i.test(secret) ? Buffer.from(credentials, "base64").toString("utf8") : ""
  const parts = [credentials, decoded, decoded.slice(decoded.indexOf(":") + 1)]
  return [secret, ...parts.filter((part) => part.length >= LEAST_PART)]
}

/** As text, in a JSON string and in a URL; the longest first, so that none leaves a part of another. */
const formsOf = (secrets: ReadonlyArray<string | null>): ReadonlyArray<string> => {
  const parts = secrets.flatMap((secret) => (secret === null || secret === "" ? [] : partsOf(secret)))
  const forms = parts.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part.toWellFormed())
  ])
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length)
}

/** The text without a beginning of `form` at its end. */
const withoutBeginningAtEnd = (text: string, form: string): string => {
  for (let length = Math.min(form.length - 1, text.length); length >= LEAST_PART; length--)
    if (text.endsWith(form.slice(0, length))) return `${text.slice(0, -length)}***`
  return text
}

/**
 * The text with `***` for every secret. If the text was `cut`, also for a secret that it ends in the middle
 * of.
 */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<string | null>, cut: boolean): string => {
  const forms = formsOf(secrets)
  const safe = forms.reduce((rest, form) => rest.replaceAll(form, "***"), text)
  return cut ? forms.reduce(withoutBeginningAtEnd, safe) : safe
}
