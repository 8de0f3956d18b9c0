#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=60 --expose-gc
// The `cairn` command. It is not the bundle itself, because npm links a command only when its file is there
// at the time of installing, and the bundle is built after that.
import "../bundle/bin.js"
