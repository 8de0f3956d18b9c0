/** An export with every answer of the service. */
import "./Export.test.ts"
