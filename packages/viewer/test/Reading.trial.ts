/** How the list is read, also where it takes seconds until numbers have settled. */
import "./Reading.test.ts"
