/**
 * How long a workspace wants its contents kept, and what of that does not count yet, as a JSON object; NULL
 * leaves it to the plan.
 */
export default `
ALTER TABLE workspace ADD COLUMN retention TEXT;
`
