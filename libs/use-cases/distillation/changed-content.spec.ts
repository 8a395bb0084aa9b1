import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Catalog } from '#models/catalog/catalog.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi } from '#test/support/api.js';
import { hostedSettings } from '#test/support/hosted-settings.js';
import { ReadModelFile } from '#test/support/read-model-file.js';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { startScriptedProvider } from '#test/support/scripted-provider.js';
import { AnswerBudget } from '../calls/answer-budget.js';
import { CallContents } from '../calls/call-contents.js';
import { RecordedCalls } from './recorded-calls.js';

describeEmbedded('a recorded call that was changed, on the log or in the history', 'it changes their files', () => {
  it('is refused with its id', async () => {
    const provider = await startScriptedProvider();
    const hosted = await hostedSettings(provider.url);
    const api = await startTestApi({ callContents: 'plain', ...hosted.values });
    try {
      const asked = { model: 'acme/chat', messages: [{ role: 'user', content: 'Ada lives in London.' }] };
      expect((await api.call('POST', '/v1/chat/completions', asked)).status).toBe(200);
      await api.drained();
      const recorded = new RecordedCalls(
        api.application,
        new Catalog({ models: [] }),
        new CallContents(api.application, new AnswerBudget()),
        openSecretKey(api.settings.dataDir, api.settings.secretKey),
      );
      const read = () => Array.fromAsync(recorded.asked(api.workspaceId, { model: 'acme/chat' }).each);
      const { id } = (await read())[0]!;
      const history = new ReadModelFile(api, 'inferences');
      await history.change(id, { projectId: 'another' });
      await expect(read()).rejects.toThrow(`inference ${id} is not on the event log as the history has it`);
      await history.change(id, { projectId: null });

      const log = new DatabaseSync(join(api.settings.dataDir, 'log.db'));
      const forged = `UPDATE events SET data = replace(data, 'London', 'Madrid'), checksum = NULL WHERE data LIKE '%' || ? || '%'`;
      expect(log.prepare(forged).run(id).changes).toBeGreaterThan(0);
      log.close();
      await expect(read()).rejects.toThrow(
        `the content of inference ${id} is not the one that its call was recorded with`,
      );
    } finally {
      await api.close();
      await hosted.remove();
      await provider.close();
    }
  });
});
