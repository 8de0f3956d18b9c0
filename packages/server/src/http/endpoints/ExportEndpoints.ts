/** Exports: requested, read and downloaded. */
import type { IncomingMessage } from "node:http"
import { type CreatedExport, ExportInput } from "@cairn/api"
import { AccessEvents, type Reader } from "@cairn/core/access"
import type { Micros } from "@cairn/core/encoding"
import {
  CONDITION_NAMES,
  decodeStrictly,
  InvalidInput,
  MAX_IDENTIFIER,
  unlessInvalid
} from "@cairn/core/event"
import { type ExportFile, Exporting, ExportStore } from "@cairn/core/export"
import { ClockGuard } from "@cairn/core/log"
import { ExportManagement } from "@cairn/core/management"
import { Effect, Option, Predicate, Stream } from "effect"
import { addressOf, type Endpoint, type LinkEndpoint, type LinkedRequest } from "../gate/Endpoint.ts"
import { ExportLinks, FILE_SECONDS, type LinkNames } from "../gate/ExportLinks.ts"
import { linkReader, readerOf, recordedReader } from "../gate/Identity.ts"
import { makeLinkHolders } from "../gate/LinkHolders.ts"
import type { Answer } from "../plumbing/Answer.ts"
import { jsonAnswer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { readRange } from "../plumbing/ByteRange.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { decodeBody, manager } from "./ManagementRequest.ts"

const decodeExport = decodeStrictly(ExportInput)

/** A bundle proves a range of the log, and a range is whole: conditions on single events are rejected. */
const refusedConditions = (body: unknown): ReadonlyArray<InvalidInput> => {
  if (!Predicate.isObject(body) || !("format" in body) || body.format !== "evidence") return []
  return [...CONDITION_NAMES, "time"]
    .filter((name) => Object.hasOwn(body, name))
    .map(
      (path) =>
        new InvalidInput({
          path,
          reason: "cannot narrow evidence, which is every event from a time to a time; leave it out"
        })
    )
}

const decodeInput = (body: unknown) => unlessInvalid(decodeExport(body), ...refusedConditions(body))

const found = <A>(value: Option.Option<A>) =>
  Effect.fromOption(value).pipe(
    Effect.mapError(() => new ApiError({ code: "not_found", message: "There is no such export" }))
  )

/** The parameters of a signed link, and whom it names. */
const linkOf = (query: string) =>
  readQuery(query, (parameters) => ({
    given: {
      expires: parameters.text("expires", MAX_IDENTIFIER) ?? "",
      signature: parameters.text("signature", MAX_IDENTIFIER) ?? ""
    },
    holder: parameters.text("for", MAX_IDENTIFIER) ?? "",
    reader: parameters.text("reader", MAX_READER) ?? ""
  }))

/** The longest text that names a reader in the address of a file. */
const MAX_READER = 2 * MAX_IDENTIFIER

/** Who an address of a file names. Its name, which erasure may forget, is in no address. */
const namedReader = (is: string): Reader => {
  const [type = "", id = ""] = is.split(" ", 2)
  return readerOf({ type, id, name: null })
}

/** What answers for a file: a link, whose request may be for a part of it. */
export type FileEndpoint = (
  request: Pick<LinkedRequest, "id" | "query" | "address"> & { readonly message: IncomingMessage }
) => Effect.Effect<Answer, ApiError>

/**
 * The file, or the part of it that the request is for. No attempt's file ever changes, so its name is its
 * tag.
 */
const answerFile = Effect.fnUntraced(function* (
  store: ExportStore["Service"],
  { name, filename, contentType, size }: ExportFile,
  message: IncomingMessage
) {
  const etag = `"${name.slice(name.indexOf("/") + 1)}"`
  const length = size ?? 0
  const range = readRange(message, length, etag)
  if (range === "none") {
    return yield* new ApiError({
      code: "range_not_satisfiable",
      message: `The file has ${length} bytes`,
      headers: { "content-range": `bytes */${length}` }
    })
  }
  const { start, end } = range ?? { start: 0, end: length }
  const content = store.read(name, range)
  // A file that cannot be read fails before a status is sent.
  yield* Stream.runHead(content)
  const isText = contentType !== "application/gzip"
  const answer: Answer = {
    status: range === undefined ? 200 : 206,
    body: content,
    contentType,
    compressible: isText && message.headers.range === undefined,
    headers: {
      "content-disposition": `attachment; filename="${filename}"`,
      "accept-ranges": "bytes",
      etag,
      // Also of a part, which is never compressed: the whole is.
      ...(isText ? { vary: "accept-encoding" } : {}),
      ...(size === null ? {} : { "content-length": String(end - start) }),
      ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${length}` })
    }
  }
  return answer
})

/** Answers with the address of a file: at the store itself where it has one, else here. */
const makeRedirect = Effect.gen(function* () {
  const store = yield* ExportStore
  const links = yield* ExportLinks
  return Effect.fnUntraced(function* (
    id: string,
    { name, filename, contentType }: ExportFile,
    names: LinkNames
  ) {
    const address = yield* store.address(name, { filename, contentType, seconds: FILE_SECONDS })
    const location = Option.isSome(address) ? address.value : yield* links.fileAddress(id, names)
    const answer: Answer = {
      status: 302,
      body: "",
      contentType: "text/plain; charset=utf-8",
      headers: { location }
    }
    return answer
  })
})

/** The endpoints by their names in the contract, those of them that take a signed link, and the files. */
export const makeExportEndpoints = Effect.gen(function* () {
  const exporting = yield* Exporting
  const management = yield* ExportManagement
  const access = yield* AccessEvents
  const store = yield* ExportStore
  const links = yield* ExportLinks
  const redirect = yield* makeRedirect
  const checkHolder = yield* makeLinkHolders
  const clock = yield* ClockGuard

  const createExport: Endpoint = Effect.fnUntraced(function* (request) {
    const { format, ...filters } = yield* decodeBody(request, decodeInput)
    const { workspaceId } = request.identity
    const asked = { format: format ?? "csv", filters }
    const { id, status } = yield* management.create(manager(request), workspaceId, asked)
    const data: CreatedExport = { id, status, filters }
    return jsonAnswer({ data }, 202)
  }, asApiError)

  const listExports: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const page = yield* readQuery(query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    return jsonAnswer(yield* exporting.list(identity.workspaceId, page, identity))
  }, asApiError)

  const getExport: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    return jsonAnswer({ data: yield* found(yield* exporting.get(identity.workspaceId, id, identity)) })
  }, asApiError)

  const downloadExport: Endpoint = Effect.fnUntraced(function* ({ id, identity, profile }) {
    const file = yield* found(yield* exporting.file(identity.workspaceId, id))
    const reader = recordedReader(identity, profile)?.is ?? ""
    return yield* redirect(id, file, { holder: identity.id, reader })
  }, asApiError)

  const noteDownload = (
    { workspaceId }: ExportFile,
    { id: exportId, address }: Pick<LinkedRequest, "id" | "address">,
    reader: Reader,
    at: Micros.Micros
  ) => access.note({ workspaceId, kind: "downloads", reader, address: addressOf(address), at, exportId })

  const downloadByLink: LinkEndpoint = Effect.fnUntraced(function* (request) {
    const { id, query, address, now } = request
    const { given, holder } = yield* linkOf(query)
    yield* links.check(id, holder, given)
    const file = yield* found(yield* exporting.file(null, id))
    yield* checkHolder(file.workspaceId, holder, address)
    const reader = linkReader(id)
    const answer = yield* redirect(id, file, { holder, reader: reader.is })
    yield* noteDownload(file, request, reader, now)
    return answer
  }, asApiError)

  const exportFile: FileEndpoint = Effect.fnUntraced(function* (request) {
    const { id, query, message, address } = request
    const { given, holder, reader } = yield* linkOf(query)
    yield* links.checkFile(id, { holder, reader }, given)
    const file = yield* found(yield* exporting.file(null, id))
    yield* checkHolder(file.workspaceId, holder, address)
    const answer = yield* answerFile(store, file, message)
    if (reader !== "") yield* noteDownload(file, request, namedReader(reader), yield* clock.reckoned)
    return answer
  }, asApiError)

  return {
    endpoints: { listExports, createExport, getExport, downloadExport },
    linked: { downloadExport: downloadByLink },
    exportFile
  }
})
