/** For people who are signed in and in no workspace, or not in the one that the address names. */
import { PlainText } from "@cairn/ui/text"
import { addressOf, type Schemas } from "../data/Session.ts"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"

/** What they can do about it. */
export const Homeless = ({ person }: { readonly person: Schemas["Person"] }) => {
  const texts = useTexts(frameTexts)
  const isNowhere = person.memberships.length === 0
  return (
    <main class="alone" id="content">
      <div class="notice" role="status">
        <h1 class="notice-title">{isNowhere ? texts.noWorkspace : texts.notYours}</h1>
        <p>{isNowhere ? texts.noWorkspaceHint : texts.notYoursHint}</p>
        {isNowhere ? (
          <p>
            <strong>
              <PlainText text={person.email} />
            </strong>
          </p>
        ) : (
          <ul class="plain">
            {person.memberships.map(({ workspace }) => (
              <li key={workspace.id}>
                <a href={addressOf(workspace.id, "")}>
                  <PlainText text={workspace.name} limit={120} />
                </a>
              </li>
            ))}
          </ul>
        )}
        <p>
          <a href="/account">{texts.account}</a>
        </p>
      </div>
    </main>
  )
}
