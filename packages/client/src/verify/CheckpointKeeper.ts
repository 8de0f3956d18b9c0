import { platformSha256 } from "@cairn/core/hashing"
import { verifyConsistency } from "@cairn/core/merkle"
import { openCheckpoint } from "@cairn/core/note"
import { portableEd25519 } from "@cairn/verifier"
import { Result } from "effect"
import { CairnApiError, CairnError } from "../Errors.ts"
import { trustedKeysOf } from "./TrustedKeys.ts"

/** A checkpoint that one of the keys signed. */
export interface KeptCheckpoint {
  /** The signed note, which is evidence by itself. */
  readonly note: string
  /** Which log. */
  readonly origin: string
  /** How many events it holds. */
  readonly size: number
  /** Its Merkle root: 64 hexadecimal characters. */
  readonly root: string
}

/** Where a checkpoint is kept. It must not be lost, or there is nothing to compare with. */
export interface CheckpointStore {
  /** The note that was saved last; `undefined` where none was. */
  readonly load: () => Promise<string | undefined>
  /** Saves a note, whole or not at all. */
  readonly save: (note: string) => Promise<void>
}

/** Where checkpoints come from: a client's `checkpoints`. */
export interface CheckpointSource {
  readonly latest: () => Promise<string>
  readonly consistency: (query: { readonly from: string; readonly to: string }) => Promise<{
    readonly data: { readonly hashes: ReadonlyArray<string> }
  }>
}

/** What a client is shown does not fit what it keeps. Both notes are evidence: keep them. */
export class LogChangedError extends CairnError {
  override readonly name: string = "LogChangedError"
  /**
   * `forked`: the log is not a continuation of the one that was signed before: it was rewritten, or another
   * one is shown to others. Two notes of one size with different roots prove that to anybody; of other sizes,
   * nobody can show a proof that one continues the other. `shrunk`: it is shorter than it was, as after a
   * restored backup, or from a replica that lags. `another_log`: its origin is another one.
   */
  readonly kind: "forked" | "shrunk" | "another_log"
  readonly kept: KeptCheckpoint
  readonly shown: KeptCheckpoint

  constructor(kind: "forked" | "shrunk" | "another_log", kept: KeptCheckpoint, shown: KeptCheckpoint) {
    super(`the log ${kind === "another_log" ? "is another one" : `has ${kind}`}: ${both(kept, shown)}`)
    this.kind = kind
    this.kept = kept
    this.shown = shown
  }
}

/**
 * The service gave no proof that two checkpoints are of one log, such as an error or a page in its place. Try
 * again; a service that goes on giving none hides something. Both notes are evidence.
 */
export class LogUnprovenError extends CairnError {
  override readonly name: string = "LogUnprovenError"
  readonly kept: KeptCheckpoint
  readonly shown: KeptCheckpoint

  constructor(kept: KeptCheckpoint, shown: KeptCheckpoint, cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : ""
    super(`no proof was given that the log continues: ${both(kept, shown)}${why}`, { cause })
    this.kept = kept
    this.shown = shown
  }
}

/** The newest checkpoint that is shown does not hold what the caller knows to be in the log. */
export class LogStaleError extends CairnError {
  override readonly name: string = "LogStaleError"
  readonly shown: KeptCheckpoint
  /** How many events it should hold at least. */
  readonly atLeast: number

  constructor(shown: KeptCheckpoint, atLeast: number) {
    super(`the newest checkpoint holds ${shown.size} events of ${shown.origin}, and not ${atLeast}`)
    this.shown = shown
    this.atLeast = atLeast
  }
}

const both = (kept: KeptCheckpoint, shown: KeptCheckpoint): string =>
  `kept ${kept.size} events of ${kept.origin}, shown ${shown.size} of ${shown.origin}`

/** A note is no checkpoint, or none of the keys signed it. */
export class CheckpointUntrustedError extends CairnError {
  override readonly name: string = "CheckpointUntrustedError"
}

/** A store in memory: it forgets with the process. */
export const memoryCheckpoints = (): CheckpointStore => {
  const kept: Array<string> = []
  return {
    load: async () => kept.at(-1),
    save: async (note) => {
      kept.splice(0, 1, note)
    }
  }
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(at * 2, at * 2 + 2), 16))

/** A proof has at most two hashes for each bit of a size. */
const MAX_HASHES = 2 * 53

/** What a check found. */
export interface CheckedCheckpoint extends KeptCheckpoint {
  /** Since when the checkpoint has not grown: the log is frozen, or nothing happens in it. */
  readonly unchangedSince: Date
}

/**
 * Keeps the newest checkpoint that it has seen, and says when the log it talks to has forked or shrunk since.
 * Let it {@link CheckpointKeeper.check} now and then, such as once an hour.
 *
 * What that proves: all that this client has seen is one log that only grew. What it does not prove by
 * itself: that others see the same log, for which checkpoints have to come from elsewhere, an auditor or
 * another client, to {@link CheckpointKeeper.compare}; and that the log still moves, for which `check` is
 * given what the log must hold.
 *
 * @example
 * const keeper = new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store })
 * const { note, size } = await keeper.check()
 */
export class CheckpointKeeper {
  readonly #source: CheckpointSource
  readonly #store: CheckpointStore
  readonly #keys: ReturnType<typeof trustedKeysOf>
  /** One check after the other, so that none compares with what another one replaces. */
  #last: Promise<unknown> = Promise.resolve()
  #seen: { readonly size: number; readonly since: Date } | undefined

  /** @throws TypeError for a verifier key that is none, or for none at all. */
  constructor(options: {
    readonly source: CheckpointSource
    /** Verifier keys, a line of text each. */
    readonly verifierKeys: ReadonlyArray<string>
    readonly store?: CheckpointStore | undefined
  }) {
    this.#source = options.source
    this.#store = options.store ?? memoryCheckpoints()
    this.#keys = trustedKeysOf(options.verifierKeys)
  }

  /**
   * Gets the newest checkpoint, holds it against the one that is kept, and keeps the newer. `atLeast`: how
   * many events it must hold, such as the `sequence` of an event whose recording was a while ago.
   *
   * @throws LogChangedError, LogUnprovenError, LogStaleError, CheckpointUntrustedError, or what the store and
   *   the requests throw. The checkpoint that was kept stays then, but for LogStaleError.
   */
  check({ atLeast = 0 }: { readonly atLeast?: number | undefined } = {}): Promise<CheckedCheckpoint> {
    return this.#alone(async () => {
      const kept = await this.kept()
      const shown = this.#open(await this.#source.latest(), "the newest checkpoint")
      if (kept !== undefined) {
        if (shown.origin === kept.origin && shown.size < kept.size) {
          throw new LogChangedError("shrunk", kept, shown)
        }
        await this.#hold(kept, shown)
      }
      if (kept === undefined || shown.size > kept.size) await this.#store.save(shown.note)
      if (this.#seen === undefined || shown.size > this.#seen.size) {
        this.#seen = { size: shown.size, since: new Date() }
      }
      if (!(shown.size >= atLeast)) throw new LogStaleError(shown, atLeast)
      return { ...(kept?.size === shown.size ? kept : shown), unchangedSince: this.#seen.since }
    })
  }

  /**
   * Holds a checkpoint from elsewhere against the one that is kept: that of a proof, of an auditor, of
   * another client. It may be older or newer; a newer one is kept. Where none is kept yet, it becomes the
   * first.
   *
   * @throws LogChangedError, LogUnprovenError, CheckpointUntrustedError, or what the store and the requests
   *   throw.
   */
  compare(note: string): Promise<KeptCheckpoint> {
    return this.#alone(async () => {
      const shown = this.#open(note, "the checkpoint from elsewhere")
      const kept = await this.kept()
      if (kept !== undefined) await this.#hold(kept, shown)
      if (kept === undefined || shown.size > kept.size) await this.#store.save(shown.note)
      return shown
    })
  }

  /** The checkpoint that is kept; `undefined` before the first check. */
  async kept(): Promise<KeptCheckpoint | undefined> {
    const note = await this.#store.load()
    return note === undefined ? undefined : this.#open(note, "the checkpoint that was kept")
  }

  #alone<A>(run: () => Promise<A>): Promise<A> {
    const done = this.#last.catch(() => {}).then(run)
    this.#last = done
    return done
  }

  /** Whether both are of one log, by a proof of the service where one holds more than the other. */
  async #hold(kept: KeptCheckpoint, shown: KeptCheckpoint): Promise<void> {
    if (shown.origin !== kept.origin) throw new LogChangedError("another_log", kept, shown)
    const [before, after] = shown.size < kept.size ? [shown, kept] : [kept, shown]
    const isOne =
      before.size === after.size
        ? before.root === after.root
        : before.size === 0 ||
          (await this.#continues(before, after, (cause) => new LogUnprovenError(kept, shown, cause)))
    if (!isOne) throw new LogChangedError("forked", kept, shown)
  }

  async #continues(
    before: KeptCheckpoint,
    after: KeptCheckpoint,
    unproven: (cause: unknown) => LogUnprovenError
  ): Promise<boolean> {
    const { hashes } = await this.#source
      .consistency({ from: String(before.size), to: String(after.size) })
      .then((answer): { readonly hashes?: unknown } => answer?.data ?? {})
      .catch((cause: unknown) => {
        // What passes by itself is no word about the log.
        const passes = !(cause instanceof CairnApiError) || cause.status === 429 || cause.status >= 500
        throw passes ? cause : unproven(cause)
      })
    const isProof =
      Array.isArray(hashes) &&
      hashes.length > 0 &&
      hashes.length <= MAX_HASHES &&
      hashes.every((hash) => typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash))
    if (!isProof) throw unproven(undefined)
    const sizes = { firstSize: before.size, secondSize: after.size, hashes: hashes.map(bytesOf) }
    return Result.isSuccess(
      verifyConsistency(platformSha256, bytesOf(before.root), bytesOf(after.root), sizes)
    )
  }

  #open(note: string, what: string): KeptCheckpoint {
    const opened = openCheckpoint(portableEd25519, note, this.#keys)
    if (Result.isFailure(opened)) {
      throw new CheckpointUntrustedError(`${what} is not signed by one of the keys: ${opened.failure._tag}`)
    }
    const { origin, size, root } = opened.success.checkpoint
    return { note, origin, size, root: hex(root) }
  }
}
