/** Rate limits in Redis, also in one that is mute. */
import "./RedisRateLimiter.test.ts"
