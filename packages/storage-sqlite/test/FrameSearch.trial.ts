/** Frames that change while they are searched, for every question. */
import "./FrameSearch.test.ts"
