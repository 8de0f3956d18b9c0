/** Receivers whose last attempt ran into silence, as far as one worker remembers. */

/** Most receivers that are remembered; beyond it the one that was noted first is forgotten, and is as anybody else again. */
const REMEMBERED = 10_000

/** Which receivers are suspect. What is forgotten, at a restart too, costs its workspace a few places for one attempt. */
export class SuspectReceivers {
  readonly #keys = new Set<string>()

  /** Notes how an attempt at a receiver ended: in silence, or with an answer or a refusal. */
  note(key: string, silent: boolean): void {
    this.#keys.delete(key)
    if (!silent) return
    this.#keys.add(key)
    if (this.#keys.size <= REMEMBERED) return
    const [oldest] = this.#keys
    if (oldest !== undefined) this.#keys.delete(oldest)
  }

  /** Whether the last attempt at this receiver ran into silence. */
  has(key: string): boolean {
    return this.#keys.has(key)
  }
}
