import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the confusions of a job', () => {
  const on = onAPage();

  it('lead from each number to the rows that it counts', async () => {
    // Nothing in these texts tells their labels apart, so that about half of the held-out rows are confused.
    const rows = Array.from({ length: 200 }, (_, at) => ({
      text: `Ticket ${at} came in`,
      label: (at * 7919) % 13 < 6 ? 'late' : 'lost',
    }));
    await uploadDataset(on.api, { dataset_name: 'coins' }, rows.map((row) => JSON.stringify(row)).join('\n'));
    const training = new TrainingClient(on.api);
    const { id } = await training.start({
      ...{ model_name: 'coins', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'coins' }] },
      nr_epochs: 1,
    });
    await training.ended(id);
    await training.automaticEvaluation(id);
    await on.page.goto(`/console/training/${id}?tab=mistakes`);
    const cell = on.page.getByRole('button', { name: /^Show the \d+ rows: .+ was answered as/ }).first();
    const [, shown, expected, predicted] = /^Show the (\d+) rows: (\w+) was answered as (\w+)$/.exec(
      (await cell.getAttribute('aria-label')) ?? '',
    )!;
    await cell.click();
    await on.page.getByRole('heading', { name: `Rows in which ${expected} was answered as ${predicted}` }).waitFor();
    await on.page.getByText(`${shown} rows.`).waitFor();
    await on.page.getByRole('button', { name: 'Show all wrong rows' }).click();
    await on.page.getByRole('heading', { name: 'Rows that it gets wrong' }).waitFor();
  });
});
