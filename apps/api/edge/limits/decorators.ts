import { withRouteConfig } from '../route-config.js';
import type { RateLimitName } from '#use-cases/limits/limit-table.js';

/** Selects the route's rate limit; default: the limit for all other routes. */
export const LimitedAs = (name: RateLimitName): MethodDecorator => withRouteConfig({ rateLimit: name });
