/** Which of a URL's servers is used: what each says of itself, compared. */
import { storeErrorText } from "@cairn/core/log"
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { DatabaseHost, Needs } from "./DatabaseUrl.ts"
import { noConnection, sqlState } from "./SqlState.ts"
import { isNotGiven, TIMELINE } from "./Timeline.ts"

/** What a server says of itself. */
export interface ServerState {
  readonly standby: boolean
  readonly read_only: boolean
  /** Null on a standby, and where it is not known. */
  readonly timeline: number | null
  /** The identifier of the database system, which a standby shares with its primary; null if not known. */
  readonly system: string | null
}

/** A server of the URL, with its answer or why there is none. */
export interface Asked {
  readonly host: DatabaseHost
  readonly answer: Result.Result<ServerState, SqlError>
}

const ASK = `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS read_only`

/** Asks the server of a session. */
export const askSession = (session: PgConnection.PgConnection): Effect.Effect<ServerState, SqlError> => {
  const ask = (columns: string) =>
    Effect.map(
      session.query(`${ASK}, ${columns}`),
      ({ rows: [row] }): ServerState => ({
        standby: row?.standby === true,
        read_only: row?.read_only === true,
        timeline: typeof row?.timeline === "number" ? row.timeline : null,
        system: typeof row?.system === "string" ? row.system : null
      })
    )
  return ask(
    `${TIMELINE} AS timeline, (SELECT system_identifier::text FROM pg_control_system()) AS system`
  ).pipe(Effect.catchIf(isNotGiven, () => ask("NULL::bigint AS timeline, NULL::text AS system")))
}

/** Why a server is not what is needed; undefined if it is. */
export const unfitness = (
  { standby, read_only, system }: ServerState,
  needs: Needs,
  known: string | null
): string | undefined => {
  if (known !== null && system !== null && system !== known) return "belongs to another database system"
  if (needs === "any") return undefined
  if (standby) return "is a standby"
  return needs === "read-write" && read_only ? "takes no writes" : undefined
}

/** What was chosen, and what is logged of the others. */
export interface Choice {
  readonly host: DatabaseHost
  readonly state: ServerState | undefined
  /** Old primaries that still take writes. */
  readonly replaced: ReadonlyArray<{ readonly host: DatabaseHost; readonly timeline: number }>
}

/** "Too many connections": a server that is there, and has none left to answer with. */
const BUSY = "53300"

/** What a choice is made from, beside the answers. */
export interface Choosing {
  readonly needs: Needs
  /** The database system that was used first; null if it is not known. */
  readonly system: string | null
  /** The server in use. */
  readonly current: DatabaseHost | undefined
}

const timelineOf = ({ state }: { readonly state: ServerState }): number => state.timeline ?? 0

/** The servers that are what is needed, the one of the newest timeline first, then the current one. */
const fitting = (asked: ReadonlyArray<Asked>, { needs, system, current }: Choosing) =>
  asked
    .flatMap(({ host, answer }) => (Result.isSuccess(answer) ? [{ host, state: answer.success }] : []))
    .filter(({ state }) => unfitness(state, needs, system) === undefined)
    .toSorted(
      (a, b) =>
        (needs === "any" ? 0 : timelineOf(b) - timelineOf(a)) ||
        Number(b.host === current) - Number(a.host === current)
    )

const refusal = ({ host, answer }: Asked, { needs, system }: Choosing): string =>
  Result.isFailure(answer)
    ? `${host.name}: ${storeErrorText(answer.failure).split("; ").at(-1)}`
    : `${host.name} ${unfitness(answer.success, needs, system)}`

/**
 * Chooses a server: of those that are what is needed the one on the newest timeline, because an old primary
 * that was replaced says that it takes writes too.
 */
export const chooseServer = (
  asked: ReadonlyArray<Asked>,
  choosing: Choosing
): Result.Result<Choice, SqlError> => {
  const [best, ...others] = fitting(asked, choosing)
  if (best !== undefined) {
    const replaced = others.flatMap(({ host, state: { timeline } }) =>
      timeline !== null && timeline < timelineOf(best) ? [{ host, timeline }] : []
    )
    return Result.succeed({ ...best, replaced })
  }
  const busy = asked.find(
    ({ host, answer }) =>
      host === choosing.current && Result.isFailure(answer) && sqlState(answer.failure) === BUSY
  )
  if (busy !== undefined) return Result.succeed({ host: busy.host, state: undefined, replaced: [] })
  return Result.fail(
    noConnection(`no server can be used: ${asked.map((one) => refusal(one, choosing)).join(", ")}`)
  )
}
