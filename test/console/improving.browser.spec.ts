import { TrainingClient } from '#test/support/training-client.js';
import { hasChromium } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('improving a model in the console', () => {
  let filled: FilledSystem;
  const on = onAPage();
  beforeAll(async () => {
    filled = await fillSystem(on.api);
  });

  it('shows confusions after a training, and the rows that the model gets wrong', async () => {
    await on.page.goto(`/console/training/${filled.jobId}?tab=mistakes`);
    await on.page.getByRole('heading', { name: 'What is taken for what' }).waitFor();
    await on.page
      .getByRole('region', { name: /confus|taken for/i })
      .first()
      .waitFor();
    await on.page.getByRole('heading', { name: 'Rows that it gets wrong' }).waitFor();
  });

  it('makes a dataset of the corrections of its calls', async () => {
    await on.page.goto('/console/datasets/new');
    await on.page.getByRole('button', { name: 'Collect corrections of answers' }).click();
    await on.page.getByLabel('Name of the dataset').fill('corrected');
    await on.page.reload();
    expect(await on.page.getByLabel('Name of the dataset').inputValue()).toBe('corrected');
    await on.page.getByRole('button', { name: 'Collect', exact: true }).click();
    await on.page.getByRole('heading', { name: 'corrected, version 1' }).waitFor();
    await on.page.getByText('Class: account').waitFor();
  });

  it('waits on Home after the gate refused, until it is forced past the gate with a reason', async () => {
    await on.api.call('PUT', '/models/tickets/policy', { min_corrections: 100 });
    await on.page.goto('/console/models/tickets');
    await on.page.getByRole('button', { name: 'Learn from corrections' }).click();
    const force = on.page.getByRole('button', { name: 'Take it all the same' });
    await force.waitFor();
    // Each figure has its unit.
    await on.page
      .getByRole('region', { name: 'Rules of the gate' })
      .getByRole('cell', { name: '100 rows' })
      .first()
      .waitFor();
    await on.api.drained();
    const waiting = on.page
      .getByRole('listitem')
      .filter({ hasText: 'the gate refused what was learned from corrections' });
    await on.page.goto('/console/');
    await waiting.waitFor();
    await waiting.getByRole('link', { name: 'See tickets' }).click();
    await force.click();
    await on.page.getByLabel('Reason').fill('seen by two people');
    await on.page.getByRole('button', { name: 'Take it', exact: true }).click();
    await on.page.getByText('Taken past the gate: seen by two people').waitFor();
    await on.page.getByRole('button', { name: 'Promote version 2' }).waitFor();
    await on.api.drained();
    await on.page.goto('/console/');
    await on.page.getByRole('heading', { name: 'Waiting for you' }).waitFor();
    expect(await waiting.count()).toBe(0);
  });

  it('is cancelled while its training waits for another one', async () => {
    const training = new TrainingClient(on.api);
    // The jobs have all room of the runner, the second one that for a small one, for longer than the test takes on any machine.
    const jobs = Object.entries({ long: 200, beside: 70 }).map(([model_name, nr_epochs]) =>
      training.start({
        ...{ model_name, base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'tickets' }] },
        ...{ nr_epochs, early_stopping_patience: 0 },
      }),
    );
    for (const { id } of await Promise.all(jobs)) await training.until(id, ({ status }) => status === 'running');
    await on.api.call('PUT', '/models/tickets/policy', {});
    // The page offers none where all corrections were learned.
    expect((await on.api.call('POST', '/models/tickets/improve', {})).status).toBe(200);
    await on.page.goto('/console/models/tickets');
    await on.page.getByRole('button', { name: 'Cancel it' }).click();
    const newest = on.page.getByRole('listitem').filter({ hasText: 'against version' }).first();
    await newest.getByText('cancelled', { exact: true }).waitFor();
    await on.page.getByRole('button', { name: 'Cancel it' }).waitFor({ state: 'detached' });
    const { improvements } = (await on.api.call('GET', '/models/tickets/improvements')).body;
    expect(improvements[0]).toMatchObject({ status: 'cancelled', version: null });
    for (const { id } of await Promise.all(jobs)) await on.api.call('POST', `/felix/training-jobs/${id}/stop`);
  });
});
