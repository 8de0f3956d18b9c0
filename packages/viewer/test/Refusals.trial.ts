/** What the page says of every refusal, in every language. */
import "./Refusals.test.ts"
