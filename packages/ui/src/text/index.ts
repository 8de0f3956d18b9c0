/** Text from outside, shown safely, and copied. */
export { copyText } from "./CopyText.ts"
export { Highlighted } from "./Highlight.tsx"
export { PlainText } from "./PlainText.tsx"
export { visibleText } from "./VisibleText.ts"
