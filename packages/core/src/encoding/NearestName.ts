/** Which of a few known names was probably meant by a misspelt one. */

/** A name without letter case and separators, so that spellings that differ only in those are equal. */
const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** No known name is longer, so characters beyond this are not compared. */
const LONGEST = 64

/**
 * A replaced letter counts as a greater difference than a missing one: `actr` means `actor_id` and not
 * `action`.
 */
const REPLACED = 1.5

/**
 * How many letters to insert, remove or replace to turn one name into the other (Levenshtein distance). Costs
 * the product of the lengths.
 */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : REPLACED)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/**
 * The known name that is nearest to `name`, and the first of several equally near; `undefined` if no names
 * are known. Costs some microseconds a name.
 */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  const wanted = bare(name.slice(0, LONGEST))
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const far = distance(wanted, bare(candidate))
    if (far >= least) continue
    nearest = candidate
    least = far
  }
  return nearest
}
