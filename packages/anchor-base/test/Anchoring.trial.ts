/** Anchoring, also at nodes that hang. */
import "./Anchoring.test.ts"
