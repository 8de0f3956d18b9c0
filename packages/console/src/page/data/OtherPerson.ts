/**
 * A browser has one session for all its tabs. When somebody else signs in in one of them, the service rejects
 * the requests of the others, which name the person that they show; they reload, as the person who has signed
 * in now.
 */

const isOther = async (answer: Response): Promise<boolean> => {
  if (answer.status !== 403) return false
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => null)
  return typeof body === "object" && body !== null && "error" in body && body.error === "other_person"
}

/** Asks the service, and reloads the page where it shows another person than has signed in. */
export const fetchOrBegin =
  (fetch: typeof globalThis.fetch, begin: () => void): typeof globalThis.fetch =>
  async (address, init) => {
    const answer = await fetch(address, init)
    if (!(await isOther(answer))) return answer
    begin()
    // Nothing of the answer is shown: the page goes.
    return new Promise(() => {})
  }
