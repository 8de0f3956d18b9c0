/** The viewer in a frame, as the reader of a token would see it. */
import { Card, Moment } from "@cairn/ui/parts"
import { visibleText } from "@cairn/ui/text"
import type { Schemas } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { type Looks, viewerPath } from "./ViewerSnippets.ts"
import { viewerTexts } from "./ViewerTexts.ts"

/** The card; without a token it says how to get one. */
export const Preview = ({
  token,
  looks,
  isStale
}: {
  readonly token: Schemas["ViewerToken"] | undefined
  readonly looks: Looks
  readonly isStale: boolean
}) => {
  const texts = useTexts(viewerTexts)
  if (token === undefined) {
    return (
      <Card title={texts.preview}>
        <div class="viewer-empty">
          <p class="notice-title">{texts.previewEmpty}</p>
          <p class="muted">{texts.previewEmptyHint}</p>
        </div>
      </Card>
    )
  }
  const who = [
    ...(token.tenant_id === null ? [] : [texts.ofTenant(visibleText(token.tenant_id, 80))]),
    ...(token.actor_id === null ? [] : [texts.ofActor(visibleText(token.actor_id, 80))])
  ]
  const path = viewerPath(token.token, looks)
  return (
    <Card
      title={texts.preview}
      hint={
        <>
          {who.length === 0 ? texts.everything : texts.previewOf(who.join(", "))} {texts.ends}:{" "}
          <Moment at={new Date(token.expires_at * 1_000).toISOString()} />
        </>
      }
    >
      {isStale && (
        <p class="viewer-stale" role="status">
          {texts.stale}
        </p>
      )}
      {/* Another frame for another address: one that goes to a new address adds an entry to the history. */}
      <iframe key={path} class="viewer-frame" title={texts.frameTitle} src={path} />
    </Card>
  )
}
