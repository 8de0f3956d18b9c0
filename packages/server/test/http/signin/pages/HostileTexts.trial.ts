/** Every hostile text, in every page. */
import "./HostileTexts.test.ts"
