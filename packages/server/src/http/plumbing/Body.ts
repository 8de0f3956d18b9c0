/** Reading a JSON body, no further than its limit. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type MalformedJson, StrictJson } from "@cairn/core/encoding"
import { type InvalidInput, refuseAltered } from "@cairn/core/event"
import { Effect, Result } from "effect"
import type { AnswerHeaders } from "./Answer.ts"
import { ApiError } from "./ApiError.ts"

const tooLarge = (limit: number): ApiError =>
  new ApiError({
    code: "payload_too_large",
    limit: "body_size",
    message: `The body must have at most ${limit} bytes`,
    // The rest of the body is not read, so the connection cannot carry another request.
    headers: { connection: "close" }
  })

/** With what a body must have (RFC 9110 sections 12.5.1 and 12.5.3). */
const unsupported = (message: string, headers: AnswerHeaders = { accept: "application/json" }): ApiError =>
  new ApiError({ code: "unsupported_media_type", message, headers })

// A byte-order mark stays and makes the text malformed JSON, as RFC 8259 section 8.1 specifies.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Why the body is not JSON in UTF-8, by its headers. */
export const rejectedByType = (headers: IncomingMessage["headers"]): ApiError | undefined => {
  const contentType = headers["content-type"]
  // What nearly every client sends needs no parsing.
  if (contentType !== "application/json") {
    const [type = "", ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase())
    if (type !== "application/json" && !/^application\/[^/]+\+json$/.test(type)) {
      return unsupported("The Content-Type must be application/json")
    }
    const charset = parameters.find((parameter) => parameter.startsWith("charset="))
    if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
      return unsupported("The charset must be utf-8")
  }
  const encoding = headers["content-encoding"]?.toLowerCase()
  return encoding === undefined || encoding === "" || encoding === "identity"
    ? undefined
    : unsupported("The body must not be compressed", { "accept-encoding": "identity" })
}

const decode = (chunks: ReadonlyArray<Buffer>): Result.Result<string, ApiError> => {
  const [only] = chunks
  try {
    return Result.succeed(
      utf8.decode(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks))
    )
  } catch {
    return Result.fail(new ApiError({ code: "malformed_json", message: "The body is not valid UTF-8" }))
  }
}

const gone = new ApiError({ code: "malformed_json", message: "The body ended before it was complete" })

/**
 * Reads the chunks, until the end or until there are more than `limit` bytes; those beyond are never kept.
 * `done` is called once.
 */
export const collectText = (
  message: IncomingMessage,
  limit: number,
  done: (text: Result.Result<string, ApiError>) => void
): void => {
  let chunks: Array<Buffer> = []
  let size = 0
  let isDone = false
  // The listeners stay, which costs less than to remove them; what was read does not.
  const end = (result: Result.Result<string, ApiError>) => {
    isDone = true
    chunks = []
    done(result)
  }
  const onData = (chunk: Buffer) => {
    if (isDone) return
    size += chunk.length
    if (size <= limit) {
      chunks.push(chunk)
      return
    }
    message.pause()
    end(Result.fail(tooLarge(limit)))
  }
  const onEnd = () => {
    if (!isDone) end(decode(chunks))
  }
  const onGone = () => {
    if (!isDone) end(Result.fail(gone))
  }
  if (message.destroyed && !message.readableEnded) done(Result.fail(gone))
  else message.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone)
}

const collect = (message: IncomingMessage, limit: number): Effect.Effect<string, ApiError> =>
  Effect.callback<string, ApiError>((resume) =>
    collectText(message, limit, (text) => resume(Effect.fromResult(text)))
  )

/**
 * The body as text: `415` unless it is uncompressed JSON by its headers, `413` beyond `limit` bytes, `400`
 * when it is not UTF-8.
 *
 * Reads Node's own stream: it costs half of what the platform's reader does, and nothing beyond the limit is
 * kept.
 */
export const readJsonText = (
  message: IncomingMessage,
  response: ServerResponse,
  limit: number
): Effect.Effect<string, ApiError> => {
  const refused = rejectedByType(message.headers)
  if (refused !== undefined) return Effect.fail(refused)
  if (Number(message.headers["content-length"] ?? 0) > limit) return Effect.fail(tooLarge(limit))
  // A client that waits for `100 Continue` gets it only now, when its request is admitted (RFC 9110 section
  // 10.1.1).
  if (message.headers.expect !== undefined) response.writeContinue()
  return collect(message, limit)
}

/** The value of a JSON text: `400` for one that is no JSON, `422` for a repeated key. */
export const parseJson = (text: string): Effect.Effect<unknown, MalformedJson | InvalidInput> =>
  Effect.flatMap(Effect.fromResult(StrictJson.read(text)), ({ value, altered }) => {
    const repeated = altered === undefined ? undefined : refuseAltered(altered)
    return repeated === undefined ? Effect.succeed(value) : Effect.fail(repeated)
  })

/** Most bytes of a form: an address, a path and a secret, all of them percent-encoded. */
const MAX_FORM_BYTES = 16 * 1024

/**
 * The text of a form that a page has sent: `415` unless it is one by its headers, `413` if it is too long.
 */
export const readFormText = (message: IncomingMessage): Effect.Effect<string, ApiError> => {
  const [type = ""] = (message.headers["content-type"] ?? "").split(";")
  const accept = "application/x-www-form-urlencoded"
  if (type.trim().toLowerCase() !== accept)
    return Effect.fail(unsupported(`The Content-Type must be ${accept}`, { accept }))
  return collect(message, MAX_FORM_BYTES)
}
