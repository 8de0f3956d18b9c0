/** Checks Cairn's chains, proofs, anchors and evidence bundles offline: a library, the command cairn-verify and a browser build. */
export {}
