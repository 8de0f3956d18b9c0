/** The page "viewer": the log in one's own product, tried here and copied from here. */
import "./viewer.css"
import { Notice } from "@cairn/ui/notice"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange, useRead } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { Embedding } from "./Embedding.tsx"
import { KeyRotation } from "./KeyRotation.tsx"
import { Preview } from "./Preview.tsx"
import { Sentences } from "./Sentences.tsx"
import { Snippets } from "./Snippets.tsx"
import { type Choice, isAccent, LIFETIMES, TokenForm } from "./TokenForm.tsx"
import type { TokenInput } from "./ViewerSnippets.ts"
import { viewerTexts } from "./ViewerTexts.ts"

/** What is chosen, kept in the address; the token is not. */
const useChoice = () => {
  const { path, query, route } = useLocation()
  const [choice, setChoice] = useState<Choice>({
    tenant: query.tenant ?? "",
    actor: query.actor ?? "",
    ttl: LIFETIMES.find((ttl) => ttl === query.ttl) ?? "3600",
    exports: query.exports === "1" ? "1" : "",
    theme: query.theme === "light" || query.theme === "dark" ? query.theme : "",
    locale: query.locale ?? "",
    accent: query.accent ?? ""
  })
  return {
    choice,
    choose: (change: Partial<Choice>) => {
      const next = { ...choice, ...change }
      setChoice(next)
      const kept = Object.entries(next).filter(
        ([name, value]) => value !== "" && !(name === "ttl" && value === "3600")
      )
      const text = new URLSearchParams(kept).toString()
      route(text === "" ? path : `${path}?${text}`, true)
    }
  }
}

/** A restriction is left out or given: an empty one is refused. */
const inputOf = ({ tenant, actor, ttl, exports }: Choice): TokenInput => ({
  ...(tenant === "" ? {} : { tenant_id: tenant }),
  ...(actor === "" ? {} : { actor_id: actor }),
  ttl: Number(ttl),
  ...(exports === "" ? {} : { export: true })
})

interface Made {
  readonly token: Schemas["ViewerToken"]
  /** What it was made with. */
  readonly input: string
}

const Settings = ({ ended }: { readonly ended: () => void }) => {
  const mayRotate = useMay("viewer_key:rotate")
  const workspace = useRead(["workspace"], async ({ workspace }, signal) => {
    const { data } = await workspace.get({ signal })
    return data
  })
  return (
    <>
      <Loaded read={workspace}>
        {({ viewer_frame_ancestors, viewer }) => (
          <>
            <Embedding ancestors={viewer_frame_ancestors} />
            <Sentences settings={viewer} />
          </>
        )}
      </Loaded>
      {mayRotate && <KeyRotation ended={ended} />}
    </>
  )
}

/** Tokens, their preview, and what embeds them. */
const Tokens = ({
  made,
  setMade
}: {
  readonly made: Made | undefined
  readonly setMade: (made: Made) => void
}) => {
  const { choice, choose } = useChoice()
  const input = inputOf(choice)
  const looks = { ...choice, accent: isAccent(choice.accent) ? choice.accent : "" }
  const change = useChange(
    [],
    ({ viewerTokens }, given: TokenInput) => viewerTokens.create(given),
    (token, given) => setMade({ token, input: JSON.stringify(given) })
  )
  return (
    <>
      <div class="viewer-columns">
        <TokenForm choice={choice} choose={choose} input={input} change={change} />
        <Preview
          token={made?.token}
          looks={looks}
          isStale={made !== undefined && made.input !== JSON.stringify(input)}
        />
      </div>
      <Snippets looks={looks} input={input} />
    </>
  )
}

/** The page. */
const ViewerPage = () => {
  const texts = useTexts(viewerTexts)
  const frame = useTexts(frameTexts)
  const [made, setMade] = useState<Made>()
  return (
    <>
      <PageHead page="viewer" hint={texts.hint} />
      {useMay("viewer_tokens:create") ? (
        <Tokens made={made} setMade={setMade} />
      ) : (
        <Notice title={frame.refused} hint={frame.refusedHint} />
      )}
      {useMay("workspace:read") && <Settings ended={() => setMade(undefined)} />}
    </>
  )
}

export default ViewerPage
