import { readFileSync } from 'node:fs';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the history', () => {
  const on = onAPage();
  const line = (id: string, more: object) =>
    JSON.stringify({
      id,
      model_name: 'elsewhere',
      input: id,
      output: 'x',
      created_at: '2026-01-02T03:04:05Z',
      ...more,
    });

  it('imports calls, says which lines it refused, and exports those that the filters select', async () => {
    await on.page.goto('/console/history');
    await on.page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = on.page.getByRole('dialog');
    const lines = [line('a', { latency_ms: 100 }), line('b', { latency_ms: 900 }), line('c', { created_at: 'once' })];
    await dialog.getByLabel('File').setInputFiles({
      ...{ name: 'calls.jsonl', mimeType: 'application/x-ndjson' },
      buffer: Buffer.from(`${lines.join('\n')}\n`),
    });
    await dialog.getByRole('button', { name: 'Import calls' }).click();
    await dialog.getByText('Imported 2 calls of 3 lines; 1 were refused.').waitFor();
    await dialog.getByRole('cell', { name: 'created_at' }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();

    await on.page.goto('/console/history?latency_min=500&until=2027-01-01T00:00');
    await on.page.getByRole('heading', { name: '1 call' }).waitFor();
    await on.page.getByRole('button', { name: 'Export', exact: true }).click();
    await dialog.getByText('Latency from (ms): 500').waitFor();
    const [download] = await Promise.all([
      on.page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'JSON lines' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^inferences-.*\.jsonl$/);
    const exported = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(exported.map((each) => (JSON.parse(each) as { input: unknown }).input)).toEqual([{ text: 'b' }]);
  });
});
