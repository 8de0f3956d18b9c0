/** The pages to sign in with every layout and every hostile text. */
import "./InBrowser.test.ts"
