/** What exports are, for the components that show them. */
import { CairnApiError, type SessionCalls } from "@cairn/client/session"
import { Micros } from "@cairn/core/encoding"
import { exportFileName } from "@cairn/core/export"
import type { Schemas } from "../../data/Schemas.ts"

/** An export. */
export type Export = Schemas["Export"]

/** What a file is. */
export type ExportFormat = Export["format"]

/** The formats, in the order in which they are offered. */
export const EXPORT_FORMATS: ReadonlyArray<ExportFormat> = ["csv", "ndjson", "evidence"]

/** How an export stands; `ended` is one whose file is there no longer. */
export type ExportState = Export["status"] | "ended"

/** How it stands at a time. */
export const stateOf = (
  { status, expires_at }: Pick<Export, "status" | "expires_at">,
  now: number
): ExportState =>
  status === "completed" && expires_at !== null && Date.parse(expires_at) <= now ? "ended" : status

/** Whether it is being made. */
export const isMoving = ({ status }: Pick<Export, "status">): boolean =>
  status === "pending" || status === "processing"

/** What the file is called when it is downloaded; the service says the same. */
export const fileNameOf = (
  workspace: Schemas["Membership"]["workspace"],
  asked: Pick<Export, "id" | "format" | "filters" | "created_at">
): string => exportFileName(workspace, { ...asked, createdAt: Micros.parse(asked.created_at) ?? 0 })

/** The page that checks a file, told which export's it is to be. */
export const checkAddress = (id: string): string => `check?export=${encodeURIComponent(id)}`

/** The command that checks a file and writes the report. */
export const checkCommand = (file: string): string => `npx @cairn/verifier ${file} --report report.html`

/** How often exports are read while one is being made, in milliseconds. */
const LOOK_EVERY = 2_000

/** How often to read exports: again and again while one is being made. */
export const lookEvery = (exports: ReadonlyArray<Export> | undefined): number | undefined =>
  exports?.some(isMoving) ? LOOK_EVERY : undefined

/** Milliseconds within which a file begins; a store of another origin never does. */
const BEGINS_WITHIN = 4_000

/**
 * Where the file can be fetched now. It is asked for with the person's session, so that the log says who
 * downloads it. A store of another origin is out of reach for the page, not for the browser: then the
 * export's own link leads there.
 */
export const fileAddress = async (
  { exports }: SessionCalls,
  { id, download_url }: Pick<Export, "id" | "download_url">
): Promise<string> => {
  try {
    const answer = await exports.download(id, {}, { timeoutMillis: BEGINS_WITHIN })
    // The browser fetches it by itself, into a file.
    await answer.body?.cancel()
    return answer.url
  } catch (error) {
    if (error instanceof CairnApiError || download_url === null) throw error
    return download_url
  }
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const

/** A size in bytes as a reader sees it, in units of a thousand. */
export const fileSize = (bytes: number, locale: string): string => {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: UNITS[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: step < 2 ? 0 : 1
  }).format(bytes / 1_000 ** step)
}
