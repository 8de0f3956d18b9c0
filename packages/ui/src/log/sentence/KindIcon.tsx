/** The picture of a kind of event, in its colour; the words beside it say what it means. */
import { Drawing } from "../../theme/Icon.tsx"
import type { Kind } from "./Kinds.ts"

/** Paths on the grid of the other pictures. */
const PATHS: Readonly<Record<Kind, string>> = {
  access: "M6.5 9.5 2.5 13.5M4 12l1.5 1.5M9.8 2.2a4 4 0 1 0 0 8 4 4 0 0 0 0-8",
  add: "M8 3v10M3 8h10",
  change: "M3 13l.7-2.9L11 2.8l2.2 2.2-7.3 7.3zM9.5 4.3l2.2 2.2",
  document: "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3M6 8.2h4M6 11h4",
  failure: "M8 2 14.2 13.2H1.8zM8 6.4v3.2M8 11.4v.2",
  machine: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.2M5 11h.2",
  money: "M2 4h12v8H2zM2 7h12M4.5 9.8h2",
  other: "M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6",
  people: "M8 2.2a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M2.8 13.6c.4-2.7 2.4-4.2 5.2-4.2s4.8 1.5 5.2 4.2",
  permission: "M3.5 7h9v6.5h-9zM5.3 7V5a2.7 2.7 0 0 1 5.4 0v2M8 9.4v1.8",
  read: "M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8M8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4",
  remove: "M3 4.2h10M6 4V2.4h4V4M4.3 4.4l.6 9h6.2l.6-9M6.8 7v4M9.2 7v4",
  settings: "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3",
  transfer: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11"
}

/** A picture. */
export const KindIcon = ({ kind }: { readonly kind: Kind }) => (
  <span class="kind" data-kind={kind}>
    <Drawing path={PATHS[kind]} />
  </span>
)
