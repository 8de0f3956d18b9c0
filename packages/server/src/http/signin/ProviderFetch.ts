/** Calls to the identity provider: bounded in time and length, without redirects. */
import type { CustomFetch } from "openid-client"
import { isLoopback } from "../../settings/SignInSettings.ts"

/** Longest answer of a provider, in bytes. Its keys and metadata are some kilobytes. */
const LONGEST_ANSWER = 1_048_576

/** Statuses whose answers have no body (Fetch section 2.2.3). */
const WITHOUT_BODY: ReadonlyArray<number> = [101, 103, 204, 205, 304]

/** A call that has no answer that can be used. The message holds nothing that was sent. */
export class CallFailed extends Error {
  readonly kind: "no_answer" | "too_long" | "plain_http"

  constructor(kind: CallFailed["kind"], message: string) {
    super(message)
    this.kind = kind
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** Node's `fetch` has the reason as the cause of its error. */
const noAnswer = (host: string, error: unknown): CallFailed => {
  const code = codeOf(error instanceof Error ? (error.cause ?? error) : error)
  return new CallFailed("no_answer", `no answer from ${host}${code === undefined ? "" : ` (${code})`}`)
}

const readBody = async (response: Response, host: string): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > LONGEST_ANSWER)
      throw new CallFailed("too_long", `${host} answers with more than ${LONGEST_ANSWER} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * A `fetch` that ends with `signal` and reads an answer to its end, at most {@link LONGEST_ANSWER}. Plain
 * http goes to this machine alone, also where the metadata of a provider on it lead elsewhere.
 */
export const boundedFetch =
  (signal: AbortSignal): CustomFetch =>
  async (url, { signal: own, ...options }) => {
    const target = new URL(url)
    const { host } = target
    if (target.protocol !== "https:" && !isLoopback(target))
      throw new CallFailed("plain_http", `${host} is not called by plain http`)
    try {
      const both = own === undefined ? signal : AbortSignal.any([signal, own])
      const response = await fetch(target, { ...options, body: options.body ?? null, signal: both })
      const body = await readBody(response, host)
      const { status, headers } = response
      return new Response(WITHOUT_BODY.includes(status) ? null : Buffer.from(body), { status, headers })
    } catch (error) {
      throw error instanceof CallFailed ? error : noAnswer(host, error)
    }
  }
