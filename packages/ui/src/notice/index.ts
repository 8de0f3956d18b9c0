/** Messages in place of what could not be shown. */
export { Notice, RefusalNotice } from "./Notice.tsx"
