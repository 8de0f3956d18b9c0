/** All that checks and reports: apart from the page, which is there at once and loads it then. */
export { readHead } from "./FileHead.ts"
export { readKnown } from "./Known.ts"
export { drawReport } from "./ReportDrawing.ts"
export { runCheck } from "./RunCheck.ts"
export { saveReport } from "./SavedReport.ts"
