/** A browser as far as signing in needs one, over real HTTP: it keeps cookies and sends forms. */

/** What a browser sends beside its cookies, on a page of the service. */
const OWN_PAGE = { "sec-fetch-site": "same-origin", "user-agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0" }

/** An answer with its whole body. */
export interface PageAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A request of the API, by a page of the service. */
export interface ApiRequest {
  readonly method?: string
  readonly body?: unknown
  /** The workspace that it is for. */
  readonly workspaceId?: string
}

/** The secret that a link's page has in its form; empty for a page without one. */
export const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ""

/** A browser of its own; behind a proxy that the service trusts it can have an address of its own. */
export class HttpBrowser {
  readonly cookies = new Map<string, string>()
  readonly #address: string | undefined

  constructor(address?: string) {
    this.#address = address
  }

  /** What it has of its session; undefined if nobody has signed in. */
  get session(): string | undefined {
    return this.cookies.get("__Host-cairn") ?? this.cookies.get("cairn")
  }

  /** A browser with the same cookies, as a thief has them. */
  copy(): HttpBrowser {
    const copied = new HttpBrowser(this.#address)
    for (const [name, value] of this.cookies) copied.cookies.set(name, value)
    return copied
  }

  async #send(url: string, init: RequestInit): Promise<PageAnswer> {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: {
        ...OWN_PAGE,
        ...(cookie === "" ? {} : { cookie }),
        ...(this.#address === undefined ? {} : { "x-forwarded-for": this.#address }),
        ...init.headers
      }
    })
    const answer = { status: response.status, headers: response.headers, text: await response.text() }
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";")
      const at = pair.indexOf("=")
      const isOver = attributes.some((attribute) => /^ *max-age=0$/i.test(attribute))
      if (isOver) this.cookies.delete(pair.slice(0, at))
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }

  /** Opens an address. */
  open(url: string): Promise<PageAnswer> {
    return this.#send(url, {})
  }

  /** Sends a form. */
  submit(url: string, fields: Record<string, string> = {}): Promise<PageAnswer> {
    return this.#send(url, { method: "POST", body: new URLSearchParams(fields) })
  }

  /** Calls the API as a page of the service does. */
  api(url: string, { method = "GET", body, workspaceId }: ApiRequest = {}): Promise<PageAnswer> {
    return this.#send(url, {
      method,
      headers: {
        ...(workspaceId === undefined ? {} : { "x-cairn-workspace": workspaceId }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  }
}
