import { serveGet, type GetServer } from '#primitives/health/serve-get.js';
import type { Metrics } from './metrics.js';

/** Serves the metrics to the operator, at `/metrics`. */
export const serveMetrics = ({ registry }: Metrics, port: number, host: string): Promise<GetServer> =>
  serveGet(
    {
      '/metrics': async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() }),
    },
    { host, port },
  );
