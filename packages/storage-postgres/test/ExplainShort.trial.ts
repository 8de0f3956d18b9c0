/** What PostgreSQL reads to answer, of a log that is filled in seconds; `Explain.trial.ts` has a larger. */
import { explainedQuestions } from "./ExplainedQuestions.ts"

explainedQuestions(200_000)
