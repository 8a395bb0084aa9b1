const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Pauses between attempts, after https://github.com/standard-webhooks/standard-webhooks: ten attempts within 76 hours. */
const PAUSES_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** A pause is longer by up to this share, so that deliveries that failed together are not repeated together. */
const SPREAD = 0.1;

/**
 * Milliseconds until the next attempt; null after the last.
 * @param made attempts made so far
 */
export function pauseAfter(made: number, deliveryId: string): number | null {
  const pause = PAUSES_MS[made - 1];
  if (pause === undefined) return null;
  const share = Number.parseInt(deliveryId.slice(0, 4), 16) / 0xffff;
  return Math.round(pause * (1 + SPREAD * (Number.isNaN(share) ? 0 : share)));
}
