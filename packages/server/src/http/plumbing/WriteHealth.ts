/** Whether the store takes writes: what became of the newest commits, or of a write of its own. */
import {
  type Accept,
  type AcceptExit,
  type AcceptRequest,
  acceptingBy,
  Inbox,
  type StorageUnavailable,
  storeCause
} from "@cairn/core/log"
import { Clock, Context, Effect, Exit, Layer, Option, Cause as Reason, Semaphore } from "effect"

/** A commit that succeeded so many milliseconds ago says enough. */
const FRESH_MILLIS = 1_000
/**
 * So long after a commit that failed no write of its own counts, which is smaller than most: a disk with room
 * for it is still full.
 */
const HELD_MILLIS = 5_000
/** So many commits fail in a row, for a cause that may pass by itself, before writes count as failing. */
const IN_A_ROW = 3
/** How long a supervisor waits for the write. */
const PATIENCE = "2 seconds"

/** Whether the store takes writes. */
export class WriteHealth extends Context.Service<
  WriteHealth,
  {
    /**
     * Why the store takes no writes; none if it does, or if nothing is known that speaks against it. Where
     * commits failed, a write of its own tries whether that is over, at most one a second; `forced` makes it
     * try also where no commit was made lately.
     */
    readonly reason: (forced: boolean) => Effect.Effect<Option.Option<Refusal>>
  }
>()("@cairn/server/WriteHealth") {}

/** Why the store takes no writes, in two words and in a sentence. */
export interface Refusal {
  readonly name: string
  readonly says: string
}

interface Known {
  readonly succeededAt: number
  readonly failedAt: number
  readonly triedAt: number
  /** Commits that failed since one succeeded. */
  readonly inARow: number
  readonly cause: ReturnType<typeof storeCause> | undefined
}

const NEVER = Number.NEGATIVE_INFINITY

const isFailing = ({ inARow, cause }: Known): boolean =>
  cause !== undefined && (cause.lasts || inARow >= IN_A_ROW)

/** Watches the commits of the inbox that it is put over. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const inbox = yield* Inbox
    const clock = yield* Clock.Clock
    const one = yield* Semaphore.make(1)
    const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    let known: Known = { succeededAt: NEVER, failedAt: NEVER, triedAt: NEVER, inARow: 0, cause: undefined }

    const succeeded = () => {
      known = { ...known, succeededAt: now(), inARow: 0, cause: undefined }
    }
    const failed = (error: StorageUnavailable) => {
      known = { ...known, failedAt: now(), inARow: known.inARow + 1, cause: storeCause(error.cause) }
    }

    const ended = (exit: AcceptExit) => {
      if (Exit.isSuccess(exit)) return succeeded()
      const error = Option.getOrUndefined(Reason.findErrorOption(exit.cause))
      if (error?._tag === "StorageUnavailable") failed(error)
    }

    const watched = (request: AcceptRequest) =>
      Effect.onExit(inbox.accept(request), (exit) => Effect.sync(() => ended(exit)))
    const { promptly } = inbox.accept
    const accept: Accept =
      promptly === undefined
        ? watched
        : acceptingBy((request, done) =>
            promptly(request, (exit) => {
              ended(exit)
              done(exit)
            })
          )

    /** A write of its own. One that fails counts as a commit that failed. */
    const attempt = Effect.gen(function* () {
      if (now() - known.triedAt < FRESH_MILLIS) return
      known = { ...known, triedAt: now() }
      const exit = yield* Effect.exit(Effect.timeoutOption(inbox.probe, PATIENCE))
      if (Exit.isFailure(exit)) {
        const error = Option.getOrUndefined(Reason.findErrorOption(exit.cause))
        if (error !== undefined) failed(error)
        return
      }
      if (Option.isNone(exit.value)) {
        known = {
          ...known,
          cause: storeCause(new Error("does not answer")),
          inARow: IN_A_ROW,
          failedAt: now()
        }
      } else if (now() - known.failedAt >= HELD_MILLIS) succeeded()
    })

    const reason = Effect.fnUntraced(function* (forced: boolean) {
      const isOld = now() - known.succeededAt >= FRESH_MILLIS
      if (known.cause !== undefined || (forced && isOld)) yield* one.withPermit(attempt)
      const { cause } = known
      if (cause === undefined || !isFailing(known)) return Option.none()
      return Option.some({ name: cause.name, says: cause.says })
    })

    return Context.make(WriteHealth, WriteHealth.of({ reason })).pipe(
      Context.add(Inbox, Inbox.of({ ...inbox, accept }))
    )
  })
)
