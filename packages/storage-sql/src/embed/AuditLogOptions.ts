/** The options of `openAuditLog` that every database has. */
import { type AuditLogWarn, InvalidArgument, refuseUnknown } from "@cairn/core/audit-log"

/** Warns through the process, as Node does: on standard error, unless the program listens to `warning`. */
const warnByProcess: AuditLogWarn = (_, message, details) => {
  const { cause, ...others } = details
  const detail = Object.entries(others).map(([name, value]) => `${name}: ${String(value)}`)
  process.emitWarning(message, {
    type: "AuditLogWarning",
    detail: [...detail, ...(cause === undefined ? [] : [String(cause)])].join("\n")
  })
}

/**
 * A program's function `warn`. If it throws or rejects, the process warns instead, so that the warning is not
 * lost and the work that caused it continues.
 */
const guarded =
  (warn: (...given: Parameters<AuditLogWarn>) => unknown): AuditLogWarn =>
  (...given) => {
    const failed = (cause: unknown) => {
      warnByProcess(...given)
      warnByProcess("warn", "The option warn failed", { cause })
    }
    try {
      Promise.resolve(warn(...given)).catch(failed)
    } catch (cause) {
      failed(cause)
    }
  }

const isFunction = (value: unknown): value is (...given: ReadonlyArray<unknown>) => unknown =>
  typeof value === "function"

/**
 * What a program passed, which may not be type-checked. Throws `InvalidArgument` for an option that is not in
 * `names`.
 */
export const readAuditLogOptions = <Name extends string>(
  given: unknown,
  names: ReadonlyArray<Name>
): { readonly options: Partial<Record<Name, unknown>>; readonly warn: AuditLogWarn } => {
  refuseUnknown(given, [...names, "warn"])
  const { warn = warnByProcess }: { readonly warn?: unknown } = given
  if (!isFunction(warn)) throw new InvalidArgument("warn", "must be a function")
  return { options: given, warn: guarded(warn) }
}
