/** Texts in every language and at every width. */
import "./Legibility.test.ts"
