/** Runs one piece of work after the other, in the order in which they came. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve()

  run<A>(work: () => Promise<A>): Promise<A> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}
