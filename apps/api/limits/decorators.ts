import { withRouteConfig } from '../route-config.js';
import type { RateLimitName } from './limits.js';

/** Which limit the route counts against; without it, the one for all the rest. */
export const RateLimit = (name: RateLimitName): MethodDecorator => withRouteConfig({ rateLimit: name });
