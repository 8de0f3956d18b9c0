/** What a reader can do, with every change of an event and every language. */
import "./Features.test.ts"
