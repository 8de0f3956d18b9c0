/**
 * `<cairn-viewer>`: the viewer's page in a frame, with its tokens. The service serves it as one small script
 * of its own, which imports nothing.
 *
 * The frame's address holds no token: the page asks for it by a message, and only the page of the service, in
 * the element's own frame, is given one.
 */

/** Attributes that the page knows as parameters. */
const LOOKS = ["theme", "font", "accent", "background", "hide", "locale", "verifier-key"]

/** Where this script is: below the page. */
const SCRIPT = import.meta.url

/** What the type of every message begins with. */
const PREFIX = "cairn.viewer."

/** Milliseconds that the page may take to say that it is there, and `token-url` to answer. */
const PATIENCE = 30_000

/** Longest pause between two attempts to get a token, in seconds. */
const LONGEST_PAUSE = 60

/** The workspace that a token is for, unchecked: the service must know whose page it is asked for. */
const workspaceOf = (token: string): string => {
  const [, payload = ""] = token.split(".")
  return JSON.parse(atob(payload.replace(/[-_]/g, (sign) => (sign > "-" ? "/" : "+")))).sub
}

class CairnViewer extends HTMLElement {
  static readonly observedAttributes: ReadonlyArray<string> = [
    ...LOOKS,
    "filter",
    "height",
    "label",
    "src",
    "token-url"
  ]

  /** Where tokens come from, if not `token-url`. A field would hide one that was set before the upgrade. */
  declare tokenSource: (() => string | Promise<string>) | undefined
  readonly #frame = document.createElement("iframe")
  readonly #root = this.attachShadow({ mode: "open" })
  /** Ends when the element leaves its document. */
  #life: AbortController | undefined
  /** A token that the page has not been given yet. */
  #token: string | undefined
  /** The place that the page reported last, or was given. */
  #place: string | null = null
  /** Whether the page listens to messages. */
  #isReady = false
  /** Of asking for a token, now or in a while. */
  #timer = 0
  /** Attempts in vain. */
  #tries = 0
  /** The height that the page has told; until then one that holds a message. */
  #tall = 400

  connectedCallback(): void {
    const life = new AbortController()
    this.#life = life
    addEventListener("message", (event) => this.#hear(event), life)
    setTimeout(() => {
      if (!life.signal.aborted && !this.#isReady)
        this.#fail("no answer; see token-url, frame-src, viewer_frame_ancestors")
    }, PATIENCE)
    this.#ask()
  }

  disconnectedCallback(): void {
    this.#life?.abort()
    clearTimeout(this.#timer)
    this.#frame.remove()
    this.#token = undefined
    this.#isReady = false
    this.#timer = this.#tries = 0
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null): void {
    if (name === "filter") {
      if (value === this.#place) return
      this.#place = value
      this.#tell("place", { query: value })
    } else if (!/src|url/.test(name)) this.#dress()
    else if (this.#life) {
      this.disconnectedCallback()
      this.connectedCallback()
    }
  }

  /** The page's address at the service. */
  get #page(): URL {
    return new URL(`${(this.getAttribute("src") ?? "..").replace(/\/?$/, "/")}viewer`, SCRIPT)
  }

  /** What the attributes say of the looks; the language is the document's, unless told. */
  get #looks(): string {
    const { lang } = this.closest<HTMLElement>("[lang]") ?? this
    const looks = new URLSearchParams({ locale: lang })
    for (const name of LOOKS) {
      const value = this.getAttribute(name)
      if (value) looks.set(name.replace("verifier-", ""), value)
    }
    return `${looks}`
  }

  /** Brings the frame, and the page in it, up to the attributes. */
  #dress(title = this.#frame.title || "Audit log"): void {
    const height = this.getAttribute("height") ?? "40rem"
    this.#frame.title = this.getAttribute("label") ?? title
    // By a script: a policy of the page around may forbid `style` elements and attributes.
    Object.assign(this.#frame.style, {
      display: "block",
      width: "100%",
      height: height === "auto" ? `min(${this.#tall}px,var(--cairn-max-height,100vh))` : height,
      border: 0,
      // A page is transparent only if it has the colour scheme of its frame.
      colorScheme: this.getAttribute("theme") ?? "light dark"
    })
    this.#tell("appearance", { query: this.#looks })
  }

  /** Asks for a token; the more often in vain, the later. */
  #ask(): void {
    const pause = Math.min(2 ** this.#tries - 1, LONGEST_PAUSE)
    this.#timer ||= setTimeout(() => this.#fetch(this.#life?.signal), pause * 1000)
  }

  async #fetch(life: AbortSignal | undefined): Promise<void> {
    const url = this.getAttribute("token-url")
    // Nothing of a foreign error is reported: it may hold the token.
    let fault = "tokenSource failed"
    try {
      let token = await this.tokenSource?.()
      if (url && !token) {
        fault = "token-url failed"
        const answer = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })
        fault = `token-url answered ${answer.status} without a token`
        token = String((await answer.json()).token)
      }
      const workspace = workspaceOf(token ?? "")
      if (life?.aborted) return
      this.#timer = this.#tries = 0
      this.#token = token
      if (this.#frame.isConnected) this.#give()
      else this.#open(workspace)
    } catch {
      if (life?.aborted) return
      this.#timer = 0
      this.#tries++
      this.#ask()
      this.#fail(fault)
    }
  }

  /** Shows the page of a workspace. */
  #open(workspace: string): void {
    this.#frame.allow = "clipboard-write"
    this.#frame.src = `${this.#page}?${this.#looks}&${new URLSearchParams({ workspace, origin })}`
    this.#dress()
    this.#root.append(this.#frame)
  }

  #give(): void {
    if (this.#isReady) {
      this.#tell("token", { token: this.#token })
      this.#token = undefined
    }
  }

  /** Sends the page a message, and nothing to another that may have taken its place. */
  #tell(name: string, members: object): void {
    if (this.#isReady)
      this.#frame.contentWindow?.postMessage({ type: PREFIX + name, ...members }, this.#page.origin)
  }

  #hear({ source, origin, data }: MessageEvent): void {
    if (source !== this.#frame.contentWindow || origin !== this.#page.origin) return
    const [, name = ""] = String(data?.type).split(PREFIX)
    if (name === "ready") {
      this.#isReady = true
      this.#dress(data.title)
      if (this.#place) this.#tell("place", { query: this.#place })
    }
    if (/ready|expir/.test(name)) {
      if (this.#token) this.#give()
      else this.#ask()
    }
    if (name === "height") {
      this.#tall = data.height
      this.#dress()
    }
    if (name === "place") {
      this.#place = data.query
      this.#emit("filter", data.query)
    }
    if (name === "refused") {
      this.#life?.abort()
      this.#fail(data.reason)
    }
  }

  /** Tells the page around, and writes to its console, that something is wrong. */
  #fail(reason: string): void {
    // biome-ignore lint/suspicious/noConsole: the developer of the page around looks there
    console.error("cairn-viewer:", reason)
    this.#emit("error", reason)
  }

  #emit(name: string, detail: string): void {
    this.dispatchEvent(new CustomEvent(`cairn-${name}`, { detail }))
  }
}

CairnViewer.prototype.tokenSource = undefined
if (!customElements.get("cairn-viewer")) customElements.define("cairn-viewer", CairnViewer)
