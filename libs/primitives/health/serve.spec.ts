import { serveHealth } from './serve.js';
import type { HealthReport } from './health.js';

describe('health of a process that has no API', () => {
  const served = async (status: HealthReport['status'], path: string, method = 'GET') => {
    const source = { name: 'event-store', check: async () => ({ status, details: { writes: true } }) };
    const server = await serveHealth([source], { host: '127.0.0.1', port: 0 });
    try {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return [
        response.status,
        await response.text().then((text) => (text === '' ? null : (JSON.parse(text) as object))),
      ];
    } finally {
      await server.close();
    }
  };
  const part = { 'event-store': { writes: true, status: 'up' } };

  it('reports each part', async () => {
    expect(await served('up', '/health')).toEqual([200, { status: 'ok', info: part, error: {}, details: part }]);
  });

  it('is 503 while a part is down, while the process stays live', async () => {
    const down = { 'event-store': { writes: true, status: 'down' } };
    expect(await served('down', '/health')).toEqual([503, { status: 'error', info: {}, error: down, details: down }]);
    expect(await served('down', '/health/ready?probe=1')).toEqual([503, { status: 'unavailable', writes: true }]);
    expect(await served('down', '/health/live')).toEqual([200, { status: 'ok' }]);
  });

  it('is ready while a part is degraded', async () => {
    expect(await served('degraded', '/health/ready')).toEqual([200, { status: 'ok', writes: true }]);
  });

  it('is the only thing served', async () => {
    expect(await served('up', '/')).toEqual([404, null]);
    expect(await served('up', '/health', 'POST')).toEqual([404, null]);
  });
});
