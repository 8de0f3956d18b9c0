/** How many events have been recorded since the list was read: the service tells while the page is shown. */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals"
import type { Selection } from "../../place/Place.ts"
import { type LogSource, type Refusal, RequestRefused } from "../LogSource.ts"

/** Milliseconds before a stream that ended is opened again, at first and at most. */
const FIRST_WAIT = 5_000
const LONGEST_WAIT = 300_000

/** The same where others have all places: meanwhile the list's count is what tells. */
const LONGEST_WITHOUT_PLACE = 60_000

/** Milliseconds without a sign of the service that end a stream: it gives one every 15 seconds. */
const SILENCE = 45_000

/** The page, as far as it can be hidden. */
export interface Hideable {
  readonly visibilityState: "visible" | "hidden"
  readonly addEventListener: (type: "visibilitychange", listener: () => void) => void
  readonly removeEventListener: (type: "visibilitychange", listener: () => void) => void
}

/** What the count is made of. */
export interface LiveCountOptions {
  readonly live: NonNullable<LogSource["live"]>
  /** How many events have been recorded meanwhile, for what a stream did not tell; undefined if unknown. */
  readonly missed: (signal: AbortSignal) => Promise<number | undefined>
  readonly page: Hideable
  /** From 0 to 1, so that pages do not all come back at the same moment. */
  readonly random: () => number
}

/** Resolves after a time, or once the signal is aborted. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Refusals that no waiting changes. */
const FINAL: ReadonlySet<Refusal["kind"]> = new Set(["expired", "refused", "elsewhere", "gone", "invalid"])

/** The count. It follows one selection at a time, and nothing while the page is hidden. */
export class LiveCount {
  readonly #count: Signal<number> = signal(0)
  readonly count: ReadonlySignal<number> = this.#count
  readonly #options: LiveCountOptions
  #abort = new AbortController()

  constructor(options: LiveCountOptions) {
    this.#options = options
  }

  /** Begins at none, for a list that was just read. */
  begin(selection: Selection): void {
    this.close()
    const abort = new AbortController()
    this.#abort = abort
    this.#follow(selection, abort.signal).catch(() => undefined)
  }

  /** Ends it; nothing comes any more. */
  close(): void {
    this.#abort.abort()
    this.#count.value = 0
  }

  async #follow(selection: Selection, ended: AbortSignal): Promise<void> {
    let failures = 0
    for (let streams = 0; !ended.aborted; streams++) {
      await this.#shown(ended)
      if (streams > 0 && !ended.aborted) await this.#catchUp(ended)
      if (ended.aborted) return
      const before = this.#count.value
      const refusal = await this.#stream(selection, ended, (count) => {
        failures = 0
        this.#count.value = before + count
      })
      if (refusal !== undefined && FINAL.has(refusal.kind)) return
      // A page that was hidden goes on once it is shown.
      if (ended.aborted || this.#isHidden) continue
      const least = refusal !== undefined && "seconds" in refusal ? refusal.seconds * 1_000 : 0
      const longest = refusal?.kind === "busy" ? LONGEST_WITHOUT_PLACE : LONGEST_WAIT
      const most = Math.min(longest, FIRST_WAIT * 2 ** failures++)
      await pause(least + most * (0.5 + this.#options.random() / 2), ended)
    }
  }

  get #isHidden(): boolean {
    return this.#options.page.visibilityState === "hidden"
  }

  /** Resolves once the page is shown, or nothing is wanted any more. */
  async #shown(ended: AbortSignal): Promise<void> {
    const { page } = this.#options
    if (!this.#isHidden) return
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.#isHidden && !ended.aborted) return
        page.removeEventListener("visibilitychange", look)
        resolve()
      }
      page.addEventListener("visibilitychange", look)
      ended.addEventListener("abort", look)
    })
  }

  /** Adds what was recorded while there was no stream. */
  async #catchUp(ended: AbortSignal): Promise<void> {
    const missed = await this.#options.missed(ended).catch(() => undefined)
    if (!ended.aborted && missed !== undefined) this.#count.value = Math.max(this.#count.value, missed)
  }

  /** Reads one stream to its end: the service's, or that of the page's being shown. */
  async #stream(
    selection: Selection,
    ended: AbortSignal,
    told: (count: number) => void
  ): Promise<Refusal | undefined> {
    const { page, live } = this.#options
    const abort = new AbortController()
    const stop = () => abort.abort()
    const look = () => this.#isHidden && stop()
    let silence = setTimeout(stop, SILENCE)
    ended.addEventListener("abort", stop)
    page.addEventListener("visibilitychange", look)
    try {
      await live(selection, abort.signal, (count) => {
        clearTimeout(silence)
        silence = setTimeout(stop, SILENCE)
        if (!abort.signal.aborted) told(count)
      })
      return undefined
    } catch (error) {
      return error instanceof RequestRefused ? error.refusal : undefined
    } finally {
      clearTimeout(silence)
      ended.removeEventListener("abort", stop)
      page.removeEventListener("visibilitychange", look)
    }
  }
}
