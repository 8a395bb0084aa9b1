import { serveGet, type Answer, type GetServer } from '#primitives/health/serve-get.js';
import { explainHealth, LIVE, readinessOf, type HealthSource } from './health.js';

/** Serves `/health`, `/health/live` and `/health/ready` of a process without an API, for its supervisor. */
export const serveHealth = (
  sources: readonly HealthSource[],
  address: { readonly host: string; readonly port: number },
): Promise<GetServer> =>
  serveGet(
    {
      '/health': async () => answer(await explainHealth(sources)),
      '/health/live': async () => answer(LIVE),
      '/health/ready': async () => answer(readinessOf(await explainHealth(sources))),
    },
    address,
  );

const answer = (health: { readonly status: string }): Answer => ({
  status: ['ok', 'damaged'].includes(health.status) ? 200 : 503,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(health),
});
