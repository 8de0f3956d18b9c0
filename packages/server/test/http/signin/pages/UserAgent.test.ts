import { assert, describe, it } from "@effect/vitest"
import { deviceOf } from "../../../../src/http/signin/pages/UserAgent.ts"

const WINDOWS =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
const IOS = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"

describe("the name of a browser", () => {
  it.each([
    ["Chrome", "Windows", WINDOWS],
    ["Edge", "Windows", `${WINDOWS} Edg/141.0.0.0`],
    ["Opera", "Windows", `${WINDOWS} OPR/123.0.0.0`],
    ["Safari", "macOS", `${MAC} Version/18.5 Safari/605.1.15`],
    [
      "Firefox",
      "macOS",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0"
    ],
    ["Firefox", "Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
    ["Safari", "iPhone", `${IOS} Version/18.5 Mobile/15E148 Safari/604.1`],
    ["Chrome", "iPhone", `${IOS} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`],
    ["Firefox", "iPhone", `${IOS} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`],
    ["Chrome", "Android", `${ANDROID} Chrome/141.0.0.0 Mobile Safari/537.36`],
    ["Samsung Internet", "Android", `${ANDROID} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`],
    ["Edge", "Android", `${ANDROID} Chrome/141.0.0.0 Mobile Safari/537.36 EdgA/141.0.0.0`],
    [
      "Chrome",
      "ChromeOS",
      "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36"
    ],
    ["curl", undefined, "curl/8.14.1"],
    [undefined, undefined, "something else"],
    [undefined, undefined, ""]
  ])("is %s on %s", (browser, system, userAgent) => {
    assert.deepStrictEqual(deviceOf(userAgent), { browser, system })
  })
})
