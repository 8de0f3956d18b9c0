/** Copying text, in frames and on plain `http`, too, where the clipboard's newer interface is withheld. */

/** The older way: whatever is selected is copied. */
const copySelected = (text: string, near: Element): boolean => {
  const area = document.createElement("textarea")
  area.value = text
  area.className = "hidden"
  // Within a modal dialog nothing outside of it can be selected.
  near.append(area)
  area.select()
  try {
    return document.execCommand("copy")
  } finally {
    area.remove()
  }
}

/** Copies a text and returns whether that worked. `near` is an element that can be reached now. */
export const copyText = async (text: string, near: Element): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text, near)
  }
}
