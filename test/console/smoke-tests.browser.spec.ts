import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { hasChromium } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the playground', () => {
  const on = onAPage();
  let filled: FilledSystem;
  /** A job that learned other labels. */
  let other: string;
  beforeAll(async () => {
    filled = await fillSystem(on.api);
    await uploadDataset(on.api, { dataset_name: 'trips' }, trips(40));
    const training = new TrainingClient(on.api);
    const job = { model_name: 'trips', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }] };
    other = (await training.start({ ...job, nr_epochs: 1 })).id;
    await training.ended(other);
  });

  const keep = async (text: string): Promise<void> => {
    await on.page.goto(`/console/playground?model=${filled.model}`);
    await on.page.getByLabel('Text', { exact: true }).fill(text);
    await on.page.getByRole('button', { name: 'Right: keep as smoke test' }).click();
    await on.page.getByRole('status').getByText('Kept as a smoke test of tickets.').waitFor();
  };

  it('keeps texts with right answers as smoke tests, which run on each version and say what has changed', async () => {
    await keep('My card was charged twice for order 4711');
    await keep('Where is my parcel?');
    await on.api.call('POST', `/models/${filled.model}/versions`, { training_job_id: other });
    await on.page.goto(`/console/models/${filled.model}?tab=smoke-tests`);
    await on.page.getByRole('heading', { name: 'Smoke tests: 2 texts' }).waitFor();
    await on.page.getByRole('button', { name: 'Run on each version' }).click();
    const table = on.page.getByRole('region', { name: 'Smoke tests' });
    await table.getByRole('columnheader', { name: 'Version 2' }).waitFor();
    await table.getByText('changed').first().waitFor();
    const cells = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
    expect(cells[1]).toContain('passed');
    expect(cells[2]).toContain('failed');
    expect(cells[2]).toContain('changed');
  });

  it('finds the rows of a dataset that are nearest to a text', async () => {
    await on.page.goto(`/console/playground?model=${filled.model}`);
    const [row] = trips(40).split('\n');
    const { text } = JSON.parse(row!) as { text: string };
    await on.page.getByLabel('Text', { exact: true }).fill(text);
    await on.page.getByLabel('Of the dataset').selectOption('trips/1');
    await on.page.getByRole('button', { name: 'Find near rows' }).click();
    const table = on.page.getByRole('region', { name: 'Rows near to the text' });
    await table.waitFor();
    const cells = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
    expect([cells[0], cells.at(-1)]).toEqual(['1', '1']);
  });
});
