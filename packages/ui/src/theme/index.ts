/** Colours, light and dark, and the pictures that stand beside words. Their styles are in `base.css`. */
export { contrast, readColour } from "./Colour.ts"
export { Drawing, Icon } from "./Icon.tsx"
export { applyTheme } from "./Theme.ts"
