/** The frame around every page: which workspace, which pages, who is signed in. */
import { useLanguage } from "@cairn/ui/locale"
import { Glyph } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useEffect, useRef, useState } from "preact/hooks"
import { ErrorBoundary, Route, Router, useLocation } from "preact-iso"
import { addressOf, useAddress, useSession } from "../data/Session.ts"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"
import { leaveBy } from "./leave/Leaving.ts"
import { Navigation } from "./Navigation.tsx"
import { pageFile } from "./PageFile.tsx"
import { PAGES, type PageName } from "./PageNames.ts"

/** A file for each page, loaded when it is first shown. */
const PAGE_COMPONENTS = {
  "": pageFile(() => import("../pages/overview/OverviewPage.tsx")),
  events: pageFile(() => import("../pages/events/EventsPage.tsx")),
  integrity: pageFile(() => import("../pages/integrity/IntegrityPage.tsx")),
  exports: pageFile(() => import("../pages/exports/ExportsPage.tsx")),
  check: pageFile(() => import("../pages/check/CheckPage.tsx")),
  alerts: pageFile(() => import("../pages/alerts/AlertsPage.tsx")),
  rules: pageFile(() => import("../pages/rules/RulesPage.tsx")),
  webhooks: pageFile(() => import("../pages/webhooks/WebhooksPage.tsx")),
  streams: pageFile(() => import("../pages/streams/StreamsPage.tsx")),
  viewer: pageFile(() => import("../pages/viewer/ViewerPage.tsx")),
  keys: pageFile(() => import("../pages/keys/KeysPage.tsx")),
  members: pageFile(() => import("../pages/members/MembersPage.tsx")),
  retention: pageFile(() => import("../pages/retention/RetentionPage.tsx")),
  usage: pageFile(() => import("../pages/usage/UsagePage.tsx")),
  settings: pageFile(() => import("../pages/settings/SettingsPage.tsx"))
} satisfies Readonly<Record<PageName, unknown>>

const NoPage = () => {
  const texts = useTexts(frameTexts)
  return (
    <div class="notice" role="status">
      <h1 class="notice-title">{texts.noPage}</h1>
      <p>{texts.noPageHint}</p>
    </div>
  )
}

const isPageName = (name: string): name is PageName => PAGES.some((page) => page.name === name)

/** The page that an address names; undefined where there is none. */
const pageIn = (path: string): PageName | undefined => {
  const name = path.split("/")[3] ?? ""
  return isPageName(name) ? name : undefined
}

/** Which workspace is shown, and a way to another. */
const WorkspaceChoice = () => {
  const texts = useTexts(frameTexts)
  const { person, membership } = useSession()
  const { route } = useLocation()
  if (person.memberships.length === 1) {
    return (
      <p class="workspace-name">
        <PlainText text={membership.workspace.name} limit={60} />
      </p>
    )
  }
  return (
    <label class="workspace-choice">
      <span class="hidden">{texts.workspace}</span>
      <select
        value={membership.workspace.id}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value
          currentTarget.value = membership.workspace.id
          leaveBy(() => route(addressOf(chosen, "")))
        }}
      >
        {person.memberships.map(({ workspace }) => (
          <option key={workspace.id} value={workspace.id}>
            {visibleText(workspace.name, 60)}
          </option>
        ))}
      </select>
    </label>
  )
}

const Person = () => {
  const texts = useTexts(frameTexts)
  const { person, membership } = useSession()
  return (
    <div class="person">
      <p class="person-name">
        <PlainText text={membership.name ?? person.email} limit={60} />{" "}
        <span class="muted">{texts.roles[membership.role]}</span>
      </p>
      <div class="person-links">
        <a href="/account">{texts.account}</a>
        <form method="post" action="/sign-out">
          <button type="submit" class="link">
            {texts.signOut}
          </button>
        </form>
      </div>
    </div>
  )
}

/** Says the page's name in the title, and moves those who listen to its beginning. */
const useTitle = (page: PageName | undefined, path: string): void => {
  const texts = useTexts(frameTexts)
  const { membership } = useSession()
  const isFirst = useRef(true)
  useEffect(() => {
    const name = page === undefined ? texts.noPage : texts.pages[page]
    document.title = `${name} · ${visibleText(membership.workspace.name, 60)} · Cairn`
    if (!isFirst.current) document.querySelector<HTMLElement>("#content")?.focus()
    isFirst.current = false
  }, [path])
}

/** The frame and the page in it. */
export const Shell = () => {
  const texts = useTexts(frameTexts)
  const { locale } = useLanguage()
  const address = useAddress()
  const { path, url } = useLocation()
  const current = pageIn(path)
  const [open, setOpen] = useState(false)
  useTitle(current, path)
  useEffect(() => setOpen(false), [url])
  return (
    <div class="shell" data-open={open} lang={locale}>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="side">
        <div class="side-head">
          <p class="brand">Cairn</p>
          <WorkspaceChoice />
          <button
            type="button"
            class="bare menu"
            aria-expanded={open}
            aria-controls="side-body"
            onClick={() => setOpen(!open)}
          >
            <Glyph name="menu" /> <span class="hidden">{texts.openNavigation}</span>
          </button>
        </div>
        <div class="side-body" id="side-body">
          <Navigation current={current} />
          <Person />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <ErrorBoundary>
          <Router>
            {Object.entries(PAGE_COMPONENTS).flatMap(([name, component]) => [
              <Route key={name} path={address(name)} component={component} />,
              ...(name === ""
                ? []
                : [<Route key={`${name}/`} path={`${address(name)}/:id`} component={component} />])
            ])}
            <Route default component={NoPage} />
          </Router>
        </ErrorBoundary>
      </main>
    </div>
  )
}
