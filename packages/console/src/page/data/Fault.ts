/** What went wrong with a request, as a page can say it. */
import { CairnApiError, CairnTimeoutError } from "@cairn/client/session"

/** Why a request failed. */
export type Fault =
  /** Nobody is signed in any more. */
  | { readonly kind: "signed_out" }
  /** The role does not allow it, or the address is not on the allowlist. */
  | { readonly kind: "refused"; readonly message: string }
  /** It is not there, or no longer. */
  | { readonly kind: "gone" }
  /** Too much at once; `seconds` until it may be tried again. */
  | { readonly kind: "busy"; readonly seconds: number }
  /** The service cannot answer for now; `seconds` until it may be tried again. */
  | { readonly kind: "unavailable"; readonly seconds: number }
  /** The service does not take what was given; `fields` has what is wrong with which. */
  | {
      readonly kind: "invalid"
      readonly message: string
      readonly fields: Readonly<Record<string, string>>
    }
  /** No answer, or one that is none. */
  | { readonly kind: "failed"; readonly message: string }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** What the service says of each field, by the field's name. */
const fieldsOf = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => {
  const faults = Array.isArray(body.errors) ? body.errors : []
  return Object.fromEntries(
    faults.flatMap((fault) =>
      isRecord(fault) && typeof fault.field === "string" && typeof fault.message === "string"
        ? [[fault.field, fault.message]]
        : []
    )
  )
}

/** The fault of an error that a call threw. */
export const faultOf = (error: unknown): Fault => {
  if (error instanceof CairnTimeoutError) return { kind: "unavailable", seconds: 5 }
  if (!(error instanceof CairnApiError)) {
    return { kind: "failed", message: error instanceof Error ? error.message : "" }
  }
  const { status, message, body, retryAfterMillis } = error
  if (status === 401) return { kind: "signed_out" }
  // No other role would help where the plan allows no more.
  if (status === 403 && body.error !== "plan_limit_reached") return { kind: "refused", message }
  if (status === 404) return { kind: "gone" }
  if (status === 429 || status === 503) {
    const seconds = Math.max(1, Math.ceil((retryAfterMillis ?? 5_000) / 1_000))
    return { kind: status === 429 ? "busy" : "unavailable", seconds }
  }
  if (status < 500) return { kind: "invalid", message, fields: fieldsOf(body) }
  return { kind: "failed", message }
}
