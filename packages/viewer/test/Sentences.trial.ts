/** Sentences with every answer that is no setting. */
import "./Sentences.test.ts"
