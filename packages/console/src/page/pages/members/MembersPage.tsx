/** The members of the workspace: the list, an invitation, and one of them. */
import "./members.css"
import { useRoute } from "preact-iso"
import { InviteMember } from "./InviteMember.tsx"
import { MemberList } from "./MemberList.tsx"
import { OneMember } from "./OneMember.tsx"

/** The page, by what the address names. */
const MembersPage = () => {
  const { id } = useRoute().params
  if (id === undefined) return <MemberList />
  return id === "new" ? <InviteMember /> : <OneMember key={id} id={id} />
}

export default MembersPage
