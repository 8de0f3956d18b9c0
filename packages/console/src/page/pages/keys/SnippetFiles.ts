/** The snippets of the documentation, as they stand there. */
import go from "../../../../../../docs/snippets/send.go?raw"
import python from "../../../../../../docs/snippets/send.py?raw"
import curl from "../../../../../../docs/snippets/send.sh?raw"
import typescript from "../../../../../../docs/snippets/send.ts?raw"
import type { SnippetFiles } from "./Snippets.ts"

/** The files. */
export const SNIPPET_FILES: SnippetFiles = { curl, TypeScript: typescript, Python: python, Go: go }
