/** The period with each of its names and languages. */
import "./PeriodControl.test.ts"
