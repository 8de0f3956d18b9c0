/** The calls about the person who has signed in, which no key can make. */
import { type CallsOf, type EndpointTools, get, list, makeEndpoints, remove } from "../Endpoints.ts"

const PERSON = {
  me: {
    /** Who has signed in, and what the person may do where. */
    get: get("/api/v1/me"),
    /** One's own sessions. */
    sessions: list("/api/v1/me/sessions"),
    /** Ends one of one's own sessions. */
    endSession: remove("/api/v1/me/sessions/{id}")
  }
}

/** The calls, by what they are about. */
export type PersonEndpoints = CallsOf<typeof PERSON>

/** The calls. */
export const makePersonEndpoints = (tools: EndpointTools): PersonEndpoints =>
  makeEndpoints<typeof PERSON>(tools, PERSON)
