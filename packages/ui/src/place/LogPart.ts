/** Parts of a log's page that the product around it may do without. */
export type LogPart = "filters" | "histogram" | "toolbar" | "export" | "times"
