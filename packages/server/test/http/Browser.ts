/** A browser as far as signing in needs one: it keeps cookies, follows redirections, and sends forms. */
import { Effect } from "effect"
import { type Received, send } from "./TestServer.ts"

/** What a browser sends beside its cookies, on a page of the service. */
const OWN_PAGE = { "sec-fetch-site": "same-origin", "user-agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0" }

/** A browser of its own. */
export class Browser {
  readonly cookies = new Map<string, string>()

  #keep({ headers }: Received) {
    for (const line of headers["set-cookie"] ?? []) {
      const [pair = "", ...attributes] = line.split(";")
      const [name = "", ...value] = pair.split("=")
      const isOver = attributes.some((attribute) => /^ *max-age=0$/i.test(attribute))
      if (isOver) this.cookies.delete(name)
      else this.cookies.set(name, value.join("="))
    }
  }

  /** The headers of a request. */
  headers(more: Record<string, string> = {}): Record<string, string> {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join("; ")
    return { ...OWN_PAGE, ...(cookie === "" ? {} : { cookie }), ...more }
  }

  /** Opens an address, which may be that of another page. */
  open(path: string, more: Record<string, string> = {}) {
    return Effect.tap(send({ path, headers: this.headers(more) }), (answer) =>
      Effect.sync(() => this.#keep(answer))
    )
  }

  /** Sends a form. */
  submit(path: string, fields: Record<string, string>, more: Record<string, string> = {}) {
    const headers = this.headers({ "content-type": "application/x-www-form-urlencoded", ...more })
    const body = new URLSearchParams(fields).toString()
    return Effect.tap(send({ method: "POST", path, headers, body }), (answer) =>
      Effect.sync(() => this.#keep(answer))
    )
  }
}

/** The path of an address of the service. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
