/** What an endpoint returns, before the headers that every response carries. */
import { Stream } from "effect"
import { type Cookies, Headers, HttpServerResponse } from "effect/http"

/** Headers, with names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>

/** Codings of a body, the best one first. */
export const CODINGS = ["zstd", "br", "gzip"] as const
export type Coding = (typeof CODINGS)[number]

/** A cookie that a response sets; one that ends has no value and no age. */
export interface AnswerCookie {
  readonly name: string
  readonly value: string
  readonly options: NonNullable<Cookies.Cookie["options"]>
}

/**
 * A status and a body that is already text or bytes: content is serialised once and not changed afterwards.
 */
export interface Answer {
  readonly status: number
  /** A stream that fails breaks the connection, so that the client sees that something is missing. */
  readonly body: string | Uint8Array | Stream.Stream<Uint8Array, unknown>
  readonly contentType: string
  readonly headers?: AnswerHeaders
  /** Whether it may be compressed: it has nothing secret in it. */
  readonly compressible?: boolean
  /** The body as it was compressed beforehand. */
  readonly encoded?: Readonly<Partial<Record<Coding, Uint8Array>>>
  readonly cookies?: ReadonlyArray<AnswerCookie>
  /** The id of what the request created: `Location` is the request's path and this. */
  readonly created?: string
}

/** A response in JSON. */
export const jsonAnswer = (body: unknown, status = 200): Answer =>
  jsonTextAnswer(JSON.stringify(body), status)

/** `201` with what was created; it is found below the request's path by its id. */
export const createdAnswer = <A extends { readonly id: string }>(data: A): Answer => ({
  ...jsonAnswer({ data }, 201),
  created: data.id
})

/** A response in JSON that is already text. */
export const jsonTextAnswer = (body: string, status = 200): Answer => ({
  status,
  body,
  contentType: "application/json"
})

/** Characters or bytes that are written at once: the system takes some, and the client's pace shows. */
export const PIECE = 64 * 1024

const encoder = new TextEncoder()

/** The bytes of a body, encoded a piece at a time; no piece of a text ends within a surrogate pair. */
export function* piecesOf(body: string | Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; ) {
    if (typeof body !== "string") {
      yield body.subarray(at, at + PIECE)
      at += PIECE
      continue
    }
    const last = body.charCodeAt(at + PIECE - 1)
    const end = at + PIECE - (last >= 0xd800 && last < 0xdc00 ? 1 : 0)
    yield encoder.encode(body.slice(at, end))
    at = end
  }
}

/** A large body, written as fast as the client takes it; its bytes are never there as a whole. */
const inPieces = (body: string | Uint8Array, options: HttpServerResponse.Options.WithContentType) =>
  HttpServerResponse.stream(Stream.fromIterable(piecesOf(body), { chunkSize: 1 }), {
    ...options,
    contentLength: Buffer.byteLength(body)
  })

const responseOf = (
  { status, body, contentType, headers }: Answer,
  more: AnswerHeaders
): HttpServerResponse.HttpServerResponse => {
  const options = { status, contentType, headers: Headers.fromRecordUnsafe({ ...more, ...headers }) }
  if (status === 304) return HttpServerResponse.empty({ status, headers: options.headers })
  if (!Stream.isStream(body) && body.length > PIECE) return inPieces(body, options)
  if (typeof body === "string") return HttpServerResponse.text(body, options)
  return Stream.isStream(body)
    ? HttpServerResponse.stream(body, options)
    : HttpServerResponse.uint8Array(body, options)
}

/** The response, with `more` headers; those of the endpoint take precedence. */
export const toResponse = (answer: Answer, more: AnswerHeaders): HttpServerResponse.HttpServerResponse => {
  const response = responseOf(answer, more)
  const { cookies } = answer
  if (cookies === undefined) return response
  return HttpServerResponse.setCookiesUnsafe(
    response,
    cookies.map(({ name, value, options }) => [name, value, options] as const)
  )
}
