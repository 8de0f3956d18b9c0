/** A product with `<cairn-viewer>` on its pages, and the address at which it gives tokens. */
import { PRODUCT_HOST, type Served, servePages } from "@cairn/testing/Chromium"

/** The product. */
export interface ElementHost {
  readonly origin: string
  /** The address of a page with this body. */
  readonly page: (body: string, head?: string) => string
  /** How often a token was asked for. */
  readonly asked: () => number
  /** What is answered at `/token` from now on. */
  answer: () => unknown
  readonly stop: () => void
}

/** Starts it; its pages load the element of a service. */
export const startElementHost = async (service: string): Promise<ElementHost> => {
  let asked = 0
  const find = ({ pathname, searchParams }: URL): Served | undefined => {
    if (pathname === "/token") {
      asked++
      return { contentType: "application/json", body: JSON.stringify(host.answer()) }
    }
    const body = searchParams.get("body")
    return body === null
      ? undefined
      : {
          contentType: "text/html",
          body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Product</title>
<link rel="icon" href="data:,">${searchParams.get("head") ?? ""}
<script type="module" src="${service}/viewer/element.js"></script><main>${body}</main>`
        }
  }
  const { port, stop } = await servePages(find)
  const origin = `http://${PRODUCT_HOST}:${port}`
  const host: ElementHost = {
    origin,
    stop,
    asked: () => asked,
    answer: () => ({}),
    page: (body, head = "") => `${origin}/?${new URLSearchParams({ body, head })}`
  }
  return host
}
