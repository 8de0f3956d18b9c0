/** The attributes of `<cairn-viewer>`, for the JSX of React, Preact and others. Types, and nothing else. */

/** A part of the page that can be hidden. */
export type ViewerPart = "filters" | "histogram" | "toolbar" | "export" | "times"

/** The details of `cairn-filter` and `cairn-error`. */
export interface CairnViewerEvent {
  /** The query of the place that is shown, or what is wrong. */
  readonly detail: string
}

/** Attributes, properties and events. */
export interface CairnViewerAttributes {
  /** The service's address; by default where the script is from. */
  readonly src?: string | undefined
  /** Address that answers `{ "token": "…" }`. */
  readonly "token-url"?: string | undefined
  /** Gives a token, in place of `token-url`. */
  readonly tokenSource?: (() => string | Promise<string>) | undefined
  readonly theme?: "light" | "dark" | undefined
  /** A colour as `rgb` or `rrggbb`. */
  readonly accent?: string | undefined
  /** Fonts of the reader's system, as CSS lists them. */
  readonly font?: string | undefined
  readonly background?: "transparent" | undefined
  /** {@link ViewerPart}s, separated by spaces. */
  readonly hide?: string | undefined
  /** A language tag; by default that of the document around. */
  readonly locale?: string | undefined
  /** A verifier key (C2SP signed-note) that the log's checkpoints must be signed by. */
  readonly "verifier-key"?: string | undefined
  /** What is shown: a query, as `cairn-filter` tells it. */
  readonly filter?: string | undefined
  /** `auto`, or a length of CSS. */
  readonly height?: string | undefined
  /** The name of the frame, for those who listen. */
  readonly label?: string | undefined
  readonly "oncairn-filter"?: ((event: CairnViewerEvent) => void) | undefined
  readonly "oncairn-error"?: ((event: CairnViewerEvent) => void) | undefined
}
