/** The files of pages, loaded when a page is first shown. */
import { useLanguage } from "@cairn/ui/locale"
import { Notice } from "@cairn/ui/notice"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { lazy } from "preact-iso"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"

/** When the page was last reloaded for a file that was missing, in milliseconds. */
const RELOADED = "cairn.reloaded"

/** Within this time it is not reloaded once more, so that a file that stays away is no endless loop. */
const PAUSE = 60_000

/** Whether to reload by itself: a new version of the service has other files. Not without a connection. */
const mayReload = (): boolean => {
  if (!navigator.onLine) return false
  try {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0)
    sessionStorage.setItem(RELOADED, String(Date.now()))
    return Math.abs(Date.now() - last) > PAUSE
  } catch {
    // A browser that keeps nothing.
    return false
  }
}

/** In place of a page whose file could not be loaded. */
export const NotLoaded = () => {
  const texts = useTexts(frameTexts)
  const { messages } = useLanguage()
  useEffect(() => {
    const again = () => location.reload()
    if (mayReload()) again()
    addEventListener("online", again)
    return () => removeEventListener("online", again)
  }, [])
  return (
    <Notice title={texts.notLoaded} hint={texts.notLoadedHint} alert>
      <button type="button" onClick={() => location.reload()}>
        {messages.retry}
      </button>
    </Notice>
  )
}

/** A page in a file of its own. Where the file is missing, as after an update of the service, it says so. */
export const pageFile = (load: () => Promise<{ readonly default: ComponentType }>) =>
  lazy<ComponentType>(() => load().catch(() => ({ default: NotLoaded })))
