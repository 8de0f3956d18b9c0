/** Hostile events, and the big list of naughty strings. */
import "./HostileContent.test.ts"
