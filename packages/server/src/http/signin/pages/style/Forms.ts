/** What people fill in and press, and what the page tells them about it. */
export const forms = `
form {
  display: grid;
  gap: 0.75rem;
  margin: 0;
}

button,
input,
select {
  font: inherit;
}

label {
  font-weight: 600;
}

.field {
  display: grid;
  gap: 0.4rem;
}

input[type="text"],
select {
  width: 100%;
  min-height: 2.875rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: 8px;
  background: var(--card);
  color: var(--text);
}

:is(input, select)[aria-invalid="true"] {
  border-color: var(--wrong);
  border-width: 2px;
}

.fault {
  display: flex;
  gap: 0.4rem;
  color: var(--wrong);
  font-size: 0.9375rem;
  font-weight: 600;
}

.fault .picture {
  width: 1.25rem;
  height: 1.25rem;
  margin-top: 0.1rem;
}

.button {
  display: flex;
  align-items: center;
  justify-content: center;
  min-height: 2.875rem;
  padding: 0.5rem 1.25rem;
  border: 1px solid var(--edge);
  border-radius: 8px;
  background: var(--card);
  color: var(--text);
  font-weight: 600;
  line-height: 1.3;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}

.button:hover {
  background: var(--ground);
}

.button.first {
  border-color: transparent;
  background: var(--accent);
  color: var(--on-accent);
}

.button.first:hover {
  background: color-mix(in srgb, var(--accent) 86%, var(--text));
}

.button.wrong {
  border-color: var(--wrong);
  color: var(--wrong);
}

:is(a, button, input, select):focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}

/* As large as a finger, though it stands in a line of its own as a word. */
.way {
  display: inline-flex;
  align-items: center;
  justify-self: center;
  min-height: 2.75rem;
  margin-block: -0.25rem -0.75rem;
  text-align: center;
}

.or {
  display: flex;
  gap: 0.75rem;
  align-items: center;
  color: var(--muted);
  font-size: 0.875rem;
}

.or::before,
.or::after {
  flex: 1;
  border-top: 1px solid var(--line);
  content: "";
}

.notice {
  display: flex;
  gap: 0.65rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--ground);
  font-size: 0.9375rem;
}

.notice .picture {
  width: 1.25rem;
  height: 1.25rem;
  margin-top: 0.1rem;
  background: var(--accent);
}

.notice.wrong {
  border-color: var(--wrong);
  background: var(--wrong-ground);
}

.notice.wrong .picture {
  background: var(--wrong);
}

.notice.done {
  border-color: var(--done);
  background: var(--done-ground);
}

.notice.done .picture {
  background: var(--done);
}
`
