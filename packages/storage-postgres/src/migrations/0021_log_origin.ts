/** What the log's id begins with, fixed when the workspace is created; null for `cairn`. */
export default ["ALTER TABLE workspace ADD COLUMN log_origin text"]
