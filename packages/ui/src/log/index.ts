/** A log on a page: its events, filters, chart and drawer, and the browser's own check of what it shows. */

export { JsonView } from "./drawer/JsonView.tsx"
export { HistogramChart } from "./histogram/HistogramChart.tsx"
export { LogReader, type LogReaderOptions } from "./LogReader.ts"
export {
  BUCKETS,
  CountAnswer,
  EventPage,
  type FacetField,
  type Facets,
  FacetsAnswer,
  type FileFormat,
  type Histogram,
  HistogramAnswer,
  type LogSource,
  PAGE_SIZE,
  ProofPage,
  type Refusal,
  RequestRefused,
  refusalIn,
  type ViewerSettings,
  ViewerSettingsAnswer
} from "./LogSource.ts"
export { LogView, useNow } from "./LogView.tsx"
export { readLive } from "./live/LiveStream.ts"
export { EventVerifier, type Mark } from "./verification/EventVerifier.ts"
