import { weekOf, weeksBefore } from '#domain/drift/index.js';
import { uploadDataset } from '#test/support/datasets.js';
import { recordedIn } from '#test/support/recorded-week.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { settled, violationsOn } from './axe.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;
const BASE = 'anneal/encoder-base-v1';
const LIKE_TRAINING = (
  trips(240)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)) as readonly { readonly text: string }[]
).map(({ text }) => text);

suite('a model whose calls change', () => {
  const on = onAPage();
  beforeAll(async () => {
    await uploadDataset(on.api, { dataset_name: 'trips' }, trips(400));
    await uploadDataset(on.api, { dataset_name: 'more-trips' }, trips(60));
    const client = new TrainingClient(on.api);
    const datasets = [{ name: 'trips' }, { name: 'more-trips' }];
    const { id } = await client.start({ base_model: BASE, datasets, model_name: 'trips', nr_epochs: 2 });
    await client.ended(id);
    await on.api.call('POST', '/models', { name: 'trips' });
    await on.api.call('POST', '/models/trips/versions', { training_job_id: id });
    await on.api.call('PUT', '/models/trips/versions/1/promote', { reason: 'the first one' });
    await on.api.drained();
  });

  it('shows its drift as a chart over the weeks, with a table of the same values and their meaning', async () => {
    const [before = '', last = ''] = [2, 1].map((ago) => weeksBefore(weekOf(new Date().toISOString()), ago));
    await recordedIn(on.api, before, 'trips', LIKE_TRAINING, 0.95);
    const others = LIKE_TRAINING.map((_, n) => `The invoice number ${n} charges twice for my broken lamp, refund it`);
    await recordedIn(on.api, last, 'trips', others, 0.55);
    await on.page.goto('/console/models/trips?tab=drift');
    await on.page.getByRole('img', { name: /^Population stability index of 2 weeks/ }).waitFor();
    await on.page.locator('.uplot canvas').first().waitFor();
    // With the week and its values, of which the legend says nothing before one points at a week.
    await on.page.locator('.u-over').first().hover();
    const legend = await on.page.locator('.u-legend').first().innerText();
    for (const measure of ['week (UTC)', 'Labels', 'Length', 'Unseen words']) expect(legend).toContain(measure);
    const weeks = on.page.getByRole('region', { name: 'Weeks, newest first' });
    await weeks.getByRole('row', { name: new RegExp(`^${last} 240 .* major$`) }).waitFor();
    await weeks.getByRole('row', { name: new RegExp(`^${before} 240 `) }).waitFor();
    await settled(on.page);
    expect(await violationsOn(on.page, 'a model with drift')).toEqual([]);
  });

  it('shows a lineage that starts with every dataset of its training', async () => {
    await on.page.goto('/console/models/trips?tab=lineage');
    const graph = on.page.getByRole('group', { name: /^Lineage/ });
    for (const name of ['dataset trips/1', 'dataset more-trips/1', 'version of a model trips@1'])
      await graph.getByRole('link', { name, exact: true }).waitFor();
    expect(await graph.getByRole('link', { name: /^training/ }).count()).toBe(1);
  });
});
