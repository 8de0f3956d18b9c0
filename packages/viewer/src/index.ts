/**
 * The page that shows a tenant its audit log, to be embedded in a frame: its built files, and the headers
 * they are served with. The page's own sources are in `page`.
 */
export {
  builtPage,
  ELEMENT_PATH,
  REFUSAL_PATH,
  readPageFiles,
  readViewerFiles,
  type ViewerFile
} from "./ViewerFiles.ts"
export { contentSecurityPolicy, elementHeaders, refusalHeaders, viewerHeaders } from "./ViewerHeaders.ts"
