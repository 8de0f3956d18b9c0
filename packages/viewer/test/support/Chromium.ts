/** The browser on the PATH, and names that resolve to this machine. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { type Browser, chromium } from "playwright-core"

/** The service's and the product's names: none is `localhost`, which browsers trust without TLS, and they are two origins. */
export const SERVICE_HOST = "cairn.test"
export const PRODUCT_HOST = "product.example"

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const executablePath = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find(isExecutable)

/** Whether there is none; the titles of the tests say so by {@link because}. */
export const noChromium = executablePath === undefined
export const because = noChromium ? " (skipped: no chromium on the PATH)" : ""

/** Starts it. No name but the two resolves, so that nothing can be had from elsewhere. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      "--no-sandbox",
      `--host-resolver-rules=MAP ${SERVICE_HOST} 127.0.0.1,MAP ${PRODUCT_HOST} 127.0.0.1,MAP * ~NOTFOUND`
    ]
  })
