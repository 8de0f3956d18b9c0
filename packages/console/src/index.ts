/**
 * The dashboard of a workspace: its built files, and the headers they are served with. The page's own sources
 * are in `page`.
 */
export { builtConsole, readConsoleFiles } from "./ConsoleFiles.ts"
export { checkPageHeaders, consoleHeaders } from "./ConsoleHeaders.ts"
