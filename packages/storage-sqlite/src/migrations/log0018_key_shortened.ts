/** When the end of an API key was brought forward, by which processes forget what they know of it. */
export default `
ALTER TABLE api_key ADD COLUMN shortened_at INTEGER;
CREATE INDEX api_key_shortened ON api_key (shortened_at) WHERE shortened_at IS NOT NULL;
`
