/** What a command's failure is, by its exit code and as it is said: in a line, or as JSON. */
import { printableJson, printableLines } from "@cairn/core/verification"
import { Data } from "effect"
import { CliError } from "effect/cli"
import { errorText } from "./ErrorText.ts"

/**
 * The kinds of failures with their exit codes. 3 is left to what `cairn verify --audit` lists; 78 is that of
 * sysexits.h; 130, of SIGINT and SIGTERM, is that of Node's runner.
 */
export const EXIT_CODES = {
  does_not_hold: 1,
  usage: 2,
  failed: 4,
  configuration: 78,
  interrupted: 130
} as const
export type FailureKind = keyof typeof EXIT_CODES

/** The command cannot do what it was asked; the message is for its user. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  /** `usage` unless it is given: what was asked is wrong, is not found, or is refused. */
  readonly kind?: FailureKind
}> {}

/** The kinds of other errors; one that is not here is `failed`: the database, the disk or a peer said no. */
const KINDS: Readonly<Record<string, FailureKind>> = {
  ApiKeyNotFound: "usage",
  BackupRefused: "usage",
  BackupTooNew: "usage",
  BackupUnderWay: "usage",
  BatchRefused: "usage",
  RestoreRefused: "usage",
  ChainStarted: "usage",
  CollectionFull: "usage",
  CopyRefused: "usage",
  InvalidInput: "usage",
  LastOwner: "usage",
  LogClosed: "usage",
  MalformedJson: "usage",
  MemberExists: "usage",
  NotFound: "usage",
  NotDistributable: "usage",
  NothingToErase: "usage",
  NotInvited: "usage",
  OtherDatabase: "usage",
  SpreadInPart: "usage",
  UnknownRuleType: "usage",
  UnreadableFile: "usage",
  WorkspaceNameTaken: "usage",
  WorkspaceNotFound: "usage",
  BackupBroken: "does_not_hold",
  BackupDamaged: "does_not_hold",
  CopyDiffers: "does_not_hold",
  LogDamaged: "does_not_hold",
  LogNotAsSigned: "does_not_hold",
  InvalidConfiguration: "configuration",
  SecretFileUnusable: "configuration",
  SecretKeyNeeded: "configuration"
}

/** What kind of failure an error is. */
export const kindOf = (error: unknown): FailureKind => {
  if (error instanceof CommandFailed) return error.kind ?? "usage"
  if (CliError.isCliError(error)) return "usage"
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
  return (typeof tag === "string" ? KINDS[tag] : undefined) ?? "failed"
}

/** An error of the arguments, and the help that tells the right ones. */
const usageOf = ({ commandPath, errors }: CliError.ShowHelp) => {
  const command = commandPath.join(" ")
  return {
    message:
      errors.length === 0 ? `${command} needs a subcommand` : errors.map(({ message }) => message).join("; "),
    hint: `See ${command} --help`
  }
}

/** What standard error says of a failure, without what a terminal would obey. */
export const failureText = (error: unknown, asJson: boolean): string => {
  const { message, hint } =
    CliError.isCliError(error) && error._tag === "ShowHelp"
      ? usageOf(error)
      : { message: errorText(error), hint: undefined }
  return asJson
    ? printableJson({ error: { code: kindOf(error), message, ...(hint === undefined ? {} : { hint }) } })
    : printableLines([`cairn: ${message}`, ...(hint === undefined ? [] : [hint])].join("\n"))
}
