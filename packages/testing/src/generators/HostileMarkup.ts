/** Texts that were written to break out of the page that shows them. */

/** Markup, addresses and templates. One that a page runs sets `globalThis.pwned`, or shows by a tag of it. */
export const HOSTILE_MARKUP: ReadonlyArray<string> = [
  "<script>globalThis.pwned = 1</script>",
  "<img src=x onerror='globalThis.pwned = 1'>",
  '"><svg onload=globalThis.pwned=1>',
  "javascript:globalThis.pwned=1",
  "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
  "</script></style></title><h1 id=out>out</h1>",
  "{{constructor.constructor('globalThis.pwned=1')()}}",
  "<style>*{display:none}</style>",
  "<a href='javascript:globalThis.pwned=1'>x</a>",
  "&lt;b&gt;&#60;b&#62;",
  "$" + "{globalThis.pwned=1}"
]
