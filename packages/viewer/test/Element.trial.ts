/** The element with what it does only after some seconds. */
import "./Element.test.ts"
