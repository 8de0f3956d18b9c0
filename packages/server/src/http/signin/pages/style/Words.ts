/** Text, and the pictures beside it. */
export const words = `
h1 {
  font-size: 1.5rem;
  font-weight: 650;
  line-height: 1.25;
  letter-spacing: -0.01em;
  text-wrap: balance;
}

h2 {
  font-size: 1.0625rem;
  font-weight: 650;
  line-height: 1.35;
}

h3 {
  font-size: 1rem;
  font-weight: 600;
  line-height: 1.4;
}

:lang(ja) :is(h1, h2, h3) {
  letter-spacing: 0;
  word-break: auto-phrase;
}

/* Words that no line ends within, in a language without spaces. */
.whole {
  white-space: nowrap;
}

p bdi,
footer bdi {
  font-weight: 600;
}

a {
  color: var(--accent);
  text-underline-offset: 0.15em;
}

code,
pre {
  font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace;
  font-size: 0.875rem;
}

code {
  padding: 0.1em 0.35em;
  border-radius: 5px;
  background: var(--ground);
  font-weight: 400;
}

code bdi {
  font-weight: inherit;
}

pre {
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--ground);
  line-height: 1.6;
  white-space: pre-wrap;
}

pre code {
  padding: 0;
  background: none;
}

.muted {
  color: var(--muted);
  font-size: 0.9375rem;
}

.steps {
  display: grid;
  gap: 0.4rem;
  padding-inline-start: 1.25rem;
  color: var(--muted);
  font-size: 0.9375rem;
}

/* For those who listen. */
.hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  padding: 0;
  margin: -1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
  border: 0;
}

/* A character that would otherwise not be seen. */
.named {
  margin: 0 0.1em;
  padding: 0 0.2em;
  border: 1px solid var(--edge);
  border-radius: 3px;
  color: var(--muted);
  font:
    0.75em ui-monospace,
    monospace;
}

.picture {
  flex: none;
  width: 1.5rem;
  height: 1.5rem;
  background: currentColor;
  mask: center / contain no-repeat;
}

.card > .picture {
  width: 2.5rem;
  height: 2.5rem;
  margin-bottom: -0.25rem;
  background: var(--accent);
}

.card > .picture-alert {
  background: var(--wrong);
}

.card > .picture-done {
  background: var(--done);
}
`
