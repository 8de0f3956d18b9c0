/**
 * Characters that look like those of `cairn.`, by Unicode's confusables.txt, version 17.0.0 (UTS #39,
 * © Unicode, Inc., https://www.unicode.org/license.txt). Without other forms of the letters themselves, which
 * NFKD gives. Made by `scripts/confusables.mjs`; not to be edited.
 */
export const CONFUSABLES: Readonly<Record<string, ReadonlyArray<string>>> = {
  c: [
    "\u{a2}\u{23c}\u{3f2}\u{3f9}\u{421}\u{441}\u{4aa}\u{4ab}\u{1004}\u{105a}",
    "\u{13df}\u{1d04}\u{20a1}\u{2ca4}\u{2ca5}\u{a4da}\u{abaf}\u{102a2}\u{10302}\u{10415}",
    "\u{1043d}\u{1051c}\u{118e9}\u{118f2}\u{1f16e}\u{1f74c}"
  ],
  a: [
    "\u{251}\u{391}\u{3b1}\u{410}\u{430}\u{13aa}\u{15c5}\u{1e9a}\u{2376}\u{237a}",
    "\u{a4ee}\u{102a0}\u{16f40}\u{1d6a8}\u{1d6c2}\u{1d6e2}\u{1d6fc}\u{1d71c}\u{1d736}\u{1d756}",
    "\u{1d770}\u{1d790}\u{1d7aa}"
  ],
  i: [
    "\u{131}\u{141}\u{142}\u{196}\u{197}\u{19a}\u{1c0}\u{268}\u{269}\u{26a}",
    "\u{26b}\u{26d}\u{2db}\u{37a}\u{399}\u{3b9}\u{406}\u{456}\u{4c0}\u{4cf}",
    "\u{582}\u{5c0}\u{5d5}\u{5df}\u{625}\u{627}\u{661}\u{673}\u{6f1}\u{7ca}",
    "\u{13a5}\u{13de}\u{14aa}\u{16c1}\u{1d7b}\u{1d7c}\u{1fbe}\u{2223}\u{2373}\u{2378}",
    "\u{23fd}\u{2c92}\u{2c93}\u{2cd0}\u{2d4f}\u{a4e1}\u{a4f2}\u{a647}\u{ab75}\u{fd3c}",
    "\u{fd3d}\u{fe87}\u{fe88}\u{fe8d}\u{fe8e}\u{ffe8}\u{1028a}\u{10309}\u{10320}\u{1041b}",
    "\u{10526}\u{118a3}\u{118b2}\u{118c3}\u{11dda}\u{11de1}\u{16eaa}\u{16f16}\u{16f28}\u{1d22a}",
    "\u{1d6a4}\u{1d6b0}\u{1d6ca}\u{1d6ea}\u{1d704}\u{1d724}\u{1d73e}\u{1d75e}\u{1d778}\u{1d798}",
    "\u{1d7b2}\u{1e8c7}\u{1ee00}\u{1ee80}"
  ],
  r: [
    "\u{1a6}\u{24d}\u{27c}\u{27d}\u{433}\u{493}\u{13a1}\u{13d2}\u{1587}\u{1d26}",
    "\u{1d72}\u{2c85}\u{a4e3}\u{ab47}\u{ab48}\u{ab81}\u{104b4}\u{16f35}\u{1d216}"
  ],
  n: [
    "\u{14b}\u{19d}\u{19e}\u{273}\u{39d}\u{3b7}\u{572}\u{578}\u{57c}\u{1d70}",
    "\u{2c9a}\u{a4e0}\u{1018e}\u{10513}\u{1d6b4}\u{1d6c8}\u{1d6ee}\u{1d702}\u{1d728}\u{1d73c}",
    "\u{1d762}\u{1d776}\u{1d79c}\u{1d7b0}"
  ],
  ".": ["\u{660}\u{6f0}\u{701}\u{702}\u{a4f8}\u{a60e}\u{10a50}\u{1d16d}"],
  rn: ["\u{271}\u{1d6f}\u{20a5}\u{11700}\u{118e3}"],
  "..": ["\u{a4fa}"]
}
