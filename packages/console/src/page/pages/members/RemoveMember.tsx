/** Asks before a member is removed. */
import { Confirm } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useLocation } from "preact-iso"
import { useChange } from "../../data/Read.ts"
import { type Schemas, useAddress, useSession } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { KeysToRevoke, useKeysAsked } from "./KeysToRevoke.tsx"
import { membersTexts } from "./MembersTexts.ts"

/** The question. */
export const RemoveMember = ({
  of: member,
  close
}: {
  readonly of: Schemas["Member"]
  readonly close: () => void
}) => {
  const texts = useTexts(membersTexts)
  const address = useAddress()
  const { route } = useLocation()
  const { membership, cache } = useSession()
  const isSelf = member.id === membership.member_id
  const keys = useKeysAsked(member.id, undefined, true)
  const removing = useChange(
    ["sessions", "keys"],
    async (calls) => {
      // First, so that a failure in between leaves no key that nobody is asked about any more.
      await keys.revoke(calls)
      await calls.members.delete(member.id)
    },
    () => {
      // The list is read again when it is shown; who was removed is not.
      cache
        .invalidateQueries({ queryKey: [membership.workspace.id, "members"], refetchType: "none" })
        .catch(() => undefined)
      if (isSelf) location.assign("/")
      else route(address("members"), true)
    }
  )
  return (
    <Confirm
      title={texts.removeTitle}
      action={texts.remove}
      name={member.email}
      dangerous
      busy={removing.isRunning || keys.isReading}
      error={<ChangeFault fault={removing.fault} />}
      confirm={() => removing.run(undefined)}
      close={close}
    >
      <p>
        <strong>
          <PlainText text={member.email} />
        </strong>
      </p>
      <p>{isSelf ? texts.removeSelf : texts.removeWhat}</p>
      <p>
        {texts.removeKeys} <a href={address("keys")}>{texts.keysLink}</a>
      </p>
      <KeysToRevoke of={keys} />
      {member.managed_by === "oidc" && <p>{texts.removeProvider}</p>}
    </Confirm>
  )
}
