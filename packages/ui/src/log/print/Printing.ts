/** Whether the page is being printed: the list then has all of its rows, and tells exact times. */
import type { Signal } from "@preact/signals"
import { options } from "preact"
import { useLayoutEffect } from "preact/hooks"

/** Draws at once what changes meanwhile: a browser takes its picture as soon as its event has been heard. */
const atOnce = (change: () => void): void => {
  const { debounceRendering } = options
  options.debounceRendering = (draw) => draw()
  change()
  Object.assign(options, { debounceRendering })
}

/** Has a signal say whether it is. */
export const useFollowedPrinting = (isPrinting: Signal<boolean>): void => {
  useLayoutEffect(() => {
    const tell = (is: boolean) => () =>
      atOnce(() => {
        isPrinting.value = is
      })
    const [before, after] = [tell(true), tell(false)]
    addEventListener("beforeprint", before)
    addEventListener("afterprint", after)
    return () => {
      removeEventListener("beforeprint", before)
      removeEventListener("afterprint", after)
    }
  }, [isPrinting])
}
