/** Who may embed the viewer, as a form holds it. */

/** The choice, and the origins as text, one a line. */
export interface AncestorsDraft {
  readonly choice: "service" | "nobody" | "listed"
  readonly lines: string
}

/** The setting as a draft. */
export const draftOf = (ancestors: ReadonlyArray<string> | null): AncestorsDraft => ({
  choice: ancestors === null ? "service" : ancestors.length === 0 ? "nobody" : "listed",
  lines: (ancestors ?? []).join("\n")
})

/** The draft as the setting; empty for a list without a line, which would be nobody. */
export const ancestorsOf = ({ choice, lines }: AncestorsDraft): ReadonlyArray<string> | null => {
  if (choice === "service") return null
  if (choice === "nobody") return []
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

const FIELD = /^viewer_frame_ancestors(?:\[(\d+)\])?$/

/** What is wrong with the list, with the item that each message is about. */
export const ancestorFaults = (
  ancestors: ReadonlyArray<string>,
  fields: Readonly<Record<string, string>>
): string | undefined => {
  const found = Object.entries(fields).flatMap(([field, message]) => {
    const match = FIELD.exec(field)
    if (match === null) return []
    const item = match[1] === undefined ? undefined : ancestors[Number(match[1])]
    return [item === undefined ? message : `${item}: ${message}`]
  })
  return found.length === 0 ? undefined : found.join("; ")
}
