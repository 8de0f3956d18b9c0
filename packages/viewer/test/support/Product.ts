/** The product around the viewer: a page on another origin, with a frame. */
import { createServer, type Server } from "node:http"
import { PRODUCT_HOST } from "./Chromium.ts"

const page = (address: string): string =>
  `<!doctype html><html lang="en"><title>Product</title>
  <style>body{margin:0}iframe{display:block;border:0;width:100vw;height:100vh}</style>
  <iframe title="Audit log" src="${address.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`

/** The product, on a port of its own. */
export class Product {
  readonly #server: Server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://product")
    response.writeHead(200, { "content-type": "text/html" }).end(page(searchParams.get("frame") ?? ""))
  })

  static start(): Promise<Product> {
    const product = new Product()
    return new Promise((resolve) => product.#server.listen(0, "127.0.0.1", () => resolve(product)))
  }

  /** The address of a page with this in its frame. */
  around(frame: string): string {
    const address = this.#server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return `http://${PRODUCT_HOST}:${port}/?${new URLSearchParams({ frame })}`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
