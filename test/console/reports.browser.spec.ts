import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpointNow } from '#test/support/audited.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('reports in the console', () => {
  const on = onAPage();
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'anneal-reports-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('makes a report and shows it', async () => {
    await on.page.goto('/console/reports');
    await on.page.getByLabel('About').selectOption('access');
    await on.page.getByRole('button', { name: 'Make the report' }).click();
    await on.page.getByText('# Access review').waitFor();
  });

  it('opens an incident, adds a note and closes it', async () => {
    await on.page.goto('/console/reports?tab=incidents');
    await on.page.getByRole('button', { name: 'Open an incident…' }).click();
    await on.page.getByLabel('What happened, in a few words').fill('Wrong routing');
    await on.page.getByLabel('Severity').selectOption('high');
    await on.page.getByLabel('Description').fill('Refunds went to sales.');
    await on.page.getByRole('button', { name: 'Open the incident' }).click();
    const change = on.page.getByRole('button', { name: 'Change the incident: Wrong routing' });
    for (const [note, button] of [
      ['two customers', 'Add this'],
      ['rolled back', 'Close the incident with this'],
    ] as const) {
      await change.click();
      await on.page.getByLabel('What was found or done').fill(note);
      await on.page.getByRole('button', { name: button }).click();
      await on.page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await change.waitFor({ state: 'hidden' });
    const [incident] = (await on.api.call('GET', '/incidents')).body.incidents;
    expect(incident).toMatchObject({ status: 'closed', notes: [{ note: 'two customers' }], resolution: 'rolled back' });
  });

  it('verifies the log as it is now, by its own key', async () => {
    await checkpointNow(on.api);
    await on.page.goto('/console/log');
    await on.page.getByRole('link', { name: 'Verify now' }).click();
    await on.page.getByRole('button', { name: 'Verify now' }).click();
    await on.page.getByText('Verified: no problem was found.').waitFor();
    await on.page.getByText(/^\d+ of \d+ events stand in the log of \d+ events/).waitFor();
  });

  it('verifies an export without any request, also decrypted contents, and names a wrong event', async () => {
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada lives in London.', schema: ['city'] };
    await on.api.call('POST', '/inference', call);
    await checkpointNow(on.api);
    const answer = await fetch(`${on.api.url}/audit/export?content=true`, { headers: { 'x-api-key': on.api.key } });
    const genuine = join(folder, 'genuine.jsonl');
    await writeFile(genuine, await answer.text());
    const text = await readFile(genuine, 'utf8');
    expect(text).toContain('content_key');
    const forged = join(folder, 'forged.jsonl');
    await writeFile(
      forged,
      text.replace('"user-registered.v1"', '"user-admitted.v1"').replace('lives in London', 'was in London'),
    );
    const key = (await on.api.call('GET', '/audit/key', undefined, {})).body as string;
    await on.page.goto('/console/reports?tab=verify');
    await on.page.getByLabel('Public keys that you kept').fill(key);
    // The worker's code is loaded at its first start. From then on, nothing is asked for.
    const asked: string[] = [];
    await on.page.context().route('**', async (route) => {
      if (/\/assets\/worker-.*\.js$/.test(route.request().url())) return route.continue();
      asked.push(route.request().url());
      return route.abort();
    });
    const verify = async (file: string) => {
      await on.page.getByLabel('Export (JSON lines)').setInputFiles(file);
      await on.page.getByRole('button', { name: 'Verify', exact: true }).click();
    };
    await verify(genuine);
    await on.page.getByText('Verified: no problem was found.').waitFor();
    await on.page.getByText('as they were when its checkpoint was signed').waitFor();
    await verify(forged);
    await on.page
      .getByRole('alert')
      .getByText(/NOT VERIFIED: [12] problems.*The first: changed at position \d+/)
      .waitFor();
    await on.page.getByText('`content` is not what the event has encrypted').first().waitFor();
    const other = asked.filter((url) => !/\/(health|audit|incidents|account|auth)/.test(url));
    expect(other).toEqual([]);
    expect(asked.filter((url) => url.includes('audit'))).toEqual([]);
  });
});
