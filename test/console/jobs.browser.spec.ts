import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAT, catalogIn, engines } from '#test/decoder-engine/catalog.js';
import { startTestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';
import { TICKETS } from './tickets.js';

const suite = hasChromium() ? describe : describe.skip;
/** Few enough to begin soon, and enough that many epochs of them last. */
const ROWS = TICKETS.slice(0, 300).join('\n');

suite('a training job in the console', () => {
  const on = onAPage();
  beforeAll(async () => {
    await uploadDataset(on.api, { dataset_name: 'tickets' }, ROWS);
  });

  it('keeps the text in its form over a reload', async () => {
    await on.page.goto('/console/training/new');
    await on.page.getByLabel("Model's name").fill('a name of my own');
    await on.page.getByLabel('Epochs (optional)').fill('7');
    await on.page.reload();
    await on.page.getByRole('button', { name: 'Train', exact: true }).waitFor();
    expect(await on.page.getByLabel("Model's name").inputValue()).toBe('a name of my own');
    expect(await on.page.getByLabel('Epochs (optional)').inputValue()).toBe('7');
  });

  it('is named like the dataset that is chosen, until a name is written', async () => {
    await uploadDataset(on.api, { dataset_name: 'another' }, ROWS);
    await on.page.goto('/console/training/new?dataset=tickets');
    const name = on.page.getByLabel("Model's name");
    expect(await name.inputValue()).toBe('tickets');
    await on.page.getByLabel('Dataset', { exact: true }).selectOption('another');
    expect(await name.inputValue()).toBe('another');
    await name.fill('my own');
    await on.page.getByLabel('Dataset', { exact: true }).selectOption('tickets');
    expect(await name.inputValue()).toBe('my own');
  });

  it('is stopped, and another continues from its checkpoint', async () => {
    await on.page.goto('/console/training/new');
    const stop = async () => {
      await on.page.getByRole('button', { name: 'Stop', exact: true }).click();
      await on.page.getByRole('button', { name: 'Stop it' }).click();
      await on.page
        .getByText(/^(stopped|cancelled)$/)
        .first()
        .waitFor();
    };
    // Long enough to be stopped on any machine: as many epochs as there may be, none left out.
    await on.page.getByLabel('Epochs (optional)').fill('200');
    await on.page.getByText('Learning rate, LoRA and other settings').click();
    await on.page.getByLabel('Patience (epochs)').fill('0');
    await on.page.getByRole('button', { name: 'Train', exact: true }).click();
    const resume = on.page.getByRole('link', { name: /^Resume from here/ }).first();
    await resume.waitFor();
    const first = new URL(on.page.url()).pathname;
    await stop();
    await resume.click();
    await on.page.getByRole('heading', { name: 'Go on from a checkpoint' }).waitFor();
    await on.page.getByLabel('Epochs (optional)').fill('200');
    await on.page.getByText('Learning rate, LoRA and other settings').click();
    await on.page.getByLabel('Patience (epochs)').fill('0');
    await on.page.getByRole('button', { name: 'Train', exact: true }).click();
    await resume.waitFor();
    expect(new URL(on.page.url()).pathname).not.toBe(first);
    await stop();
    const { body } = await on.api.call('GET', '/felix/training-jobs');
    expect(body.training_jobs[0].start_checkpoint_id).toEqual(expect.any(String));
  });

  it('is measured on a dataset that is held out as a whole', async () => {
    const held = JSON.stringify({ text: 'Order 90210 is in Ghent.', entities: [['Ghent', 'city']], label: 'delivery' });
    await uploadDataset(on.api, { dataset_name: 'checked' }, `${held}\n`);
    await on.page.goto('/console/training/new');
    await on.page.getByLabel('Dataset', { exact: true }).selectOption('tickets');
    await on.page.getByLabel('Measured on').selectOption('checked');
    await on.page.getByLabel('Epochs (optional)').fill('1');
    await on.page.getByRole('button', { name: 'Train', exact: true }).click();
    await on.page.getByText('tickets/1, checked/1 (held out)').waitFor();
    const { body } = await on.api.call('GET', '/felix/training-jobs');
    expect(body.training_jobs[0].datasets).toMatchObject([{ name: 'tickets' }, { name: 'checked', held_out: true }]);
  });
});

suite('the exports of a decoder in the console', () => {
  let directory: string;
  const on = onAPage(async () => {
    directory = await mkdtemp(join(tmpdir(), 'exports-'));
    return startTestApi({ modelCatalog: await catalogIn(directory) }, { engines });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('are made, shown with their size, and downloaded', async () => {
    const rows = Array.from({ length: 20 }, (_, row) => ({
      messages: [
        { role: 'user', content: `where is parcel ${row}?` },
        { role: 'assistant', content: `in Lima, street ${row}` },
      ],
    }));
    const facts = { dataset_name: 'chats', dataset_type: 'decoder', filename: 'a.jsonl' };
    await uploadDataset(on.api, facts, rows.map((row) => JSON.stringify(row)).join('\n'));
    const client = new TrainingClient(on.api);
    const { id } = await client.start({ base_model: CHAT, datasets: [{ name: 'chats' }], model_name: 'Parcels' });
    await client.ended(id);
    await on.page.goto(`/console/training/${id}?tab=files`);
    await on.page.getByRole('button', { name: 'Export adapter' }).click();
    const download = on.page.getByRole('button', { name: 'Download adapter' });
    await download.waitFor();
    const saved = on.page.waitForEvent('download');
    await download.click();
    expect((await saved).suggestedFilename()).toMatch(/adapter/);
  });
});
