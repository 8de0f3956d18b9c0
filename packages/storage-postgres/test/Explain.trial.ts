/** What PostgreSQL reads to answer, of a log at which it also counts in parallel. */
import { explainedQuestions } from "./ExplainedQuestions.ts"

explainedQuestions(1_000_000)
