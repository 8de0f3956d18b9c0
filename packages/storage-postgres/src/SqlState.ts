/** The five characters by which PostgreSQL names an error. */
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** The SQLSTATE of an error; empty if it did not come from a server. */
export const sqlState = ({ reason: { cause } }: SqlError): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** An error of the connection, with the SQLSTATE of one that could not be had. */
export const noConnection = (text: string): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: Object.assign(new Error(text), { code: "08001" }),
      message: text,
      operation: "connect"
    })
  })

/** An error of a commit of which nobody knows whether it is confirmed. */
export const commitUnknown = (text: string): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: Object.assign(new Error(text), { code: "08007" }),
      message: text,
      operation: "commit"
    })
  })
