// How long to wait before the next try: doubling, with jitter, never for good.

export function delayMs(attempt, { firstMs = 500, mostMs = 15_000, random = Math.random } = {}) {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 16));
  return Math.round(whole * (0.5 + random() / 2));
}
