/** The report on paper, with every file and text. */
import "./PrintedReport.test.ts"
