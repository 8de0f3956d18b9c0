/** Receivers whose last attempt ended in silence, as far as one worker remembers. */

/** Most receivers that are remembered; beyond it the oldest is forgotten and no longer suspect. */
const REMEMBERED = 10_000

/**
 * Which receivers are suspect. One that is forgotten, also by a restart, costs its workspace a few places for
 * one attempt.
 */
export class SuspectReceivers {
  readonly #keys = new Set<string>()

  /** Notes whether an attempt ended in silence. */
  note(key: string, silent: boolean): void {
    this.#keys.delete(key)
    if (!silent) return
    this.#keys.add(key)
    if (this.#keys.size <= REMEMBERED) return
    const [oldest] = this.#keys
    if (oldest !== undefined) this.#keys.delete(oldest)
  }

  /** Whether the last attempt at this receiver ended in silence. */
  has(key: string): boolean {
    return this.#keys.has(key)
  }
}
