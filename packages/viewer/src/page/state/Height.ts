/** How high the page would like to be, told to the page around. */
import { effect, type ReadonlySignal } from "@preact/signals"
import type { ProductPage } from "../service/ProductPage.ts"

/** Pixels below which a frame is too small for what opens above the list. */
const LEAST = 400

/** Pixels that an open event needs. */
const LEAST_WITH_EVENT = 640

/**
 * Pixels beyond which the list scrolls in its frame: only what is in sight is in the document, and in a frame
 * as high as the log all of it would be.
 */
const MOST = 4_000

/** The height for contents that are this high. */
const heightFor = (content: number, hasEvent: boolean): number =>
  Math.min(Math.max(Math.ceil(content), hasEvent ? LEAST_WITH_EVENT : LEAST), MOST)

/** Tells the height now, and whenever it changes. */
export const tellHeight = (product: ProductPage, hasEvent: ReadonlySignal<boolean>): void => {
  let told = 0
  const tell = () => {
    const height = heightFor(document.body.getBoundingClientRect().height, hasEvent.value)
    if (height !== told) product.tell("height", { height })
    told = height
  }
  new ResizeObserver(tell).observe(document.body)
  effect(tell)
}
