/** What embeds the viewer, to be copied into a product: its element, and the code that makes a token. */
import type { components } from "@cairn/client/session"
import { shellWord } from "@cairn/core/encoding"

/** How the viewer looks. */
export interface Looks {
  /** Empty: as the reader's system is set. */
  readonly theme: "" | "light" | "dark"
  /** Empty: the browser's. */
  readonly locale: string
  /** As `#rrggbb`; empty for the viewer's own. */
  readonly accent: string
}

/** Whom a token is for, and how long. */
export type TokenInput = components["schemas"]["ViewerTokenInput"]

/** The languages that server code is shown in. */
export const CODE_LANGUAGES = ["curl", "typescript", "python"] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

/** What is chosen of the looks, by the names that the address and the element have for it. */
const looksOf = ({ theme, locale, accent }: Looks): ReadonlyArray<readonly [name: string, value: string]> =>
  (
    [
      ["theme", theme],
      ["locale", locale],
      ["accent", accent.replace(/^#/, "")]
    ] as const
  ).filter(([, value]) => value !== "")

/** The viewer's address on the service itself. */
export const viewerPath = (token: string, looks: Looks): string =>
  `/viewer?${new URLSearchParams([["token", token], ...looksOf(looks).map(([name, value]) => [name, value])])}`

/** Where the product answers with tokens, in the examples. */
const TOKEN_PATH = "/audit-log-token"

/** The element, which gets its tokens from the product's server. */
export const elementSnippet = (origin: string, looks: Looks): string =>
  [
    `<script type="module" src="${origin}/viewer/element.js"></script>`,
    "<cairn-viewer",
    ...[["token-url", TOKEN_PATH] as const, ...looksOf(looks)].map(
      ([name, value]) => `  ${name}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`
    ),
    "></cairn-viewer>"
  ].join("\n")

/** A value as TypeScript and Python both write it. */
const literal = (value: unknown): string => JSON.stringify(value)

const members = (input: TokenInput): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(input).filter(([, value]) => value !== undefined)

/** Code of the product's server that makes a token. The key is read from the environment. */
export const serverSnippet = (language: CodeLanguage, origin: string, input: TokenInput): string => {
  switch (language) {
    case "curl":
      return [
        `curl -X POST ${origin}/api/v1/viewer-token \\`,
        '  -H "Authorization: Bearer $CAIRN_API_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d ${shellWord(literal(Object.fromEntries(members(input))))}`
      ].join("\n")
    case "typescript":
      return [
        'import { Cairn } from "@cairn/client"',
        "",
        `const cairn = new Cairn({ url: ${literal(origin)}, apiKey: process.env.CAIRN_API_KEY })`,
        `const { token } = await cairn.viewerTokens.create({ ${members(input)
          .map(([name, value]) => `${name}: ${literal(value)}`)
          .join(", ")} })`
      ].join("\n")
    case "python":
      return [
        "import os",
        "",
        "from cairn_client import Cairn",
        "",
        `with Cairn(${literal(origin)}, os.environ["CAIRN_API_KEY"]) as cairn:`,
        `    token = cairn.viewer_tokens.create(${literal(Object.fromEntries(members(input)))})["token"]`
      ].join("\n")
  }
}
