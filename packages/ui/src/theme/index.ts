/** Colours, light and dark, and the pictures that stand beside words. Their style sheet is `base.css` beside this room. */
export { contrast, readColour } from "./Colour.ts"
export { Icon } from "./Icon.tsx"
export { applyTheme } from "./Theme.ts"
