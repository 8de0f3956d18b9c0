/** A map of limited size: when it is full, the entry that was set longest ago is dropped. */
export class BoundedMap<Key, Value> {
  readonly #most: number
  readonly #entries = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  /** The value of a key; `undefined` if it was never set or has been dropped. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  /** Sets a value and makes it the newest entry; the value that is dropped for it, if one is. */
  set(key: Key, value: Value): Value | undefined {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const oldest = this.#entries.entries().next()
    if (this.#entries.size <= this.#most || oldest.done) return undefined
    const [dropped, of] = oldest.value
    this.#entries.delete(dropped)
    return of
  }

  /** Drops the entry of a key. */
  delete(key: Key): void {
    this.#entries.delete(key)
  }

  /** Drops the entries whose keys match. */
  forget(isMeant: (key: Key) => boolean): void {
    for (const key of this.#entries.keys()) if (isMeant(key)) this.#entries.delete(key)
  }
}
