/** Saving an answer as a file: as it comes, where the browser can, or else once all of it is there. */

/** What the browser gives for a file that the reader chose, as far as it is used. */
interface ChosenFile {
  readonly createWritable: () => Promise<WritableStream<Uint8Array>>
  readonly remove?: () => Promise<void>
}

/** `showSaveFilePicker` of the File System Access API, which not every browser has. */
type Picker = (options: { readonly suggestedName: string }) => Promise<ChosenFile>

const isNamed = (error: unknown, name: string): boolean =>
  error instanceof DOMException && error.name === name

/** Asks where to save; "download" where the browser cannot ask, or not here, such as in a frame. */
const choose = async (suggestedName: string): Promise<ChosenFile | "download" | "cancelled"> => {
  const { showSaveFilePicker } = globalThis as { readonly showSaveFilePicker?: Picker }
  if (showSaveFilePicker === undefined) return "download"
  try {
    return await showSaveFilePicker({ suggestedName })
  } catch (error) {
    return isNamed(error, "AbortError") ? "cancelled" : "download"
  }
}

const download = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The browser may take it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/**
 * Saves the answer that `ask` gives, under a name that the reader may change. Returns whether there is a
 * file: none if the reader did not want one. Fails as `ask` does, or if the answer breaks off, and leaves no
 * part of a file.
 */
export const saveFile = async (
  name: string,
  ask: () => Promise<Response>,
  signal: AbortSignal
): Promise<boolean> => {
  const file = await choose(name)
  if (file === "cancelled") return false
  try {
    const answer = await ask()
    if (file === "download") download(name, await answer.blob())
    else await answer.body?.pipeTo(await file.createWritable(), { signal })
    return true
  } catch (error) {
    if (file !== "download") await file.remove?.().catch(() => undefined)
    throw error
  }
}
