/** The five characters by which PostgreSQL names an error. */
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** The SQLSTATE of an error; empty if it did not come from a server. */
export const sqlState = ({ reason: { cause } }: SqlError): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/**
 * Whether a server has said this. Two codes are ours, see below; those of the system, as `EPIPE`, begin with
 * a letter that no class of a server's codes does.
 */
export const isAnswer = (error: SqlError): boolean => /^(?!0800[17]|E)[0-9A-Z]{5}$/.test(sqlState(error))

/** What the server would have said; the innermost text is the one that is logged. */
const failed = (operation: string, code: string, text: string): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: Object.assign(new Error(text), { code }),
      message: `failed to ${operation}`,
      operation
    })
  })

/** A connection could not be had. */
export const noConnection = (text: string): SqlError => failed("connect", "08001", text)

/** A commit of which nobody knows whether it is confirmed. */
export const commitUnknown = (text: string): SqlError => failed("commit", "08007", text)
