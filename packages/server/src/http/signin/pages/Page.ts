/** The frame of every page: plain HTML that works without scripts, under a policy that allows none. */
import { type Html, html, markupOf } from "./Html.ts"
import type { Language } from "./locale/Language.ts"
import { textsOf } from "./locale/Texts.ts"
import { shown } from "./ShownText.ts"
import { MARK } from "./style/Pictures.ts"
import { STYLE_SHEET } from "./style/StyleSheet.ts"

/** What the pages need, and no more; for the header `Content-Security-Policy`. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** What a page is shown to: a browser that reads this language, and has reached the service at this host. */
export interface Visit {
  readonly language: Language
  /** The host, and the port if it is not the usual one, as the browser names them. */
  readonly host: string
}

/** What is within the frame. */
export interface PageContent {
  readonly title: string
  /** Whether the page says that something went wrong. */
  readonly isFault?: boolean
  /** As wide as a form needs, unless given: `medium` for lines of code, `wide` for lists. */
  readonly width?: "narrow" | "medium" | "wide"
  /** Stands beside the name of the product. */
  readonly aside?: Html
  readonly main: Html
}

/** A page as text. */
export const pageOf = (
  { language, host }: Visit,
  { title, isFault = false, width = "narrow", aside, main }: PageContent
): string => {
  const texts = textsOf(language)
  return markupOf(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<meta name="robots" content="noindex, nofollow">
<title>${isFault ? texts.errorTitle(title) : title} · Cairn</title>
<link rel="icon" href="${MARK}">
<link rel="stylesheet" href="${STYLE_SHEET.path}">
</head>
<body class="${width}">
<header>
<p class="brand"><span class="picture picture-mark" aria-hidden="true"></span><strong>Cairn</strong>
<span class="tagline">${texts.tagline}</span></p>
${aside}
</header>
<main>
${main}
</main>
<footer><p>${texts.footer(shown(host))}</p></footer>
</body>
</html>
`)
}
