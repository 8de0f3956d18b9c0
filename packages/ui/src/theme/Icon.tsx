/** Pictures that stand beside words, drawn in the colour of the text. */

/** Paths on a grid of 16 by 16. */
const PATHS = {
  proven: "M8 1.2 2.5 3.4v4.1c0 3.4 2.3 6 5.5 7.3 3.2-1.3 5.5-3.9 5.5-7.3V3.4zM5.2 8l2 2 3.6-4",
  broken:
    "M8 1.2 2.5 3.4v4.1c0 3.4 2.3 6 5.5 7.3 3.2-1.3 5.5-3.9 5.5-7.3V3.4zM5.8 5.6l4.4 4.4M10.2 5.6 5.8 10",
  unchecked: "M8 1.2 2.5 3.4v4.1c0 3.4 2.3 6 5.5 7.3 3.2-1.3 5.5-3.9 5.5-7.3V3.4zM5.8 8h4.4",
  checking: "M8 1.2 2.5 3.4v4.1c0 3.4 2.3 6 5.5 7.3 3.2-1.3 5.5-3.9 5.5-7.3V3.4z",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  up: "M3 10l5-5 5 5",
  down: "M3 6l5 5 5-5",
  left: "M10 3 5 8l5 5",
  right: "M6 3l5 5-5 5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.2 10.2l3.3 3.3",
  calendar: "M2.5 3.5h11v10h-11zM2.5 6.8h11M5.5 2v3M10.5 2v3",
  refresh: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
  clock: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 5v3.2l2 1.6",
  apart: "M4 2.2h8M4 13.8h8M5 2.2c0 3.4 6 8.2 6 11.6M11 2.2c0 3.4-6 8.2-6 11.6",
  download: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  link: "M6.5 5H5a3 3 0 0 0 0 6h1.5M9.5 5H11a3 3 0 0 1 0 6H9.5M5.5 8h5",
  own: "M8 2v2.5M5.5 4.5h5M4.2 8h7.6M2.8 11.5h10.4M2 14h12"
} as const

/** A picture of a path on the grid. */
export const Drawing = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={path} />
  </svg>
)

/** A picture; the words beside it say what it means. */
export const Icon = ({ name }: { readonly name: keyof typeof PATHS }) => <Drawing path={PATHS[name]} />
