/** The report of every verdict, and every name that it refuses. */
import "./ReportFile.test.ts"
