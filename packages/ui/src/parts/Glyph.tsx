/** Pictures that stand beside words, for pages of forms and tables. */
import { Drawing } from "../theme/Icon.tsx"

/** Paths on a grid of 16 by 16. */
const PATHS = {
  overview: "M2.5 2.5h4.5v6H2.5zM9 2.5h4.5v3.5H9zM9 8.5h4.5v5H9zM2.5 11h4.5v2.5H2.5z",
  events: "M2.5 4h11M2.5 8h11M2.5 12h7",
  alert: "M8 2a4 4 0 0 0-4 4v3l-1.3 2.2h10.6L12 9V6a4 4 0 0 0-4-4M6.6 13.3a1.5 1.5 0 0 0 2.8 0",
  rule: "M2.5 4h6M11.5 4h2M8.5 2.5v3M2.5 8h2M7.5 8h6M4.5 6.5v3M2.5 12h6M11.5 12h2M8.5 10.5v3",
  shield: "M8 1.5 2.8 3.6v4c0 3.2 2.2 5.7 5.2 6.9 3-1.2 5.2-3.7 5.2-6.9v-4zM5.4 8l1.8 1.9 3.4-3.8",
  filecheck: "M4 1.8h5.3L12.5 5v9.2H4zM9.2 1.8V5h3.3M6.2 9.4l1.5 1.6 2.8-3.2",
  download: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  webhook:
    "M5.8 5.2a2.4 2.4 0 1 1 3.6 1.9l1.9 3.3M8 5.2 6 9M4.2 8.6a2.4 2.4 0 1 0 2.2 3.6h4M11 9.2a2.4 2.4 0 1 1-.6 4.4",
  stream: "M2 5c2-2 4-2 6 0s4 2 6 0M2 11c2-2 4-2 6 0s4 2 6 0",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  key: "M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.4 7.6l-5.9 5.9M4.5 11.5l1.5 1.5M6.2 9.8l1.5 1.5",
  people:
    "M6 3a2.3 2.3 0 1 0 0 4.6A2.3 2.3 0 0 0 6 3M1.8 13c.4-2.4 2-3.7 4.2-3.7s3.8 1.3 4.2 3.7M10.6 3.3a2.3 2.3 0 0 1 0 4.1M11.8 9.6c1.4.5 2.2 1.7 2.4 3.4",
  retention: "M4 2h8M4 14h8M5 2c0 3 6 4 6 6s-6 3-6 6M11 2c0 3-6 4-6 6s6 3 6 6",
  meter: "M2 11a6 6 0 1 1 12 0M8 11l2.6-3.6",
  settings:
    "M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4",
  menu: "M2 4h12M2 8h12M2 12h12",
  check: "M3 8.5 6.5 12 13 4.5",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3M8 11.6v.1",
  cross: "M4 4l8 8M12 4l-8 8",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  clock: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 5v3.2l2 1.6",
  ban: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M3.9 3.9l8.2 8.2",
  plus: "M8 3v10M3 8h10",
  external: "M6 3H3v10h10v-3M9 2.5h4.5V7M13.5 2.5 7.5 8.5",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  person: "M8 2.5a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M2.8 14c.5-2.8 2.5-4.3 5.2-4.3s4.7 1.5 5.2 4.3",
  building: "M3.5 14V2.5h9V14M2 14h12M6 5h1M9 5h1M6 8h1M9 8h1M7 14v-3h2v3",
  trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9",
  refresh: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
  play: "M5 3l8 5-8 5z"
} as const

/** What pictures there are. */
export type GlyphName = keyof typeof PATHS

/** A picture; the words beside it say what it means. */
export const Glyph = ({ name }: { readonly name: GlyphName }) => <Drawing path={PATHS[name]} />
