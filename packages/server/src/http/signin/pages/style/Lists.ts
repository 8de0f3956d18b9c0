/** Facts, and rows of things. */
export const lists = `
.apart {
  display: grid;
  gap: 0.5rem;
  padding-top: 1.25rem;
  border-top: 1px solid var(--line);
}

.facts {
  display: grid;
  grid-template-columns: minmax(5.5rem, max-content) minmax(0, 1fr);
  gap: 0.25rem 1rem;
  font-size: 0.9375rem;
}

.facts dt {
  color: var(--muted);
}

.facts.framed {
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--ground);
}

.facts.framed dd {
  font-weight: 600;
}

.facts .muted {
  display: block;
  font-weight: 400;
}

.rows {
  display: grid;
  padding: 0;
  list-style: none;
}

.rows > li {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem 1.5rem;
  align-items: center;
  justify-content: space-between;
  padding-block: 1rem;
  border-top: 1px solid var(--line);
}

.rows > li:first-child {
  padding-top: 0;
  border-top: 0;
}

.rows > li:last-child {
  padding-bottom: 0;
}

.rows .stack {
  flex: 1 1 15rem;
}

.badge {
  display: inline-block;
  max-width: 100%;
  padding: 0.05rem 0.55rem;
  border: 1px solid var(--done);
  border-radius: 1rem;
  background: var(--done-ground);
  color: var(--done);
  font-size: 0.8125rem;
  font-weight: 600;
}

.badge:not(.plain) {
  margin-inline-start: 0.25rem;
}

.badge.plain {
  border-color: var(--line);
  background: var(--ground);
  color: var(--text);
}

.rows + form {
  padding-top: 1.25rem;
  border-top: 1px solid var(--line);
  justify-items: start;
}

@media (max-width: 22rem) {
  .facts {
    grid-template-columns: minmax(0, 1fr);
    gap: 0;
  }

  .facts dd:not(:last-child) {
    margin-bottom: 0.5rem;
  }
}

@media (max-width: 30rem) {
  :is(.rows, .rows + form) .button,
  .rows form {
    width: 100%;
  }
}
`
