/** Exporting the events that the filter finds. */
import { useEffect, useRef, useState } from "preact/hooks"
import { type Language, useLanguage } from "../../locale/Messages.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"
import { FILE_FORMATS, type FileFormat, type Refusal, RequestRefused } from "../LogSource.ts"
import { saveFile } from "./SaveFile.ts"

/** How far an export is. */
type Progress =
  | { readonly kind: "idle" | "running" | "saved" }
  | { readonly kind: "refused"; readonly refusal: Refusal }

/** Exports, one at a time. */
const useExport = (reader: LogReader) => {
  const [progress, setProgress] = useState<Progress>({ kind: "idle" })
  const abort = useRef(new AbortController())
  useEffect(() => () => abort.current.abort(), [])
  const begin = (format: FileFormat, name: string) => {
    abort.current = new AbortController()
    const { signal } = abort.current
    setProgress({ kind: "running" })
    saveFile(name, () => reader.file(format, signal), signal).then(
      (isSaved) => setProgress({ kind: isSaved ? "saved" : "idle" }),
      (error: unknown) => {
        if (signal.aborted) setProgress({ kind: "idle" })
        else
          setProgress({
            kind: "refused",
            refusal: error instanceof RequestRefused ? error.refusal : { kind: "failed" }
          })
      }
    )
  }
  return { progress, begin, cancel: () => abort.current.abort() }
}

/** Why there is no file. */
const reasonOf = (refusal: Refusal, { messages, number }: Language): string => {
  if (refusal.kind === "refused") return messages.exportOf.refused
  if (refusal.kind === "invalid") return messages.invalid(refusal.parameter)
  return "seconds" in refusal ? messages.exportOf.busy(number(refusal.seconds)) : messages[refusal.kind]
}

/** The buttons, one for each format; nothing where the reader may not export. */
export const ExportButtons = ({ reader, now }: { readonly reader: LogReader; readonly now: number }) => {
  const language = useLanguage()
  const { messages } = language
  const { progress, begin, cancel } = useExport(reader)
  if (!reader.mayExport) return null
  const texts = messages.exportOf
  const name = (format: FileFormat) => `audit-log-${new Date(now).toISOString().slice(0, 10)}.${format}`
  return (
    <>
      {progress.kind === "running" ? (
        <button type="button" class="bare" onClick={cancel}>
          <Icon name="close" /> {texts.cancel}
        </button>
      ) : (
        FILE_FORMATS.map((format) => (
          <button key={format} type="button" class="bare" onClick={() => begin(format, name(format))}>
            <Icon name="download" /> {texts.as(format.toUpperCase())}
          </button>
        ))
      )}
      <span role="status" class={progress.kind === "saved" ? undefined : "hidden"}>
        {progress.kind === "saved" && texts.saved}
      </span>
      {progress.kind === "refused" && (
        <span role="alert" class="export-error">
          {texts.failed}: {reasonOf(progress.refusal, language)}
        </span>
      )}
    </>
  )
}
