/**
 * Colours, those of the viewer's `packages/viewer/src/page/style.css`. Every pair has the contrast of WCAG
 * 2.2 AA: 4.5 for text, 3 for the rest. A test compares both.
 */
export const colours = `
:root {
  color-scheme: light dark;
  --ground: #f4f6f8;
  --card: #ffffff;
  --text: #1b1f24;
  --muted: #57606a;
  --line: #d5dbe1;
  --edge: #7a848f;
  --accent: #0b5cad;
  --on-accent: #ffffff;
  --done: #17703a;
  --done-ground: #e9f6ee;
  --wrong: #b3261e;
  --wrong-ground: #fdecea;
  --shadow: 0 1px 2px rgb(27 31 36 / 6%), 0 8px 28px rgb(27 31 36 / 7%);
}

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c;
    --card: #1d2229;
    --text: #e6e9ee;
    --muted: #a3adba;
    --line: #323943;
    --edge: #7f8a98;
    --accent: #74b3ff;
    --on-accent: #0b1118;
    --done: #5cd08a;
    --done-ground: #14291d;
    --wrong: #ff9b93;
    --wrong-ground: #36191a;
    --shadow: none;
  }
}
`
