/** Reading a JSON body as text, no further than its limit. */

import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { ApiError } from "./ApiError.ts"

const tooLarge = (limit: number): ApiError =>
  new ApiError({
    code: "payload_too_large",
    message: `The body must have at most ${limit} bytes`,
    // The rest of the body is not read, so the connection cannot carry another request.
    headers: { Connection: "close" }
  })

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const isJson = (contentType: string | undefined): boolean => {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"))
}

const decode = (chunks: ReadonlyArray<Buffer>): Effect.Effect<string, ApiError> => {
  const [only] = chunks
  try {
    return Effect.succeed(
      utf8.decode(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks))
    )
  } catch {
    return Effect.fail(new ApiError({ code: "malformed_json", message: "The body is not valid UTF-8" }))
  }
}

/** The body as text: `415` unless it is JSON by its type, `413` beyond `limit` bytes, `400` when it is not UTF-8. */
export const readJsonText = (request: IncomingMessage, limit: number): Effect.Effect<string, ApiError> => {
  if (!isJson(request.headers["content-type"])) {
    return Effect.fail(
      new ApiError({ code: "unsupported_media_type", message: "The Content-Type must be application/json" })
    )
  }
  if (Number(request.headers["content-length"] ?? 0) > limit) return Effect.fail(tooLarge(limit))
  return Effect.flatten(
    Effect.callback<Effect.Effect<string, ApiError>>((resume) => {
      const chunks: Array<Buffer> = []
      let size = 0
      const done = (result: Effect.Effect<string, ApiError>) => {
        request.off("data", onData)
        request.off("end", onEnd)
        request.off("error", onGone)
        request.off("close", onGone)
        resume(Effect.succeed(result))
      }
      const onData = (chunk: Buffer) => {
        size += chunk.length
        if (size > limit) {
          request.pause()
          done(Effect.fail(tooLarge(limit)))
        } else chunks.push(chunk)
      }
      const onEnd = () => done(decode(chunks))
      const onGone = () =>
        done(
          Effect.fail(
            new ApiError({ code: "malformed_json", message: "The body ended before it was complete" })
          )
        )
      request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone)
    })
  )
}
