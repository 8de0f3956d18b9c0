/** The viewer for everyone at each size, in both themes and in each state. */
import "./Accessibility.test.ts"
