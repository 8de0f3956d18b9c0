/** The endpoints for exports: asking for one, seeing how far it is, and fetching its file. */
import { FieldSchemas as Field } from "@cairn/core/encoding"
import { type ConditionName, EVENT_TIMES, MAX_IDENTIFIER, MAX_NAME } from "@cairn/core/event"
import { Page } from "@cairn/core/log"
import { Export, ExportFilters, ExportStatus } from "@cairn/core/outbound"
import { restrictedTime, restrictingCountry, restrictingText, restrictions } from "@cairn/core/workspace"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access, Authorization } from "./Authorization.ts"
import {
  BODY_ERRORS,
  CONFLICT,
  EXPORT_NOT_READY,
  INVALID_PARAMETER,
  LINK_EXPIRED,
  NOT_FOUND,
  QUOTA_EXCEEDED,
  VALIDATION_FAILED
} from "./ErrorBody.ts"
import { member } from "./OpenDocument.ts"
import { describeLimit, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"

/** Formats that can be asked for. */
export const EXPORT_FORMATS = ["csv", "ndjson", "evidence"] as const

/** The conditions of the list, each of one value or of up to 20. */
const conditions = {
  actor_id: restrictions("The actor's id"),
  action: restrictions(
    "An action, `prefix.*` for all below a prefix, or `*.suffix` for all that end so",
    restrictingText(MAX_IDENTIFIER + 1)
  ),
  category: restrictions("The action's category"),
  resource: restrictions("The resource's type"),
  resource_id: restrictions("The resource's id"),
  resource_name: restrictions("The resource's name", restrictingText(MAX_NAME)),
  target_type: restrictions("Type of a target"),
  target_id: restrictions("Id of a target; with `target_type`, of the same one"),
  tenant_id: restrictions("The tenant"),
  session_id: restrictions("The session"),
  country: restrictions("The country of the actor's address: two upper-case letters", restrictingCountry),
  search: restrictions(
    "Text within actor name, action, resource name or metadata, in any case; of several, each",
    restrictingText(MAX_NAME)
  )
} as const satisfies Readonly<Record<ConditionName, unknown>>

/** What to export; without conditions, everything. */
export const ExportInput = Schema.Struct({
  from: restrictedTime(
    "Recorded, or with `time` `occurred` occurred, at or after; an ISO 8601 date or date-time"
  ),
  to: restrictedTime("Recorded, or occurred, at or before"),
  time: Schema.optionalKey(
    Schema.Literals(EVENT_TIMES).annotate({
      description:
        "The time that orders the events, and that `from` and `to` compare with: `recorded` is `created_at`, `occurred` is `occurred_at`; " +
        "`recorded` unless given"
    })
  ),
  ...conditions,
  format: Schema.optionalKey(
    Schema.NullOr(Schema.Literals(EXPORT_FORMATS)).annotate({
      description:
        "`csv` unless given; `ndjson` is an event a line; `evidence` is the bundle that the offline verifier reads, of which only `from` " +
        "and `to` make sense"
    })
  )
}).annotate({ identifier: "ExportInput", description: "What to export; without conditions, everything" })
export type ExportInput = typeof ExportInput.Type

/** An export as its creation returns it. */
export const CreatedExport = Schema.Struct({
  id: Field.prefixedId("exp", "The export's id: `exp_` and a UUID"),
  status: ExportStatus,
  filters: ExportFilters
}).annotate({ identifier: "CreatedExport", description: "An export that was asked for" })
export type CreatedExport = typeof CreatedExport.Type

const exportId = { id: Schema.String.annotate({ description: "The export's id, `exp_…`" }) }

const link = {
  expires: Schema.optionalKey(Schema.String.annotate({ description: "Of a signed link, with `signature`" })),
  signature: Schema.optionalKey(
    Schema.String.annotate({ description: "Of a signed link, which needs no API key" })
  ),
  for: Schema.optionalKey(
    Schema.String.annotate({
      description: "Of a signed link, the id of the member or key that it was made for"
    })
  )
}

const binary = { schema: { type: "string", format: "binary" } }

/** What a client gets that follows the redirection. */
const FILE = {
  description: "The file, for a client that follows the redirection",
  content: { "text/csv": binary, "application/x-ndjson": binary, "application/gzip": binary }
}

const withFile = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  responses: { "200": FILE, ...member(operation, "responses") }
})

const createExport = HttpApiEndpoint.post("createExport", "/api/v1/exports", {
  payload: ExportInput,
  success: Schema.Struct({ data: CreatedExport })
    .annotate({ description: "The export, which is made in the background" })
    .pipe(HttpApiSchema.status(202)),
  error: [...BODY_ERRORS, VALIDATION_FAILED, CONFLICT, QUOTA_EXCEEDED]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Create an export",
    description:
      "Events as they are when the export begins, oldest first by their `time`, within the retention window. A cell of a CSV file that a spreadsheet " +
      "would run, or that begins with an apostrophe, has an apostrophe before it. Five exports may be in progress at once, a sixth is `409`; each counts " +
      "toward the month's quota. Conditions are those of the list: of several values of one, any is meant, and of several texts of `search` " +
      "all. A condition is left out or given; null, an empty string and an empty array are refused, so that an id that was missing " +
      "does not export everything."
  })
)

const listExports = HttpApiEndpoint.get("listExports", "/api/v1/exports", {
  query: pageParameters,
  success: Page(Export).annotate({ description: "A page of exports" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "List exports, newest first",
    description: "Those of the last weeks, whatever became of them.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const getExport = HttpApiEndpoint.get("getExport", "/api/v1/exports/:id", {
  params: exportId,
  success: Schema.Struct({ data: Export }).annotate({ description: "The export" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "Get an export's status",
    description: "`total_rows`, `file_size`, `download_url` and `expires_at` are null until it is completed."
  })
)

const downloadExport = HttpApiEndpoint.get("downloadExport", "/api/v1/exports/:id/download", {
  params: exportId,
  query: link,
  success: HttpApiSchema.Empty(302).annotate({
    description: "`Location` is the file's address, good for a few minutes"
  }),
  error: [NOT_FOUND, EXPORT_NOT_READY, LINK_EXPIRED]
})
  .annotate(Access, "key_or_link")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Download a completed export",
      description:
        "With an API key, or without one by the link that is the export's `download_url`. The link works for seven days after creation, " +
        "from the addresses of the allowlist, as long as the member or key for which it was made may download exports.",
      transform: withFile
    })
  )

/** Exports. */
export class ExportApi extends HttpApiGroup.make("exports")
  .add(listExports, createExport, getExport, downloadExport)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({
      title: "Exports",
      description: "Filtered events as a file, made in the background"
    })
  ) {}
