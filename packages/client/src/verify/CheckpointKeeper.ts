import { platformSha256 } from "@cairn/core/hashing"
import { verifyConsistency } from "@cairn/core/merkle"
import { openCheckpoint } from "@cairn/core/note"
import { portableEd25519 } from "@cairn/verifier"
import { Result } from "effect"
import { CairnError } from "../Errors.ts"
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

/** What a client is shown does not fit what it keeps. Both notes together are evidence: keep them. */
export class LogChangedError extends CairnError {
  override readonly name: string = "LogChangedError"
  /**
   * `forked`: the log is not a continuation of the one that was signed before: it was rewritten, or another
   * one is shown to others. `shrunk`: it is shorter than it was, as after a restored backup, or from a
   * replica that lags. `another_log`: its origin is another one.
   */
  readonly kind: "forked" | "shrunk" | "another_log"
  readonly kept: KeptCheckpoint
  readonly shown: KeptCheckpoint

  constructor(kind: "forked" | "shrunk" | "another_log", kept: KeptCheckpoint, shown: KeptCheckpoint) {
    super(
      `the log ${kind === "another_log" ? "is another one" : `has ${kind}`}: ` +
        `kept ${kept.size} events of ${kept.origin}, shown ${shown.size} of ${shown.origin}`
    )
    this.kind = kind
    this.kept = kept
    this.shown = shown
  }
}

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

/**
 * Keeps the newest checkpoint that it has seen, and says when the log it talks to has forked or shrunk
 * since. Let it {@link CheckpointKeeper.check} now and then, such as once an hour: a service that changed
 * its log can then no longer hide that from this client.
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
   * Gets the newest checkpoint, holds it against the one that is kept, and keeps the newer.
   *
   * @throws LogChangedError, CheckpointUntrustedError, or what the store and the requests throw. The
   *   checkpoint that was kept stays then.
   */
  check(): Promise<KeptCheckpoint> {
    const checked = this.#last.catch(() => {}).then(() => this.#check())
    this.#last = checked
    return checked
  }

  /** The checkpoint that is kept; `undefined` before the first check. */
  async kept(): Promise<KeptCheckpoint | undefined> {
    const note = await this.#store.load()
    return note === undefined ? undefined : this.#open(note, "the checkpoint that was kept")
  }

  async #check(): Promise<KeptCheckpoint> {
    const kept = await this.kept()
    const shown = this.#open(await this.#source.latest(), "the newest checkpoint")
    if (kept !== undefined) {
      if (shown.origin !== kept.origin) throw new LogChangedError("another_log", kept, shown)
      if (shown.size < kept.size) throw new LogChangedError("shrunk", kept, shown)
      if (!(await this.#continues(kept, shown))) throw new LogChangedError("forked", kept, shown)
      if (shown.size === kept.size) return kept
    }
    await this.#store.save(shown.note)
    return shown
  }

  async #continues(kept: KeptCheckpoint, shown: KeptCheckpoint): Promise<boolean> {
    if (shown.size === kept.size) return shown.root === kept.root
    if (kept.size === 0) return true
    const { data } = await this.#source.consistency({ from: String(kept.size), to: String(shown.size) })
    const hashes: unknown = data?.hashes
    const isProof =
      Array.isArray(hashes) &&
      hashes.length <= MAX_HASHES &&
      hashes.every((hash) => typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash))
    return (
      isProof &&
      Result.isSuccess(
        verifyConsistency(platformSha256, bytesOf(kept.root), bytesOf(shown.root), {
          firstSize: kept.size,
          secondSize: shown.size,
          hashes: hashes.map(bytesOf)
        })
      )
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
