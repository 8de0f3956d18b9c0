/** The list of a million events as it is scrolled, beside what `npm test` knows of it. */
import "./LongList.test.ts"
