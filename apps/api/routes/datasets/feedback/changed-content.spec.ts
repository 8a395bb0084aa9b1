import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi } from '#test/support/api.js';

describeEmbedded('a dataset from feedback of which a content on the log was changed', 'it changes the log file', () => {
  it('is refused with the name of the call, since the content has another HMAC than its call recorded', async () => {
    const api = await startTestApi({ callContents: 'plain' });
    try {
      const asked = { model_id: 'anneal/encoder-base-v1', text: 'Ada lives in London.', schema: ['city'] };
      const { inference_id: id } = (await api.call('POST', '/inference', asked)).body;
      await api.call('POST', `/inferences/${id}/feedback`, { verdict: 'correct' });
      await api.drained();
      const make = (name: string) => api.call('POST', '/felix/datasets/from-feedback', { dataset_name: name });
      expect((await make('honest')).status).toBe(202);

      const log = new DatabaseSync(join(api.settings.dataDir, 'log.db'));
      const forged = `UPDATE events SET data = replace(data, 'London', 'Madrid'), checksum = NULL WHERE data LIKE '%' || ? || '%'`;
      expect(log.prepare(forged).run(id).changes).toBeGreaterThan(0);
      log.close();
      const { status, body } = await make('forged');
      expect([status, JSON.stringify(body)]).toEqual([
        409,
        expect.stringContaining(`the content of inference ${id} is not the one that its call was recorded with`),
      ]);
    } finally {
      await api.close();
    }
  });
});
