import { startTestApi, type TestApi } from '#test/support/api.js';
import type { HealthSource } from '#primitives/health/health.js';
import { serveMetrics } from '#primitives/metrics/serve.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { HEALTH_SOURCES } from './health.controller.js';

describe('health', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const get = (path: string) => api.call('GET', path, undefined, {});

  it('reports each part, without a key', async () => {
    const { status, body } = await get('/health');
    expect([status, body.status]).toEqual([200, 'ok']);
    expect(Object.keys(body.details)).toEqual(
      expect.arrayContaining([
        'event-store',
        'read-store',
        'coordination',
        'projections',
        'process-managers',
        'dataset-processing',
      ]),
    );
    expect(body.details.release).toEqual({
      ...{ status: 'up', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      formats: { log: 5, tree: 1, read_models: 1, backup: 1 },
    });
    expect(body.details.projections['api-keys']).toMatchObject({ state: expect.any(String), parked: 0 });
  });

  it.each(['/health', '/health/live', '/health/ready'])("%s ignores a probe's query parameters", async (path) => {
    expect((await get(`${path}?ts=1&verbose`)).status).toBe(200);
  });

  it('reports liveness and readiness', async () => {
    expect((await get('/health/live')).body).toEqual({ status: 'ok' });
    expect((await get('/health/ready')).body).toEqual({ status: 'ok', writes: true });
  });
});

describe('health when something is down', () => {
  it('is 503 and names the part, while the process stays live', async () => {
    const sources: HealthSource[] = [
      { name: 'broken', check: () => Promise.reject(new TypeError('private')) },
      { name: 'slow', check: async () => ({ status: 'degraded', details: { behind: 7 } }) },
    ];
    const api = await startTestApi({}, { override: (api) => api.overrideProvider(HEALTH_SOURCES).useValue(sources) });
    const { status, body } = await api.call('GET', '/health', undefined, {});
    expect(status).toBe(503);
    expect(body.details).toMatchObject({
      broken: { status: 'down', reason: 'TypeError' },
      slow: { status: 'up', degraded: true, behind: 7 },
    });
    expect(JSON.stringify(body)).not.toContain('private');
    expect((await api.call('GET', '/health/ready', undefined, {})).status).toBe(503);
    expect((await api.call('GET', '/health/live', undefined, {})).status).toBe(200);
    await api.close();
  });
});

describe('metrics', () => {
  it('are served on a separate port, without words that users choose', async () => {
    const api = await startTestApi({ metricsPort: 0 });
    await api.call('GET', '/projects/secret-name');
    await api.call('GET', '/nowhere/secret-name');
    const text = await api.metrics();
    expect(text).toMatch(/anneal_http_requests_total\{method="GET",route="\/projects\/:id",status="404"\} 1/);
    expect(text).toMatch(/anneal_http_requests_total\{method="GET",route="none",status="404"\} 1/);
    expect(text).toMatch(/anneal_append_seconds_count\{outcome="stored"\} \d+/);
    expect(text).toMatch(/anneal_projection_lag_events\{projection="api-keys"\} \d+/);
    expect(text).toMatch(/anneal_projection_parked_keys\{projection="projects"\} 0/);
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).not.toContain('secret-name');
    expect((await api.call('GET', '/metrics')).status).toBe(404);
    await api.close();
  });

  it('are the only thing served on that port', async () => {
    const server = await serveMetrics(new Metrics(), 0, '127.0.0.1');
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${server.port}/metrics`, { method: 'POST' })).status).toBe(404);
    await server.close();
  });
});
