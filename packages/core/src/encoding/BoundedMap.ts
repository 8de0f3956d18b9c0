/** A map that forgets: of more entries than it may have, the one set longest ago goes. */
export class BoundedMap<Key, Value> {
  readonly #most: number
  readonly #entries = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  /** The value of a key, if it is still there. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  /** Sets a value, which is the newest then. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const oldest = this.#entries.keys().next()
    if (this.#entries.size > this.#most && !oldest.done) this.#entries.delete(oldest.value)
  }

  /** Forgets the entries whose keys are as asked for. */
  forget(isMeant: (key: Key) => boolean): void {
    for (const key of this.#entries.keys()) if (isMeant(key)) this.#entries.delete(key)
  }
}
