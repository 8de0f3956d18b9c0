/**
 * The page that shows a tenant its audit log, to be embedded in a frame: its built files, and the headers
 * they are served with. The page's own sources are in `page`.
 */
export { builtPage, readPageFiles, readViewerFiles, type ViewerFile } from "./ViewerFiles.ts"
export { contentSecurityPolicy, viewerHeaders } from "./ViewerHeaders.ts"
