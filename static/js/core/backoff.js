// The wait in ms before the next try: exponential with full jitter, between leastMs and mostMs, so
// that windows which failed together do not come back together.

export function delayMs(
  attempt, { leastMs = 500, firstMs = 1000, mostMs = 30_000, random = Math.random } = {},
) {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 16));
  return Math.round(leastMs + random() * (whole - leastMs));
}
