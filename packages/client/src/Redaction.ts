/** Secrets are taken out of an event by their paths, before it is text. */

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]"

/**
 * Where a secret is: names joined by dots, such as `metadata.card.number`, or a list of names where one has a
 * dot in it. `*` is any one name, `**` any number of them. A path goes through lists by itself, and its names
 * are compared without regard to case.
 */
export type SecretPath = string | ReadonlyArray<string>

/** A path, and how many of its names are behind us. */
interface Place {
  readonly names: ReadonlyArray<string>
  readonly at: number
}

const placeOf = (path: SecretPath): Place => {
  const names = (typeof path === "string" ? path.split(".") : [...path]).map((name) => name.toLowerCase())
  if (names.length === 0 || names.includes("") || names.at(-1) === "**") {
    throw new TypeError(`redact: ${JSON.stringify(path)} is no path such as "metadata.card.number"`)
  }
  return { names, at: 0 }
}

/** The places at which a name may follow: behind `**` both the rest and `**` itself. */
const open = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const found = new Map<string, Place>()
  for (const { names, at } of places) {
    found.set(`${at} ${names}`, { names, at })
    for (let next = at; names[next] === "**"; ) {
      next++
      found.set(`${next} ${names}`, { names, at: next })
    }
  }
  return [...found.values()]
}

/** Goes through a value of JSON. */
const walk = (value: unknown, places: ReadonlyArray<Place>): unknown => {
  if (typeof value !== "object" || value === null || places.length === 0) return value
  if (Array.isArray(value)) return value.map((item) => walk(item, places))
  const opened = open(places)
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const key = name.toLowerCase()
      const below: Array<Place> = []
      for (const { names, at } of opened) {
        if (names[at] === "**") below.push({ names, at })
        else if (names[at] === "*" || names[at] === key) {
          if (at + 1 === names.length) return [name, REDACTED]
          below.push({ names, at: at + 1 })
        }
      }
      return [name, walk(child, below)]
    })
  )
}

/**
 * A function that gives a copy of an event, as JSON has it, with `[redacted]` in the place of each secret;
 * the event itself stays as it is. It throws for what has no JSON, such as what contains itself.
 *
 * @throws TypeError for a path that is none, with the path.
 */
export const makeRedactor = (paths: ReadonlyArray<SecretPath>): ((event: object) => object) => {
  const places = paths.map(placeOf)
  return (event) => walk(JSON.parse(JSON.stringify(event)), places) as object
}
