/** A log stream as a form holds it, and what the interface is given of it. */
import type { Schemas } from "../../data/Schemas.ts"
import {
  FIELDS,
  type FieldName,
  type FieldSpec,
  type Format,
  type Kind,
  type LogStream,
  usualFormat
} from "./StreamKinds.ts"

/** Whether checkpoints are sent: as the interface decides unless told, or as told. */
export type CheckpointChoice = "default" | "yes" | "no"

/** What the form holds; of the destination the texts of all kinds, so that another choice loses nothing. */
export interface StreamDraft {
  readonly name: string
  readonly kind: Kind
  readonly format: Format
  /** Whether the format was chosen, and does not follow the kind. */
  readonly isFormatChosen: boolean
  readonly fields: Readonly<Partial<Record<FieldName, string>>>
  readonly action: string
  readonly tenantId: string
  readonly start: "now" | "beginning"
  readonly batchEvents: string
  readonly batchSeconds: string
  readonly checkpoints: CheckpointChoice
}

/** What the service shows for a secret, and what keeps it. */
export const KEPT_SECRET = "***"

/** A form for a new stream. */
export const newDraft: StreamDraft = {
  name: "",
  kind: "https",
  format: "cairn",
  isFormatChosen: false,
  fields: {},
  action: "",
  tenantId: "",
  start: "now",
  batchEvents: "",
  batchSeconds: "",
  checkpoints: "default"
}

const textOf = (value: unknown): string => (value === null || value === undefined ? "" : String(value))

/** The form for a stream that is there. */
export const draftOf = (stream: LogStream): StreamDraft => {
  const { destination } = stream
  const members = new Map<string, unknown>(Object.entries(destination))
  return {
    name: stream.name,
    kind: destination.type,
    format: stream.format,
    isFormatChosen: true,
    fields: Object.fromEntries(FIELDS[destination.type].map(({ name }) => [name, textOf(members.get(name))])),
    action: stream.action ?? "",
    tenantId: stream.tenant_id ?? "",
    start: "now",
    batchEvents: textOf(stream.batch_events),
    batchSeconds: textOf(stream.batch_seconds),
    checkpoints: stream.checkpoints === null ? "default" : stream.checkpoints ? "yes" : "no"
  }
}

/** The form with another kind of destination; the format follows it until one was chosen. */
export const withKind = (draft: StreamDraft, kind: Kind): StreamDraft => ({
  ...draft,
  kind,
  format: draft.isFormatChosen ? draft.format : usualFormat(kind)
})

/** The text of a field, or what it is unless given. */
export const fieldText = ({ fields }: Pick<StreamDraft, "fields">, { name, otherwise }: FieldSpec): string =>
  fields[name] ?? otherwise ?? ""

const memberOf = (spec: FieldSpec, text: string): string | number | boolean | null => {
  if (spec.control === "check") return text === "true"
  if (text === "") return spec.nullable === true ? null : (spec.otherwise ?? "")
  return spec.control === "number" ? Number(text) : text
}

/** The destination. Its members are those of its kind; the service checks them. */
const destinationOf = (draft: StreamDraft): Readonly<Record<string, string | number | boolean | null>> =>
  Object.fromEntries([
    ["type", draft.kind],
    ...FIELDS[draft.kind].map((spec) => {
      // A number that was emptied is its default.
      const text = fieldText(draft, spec).trim()
      const given = text === "" && spec.control === "number" ? (spec.otherwise ?? "") : text
      return [spec.name, memberOf(spec, given)] as const
    })
  ])

const numberOf = (text: string): number | null => (text.trim() === "" ? null : Number(text))

const settingsOf = (draft: StreamDraft) => ({
  name: draft.name.trim(),
  format: draft.format,
  batch_events: numberOf(draft.batchEvents),
  batch_seconds: numberOf(draft.batchSeconds),
  checkpoints: draft.checkpoints === "default" ? null : draft.checkpoints === "yes",
  ...(draft.action.trim() === "" ? {} : { action: draft.action.trim() }),
  ...(draft.tenantId.trim() === "" ? {} : { tenant_id: draft.tenantId.trim() })
})

/** What makes the stream. */
export const creationOf = (draft: StreamDraft): Schemas["LogStreamInput"] => ({
  ...settingsOf(draft),
  start: draft.start,
  destination: destinationOf(draft) as Schemas["DestinationInput"]
})

/** What changes the stream. */
export const changeOf = (draft: StreamDraft): Schemas["LogStreamPatch"] => ({
  ...settingsOf(draft),
  destination: destinationOf(draft) as Schemas["DestinationPatch"]
})

/** Whether two destinations differ, secrets aside. */
export const isElsewhere = (before: LogStream, after: LogStream): boolean =>
  JSON.stringify(before.destination) !== JSON.stringify(after.destination)
