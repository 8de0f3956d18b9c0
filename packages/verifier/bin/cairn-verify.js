#!/usr/bin/env node
// The `cairn-verify` command. It is not the built file itself, because npm links a command only when its file is there at the time of
// installing, and what is built comes after that.
import "../dist/bin.js"
