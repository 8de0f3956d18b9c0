/** Who uses the console, in which workspace, and how the service is asked. */
import type { SessionCalls } from "@cairn/client/session"
import type { QueryClient } from "@tanstack/query-core"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Permission, Schemas } from "./Schemas.ts"

export type { Permission, Schemas } from "./Schemas.ts"

/** A workspace that the person is a member of. */
export type Membership = Schemas["Membership"]

/** What every page works with. */
export interface Session {
  readonly person: Schemas["Person"]
  /** The person in the workspace that is shown. */
  readonly membership: Membership
  /** Calls about that workspace. */
  readonly calls: SessionCalls
  readonly cache: QueryClient
  /** Reads again who has signed in and what the person may do where, such as after a change of that. */
  readonly renew: () => void
}

/** The session, for every page. */
export const SessionContext = createContext<Session | undefined>(undefined)

/** The session. */
export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error("a page stands outside the session's provider")
  return session
}

/** Whether the person may do something here. It decides what is shown; the service decides what is done. */
export const useMay = (permission: Permission): boolean =>
  useSession().membership.permissions.includes(permission)

/** The address of a page of the workspace, such as `/w/wsp_…/events`. */
export const addressOf = (workspaceId: string, page: string): string =>
  page === "" ? `/w/${workspaceId}` : `/w/${workspaceId}/${page}`

/** Gives the address of a page of the workspace that is shown. */
export const useAddress = (): ((page: string) => string) => {
  const { membership } = useSession()
  return (page) => addressOf(membership.workspace.id, page)
}
