/** The filter bar with every kind of suggestion. */
import "./FilterBar.test.ts"
