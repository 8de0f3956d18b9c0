/** The page and its card. */
export const frame = `
* {
  box-sizing: border-box;
}

html {
  font:
    16px / 1.5 system-ui,
    -apple-system,
    "Segoe UI",
    sans-serif;
  background: var(--ground);
  color: var(--text);
  text-size-adjust: 100%;
  -webkit-text-size-adjust: 100%;
}

body {
  display: flex;
  flex-direction: column;
  min-height: 100vh;
  min-height: 100dvh;
  margin: 0;
  padding: clamp(1.25rem, 8vh, 6rem) clamp(0.75rem, 4vw, 2rem) 1.5rem;
  overflow-wrap: anywhere;
}

body > * {
  width: 100%;
  max-width: 27rem;
  margin-inline: auto;
}

body.medium > * {
  max-width: 36rem;
}

body.wide {
  padding-top: clamp(1.25rem, 4vh, 2.5rem);
}

body.wide > * {
  max-width: 46rem;
}

:is(h1, h2, h3, p, ul, ol, dl, dd, pre) {
  margin: 0;
}

body > header {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem 1rem;
  align-items: center;
  justify-content: space-between;
  margin-bottom: 1.25rem;
}

.brand {
  display: flex;
  flex-wrap: wrap;
  gap: 0 0.6rem;
  align-items: center;
  font-size: 1.0625rem;
}

.brand .picture {
  width: 1.75rem;
  height: 1.75rem;
  background: var(--accent);
}

.brand .tagline {
  padding-inline-start: 0.6rem;
  border-inline-start: 1px solid var(--edge);
  color: var(--muted);
  font-size: 0.9375rem;
}

main {
  display: grid;
  gap: 1.25rem;
}

footer {
  margin-top: auto;
  padding-top: 2rem;
  color: var(--muted);
  font-size: 0.8125rem;
  text-align: center;
}

.card {
  display: grid;
  gap: 1.25rem;
  padding: clamp(1.25rem, 6vw, 2.25rem);
  border: 1px solid var(--line);
  border-radius: 14px;
  background: var(--card);
  box-shadow: var(--shadow);
}

.card > *,
.stack > * {
  min-width: 0;
}

.stack {
  display: grid;
  gap: 0.5rem;
}
`
