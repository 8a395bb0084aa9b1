import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#domain/json.js';
import { placesOnServers, type Places } from '#test/deployments/test-api.js';
import { describeDistributed } from '#test/deployments/with-servers.js';
import { startTestApi } from '#test/support/api.js';
import { verifyAudit } from './audit.js';

describeDistributed('the audit of a system on servers', () => {
  let dataDir: string;
  let places: Places[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-audited-'));
    places = [await placesOnServers(), await placesOnServers()];
  });
  afterEach(async () => {
    for (const each of places) await each.remove();
    await rm(dataDir, { recursive: true });
  });

  const verify = async (log: Places, tree: Places) =>
    (await Array.fromAsync(
      verifyAudit({
        eventStore: log.settings.eventStore!,
        objectStore: tree.settings.objectStore!,
        ...{ keys: [], checkpoints: [] },
      }),
    )) as JsonObject[];

  it('covers every event with a checkpoint once closed, and only of that log', async () => {
    for (const { settings } of places) {
      const api = await startTestApi({ dataDir, ...settings });
      const asked = { model_id: 'anneal/encoder-base-v1', text: 'Ada lives in London.', schema: ['city'] };
      expect((await api.call('POST', '/inference', asked)).status).toBe(200);
      await api.close();
    }
    const [first, second] = places as [Places, Places];
    const [summary, ...more] = await verify(first, first);
    expect(more).toEqual([]);
    expect(summary).toMatchObject({ verified: true, problems: 0, erased: 0, uncovered: 0 });
    expect(summary!['same']).toBe(summary!['size']);
    expect(summary!['size']).toBeGreaterThan(0);

    expect((await verify(second, first)).at(-1)).toMatchObject({ verified: false });
  });
});
