/** A rule of how many calls an account may make. */
export interface RateLimit {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

export const MINUTE = 60_000;

/**
 * Calls per minute and account (wire details, section 11). `training-start` is a sliding minute, the others are fixed.
 */
export const RATE_LIMITS = {
  inference: { name: 'inference', limit: 5_000, windowMs: MINUTE },
  'gliner-2': { name: 'gliner-2', limit: 15_000, windowMs: MINUTE },
  generate: { name: 'generate', limit: 120, windowMs: MINUTE },
  'training-start': { name: 'training-start', limit: 20, windowMs: MINUTE },
  'create-api-key': { name: 'create-api-key', limit: 50, windowMs: 60 * MINUTE },
  default: { name: 'default', limit: 20_000, windowMs: MINUTE },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;
