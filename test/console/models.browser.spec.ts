import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';
import { fillSystem } from './filled-system.js';

const IMPROVED = {
  ...{ total: 1, count: 1 },
  improvements: [
    {
      ...{ id: 'i1', model: 'tickets', status: 'done', outcome: 'rejected', reason: null, gate: null, forced: null },
      ...{ champion_version: 1, version: null },
    },
  ],
};

const suite = hasChromium() ? describe : describe.skip;

suite('models in the console', () => {
  const on = onAPage();
  beforeAll(async () => {
    await fillSystem(on.api);
    const second = await on.api.call('POST', '/models/tickets/versions', { model_id: 'anneal/encoder-base-v1' });
    expect(second.status).toBeLessThan(300);
  });

  const model = async () => (await on.api.call('GET', '/models/tickets')).body;

  it('get labels, and a shadow that is stopped again, each with a reason', async () => {
    await on.page.goto('/console/models/tickets?tab=versions');
    await on.page.getByRole('button', { name: 'Give version 2 a label' }).click();
    await on.page.getByLabel('Label', { exact: true }).fill('trial');
    await on.page.getByLabel('Reason').fill('to be tried');
    await on.page.getByRole('button', { name: 'Give the label' }).click();
    await on.page.getByRole('cell', { name: 'trial' }).waitFor();
    await on.page.getByRole('button', { name: 'Shadow with version 2' }).click();
    await on.page.getByLabel('Reason').fill('to be compared');
    await on.page.getByRole('dialog').getByRole('button', { name: 'Shadow', exact: true }).click();
    await on.page.getByRole('button', { name: 'Stop the shadow' }).click();
    expect(await model()).toMatchObject({ labels: { trial: 2 }, shadow_version: 2 });
    await on.page.getByLabel('Reason').fill('compared');
    await on.page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await on.page.getByRole('button', { name: 'Stop the shadow' }).waitFor({ state: 'detached' });
    expect(await model()).toMatchObject({ shadow_version: null });
  });

  it('begin their policy with the defaults in force, of which an emptied bound is no longer judged', async () => {
    await on.api.call('POST', '/models', { name: 'fresh' });
    await on.api.call('POST', '/models', { name: 'plain' });
    const defaults = (await on.api.call('PUT', '/models/plain/policy', {})).body;
    await on.page.goto('/console/models/fresh?tab=overview');
    for (const [name, unit] of Object.entries({
      max_f1_drop: 100,
      max_label_drop: 100,
      min_label_rows: 1,
      min_rows: 1,
    }))
      expect([name, await on.page.locator(`input[name=${name}]`).inputValue()]).toEqual([
        name,
        String(defaults[name] * unit),
      ]);
    await on.page.getByLabel('F1 of a label may fall by').fill('');
    await on.page.getByRole('button', { name: 'Save the policy' }).click();
    const fresh = async () => (await on.api.call('GET', '/models/fresh')).body.policy;
    expect(await on.api.until(fresh, (policy) => policy !== null)).toEqual({ ...defaults, max_label_drop: null });
  });

  it('learn from new corrections only, whose number they say', async () => {
    await on.page.goto('/console/models/tickets');
    await on.page.getByText(/^\d+ new corrections?\.$|No answer was corrected/).waitFor();
    await on.page.route('**/models/tickets/improvements*', (route) =>
      route.fulfill({
        json: { ...IMPROVED, improvements: [{ ...IMPROVED.improvements[0], created_at: '2999-01-01T00:00:00.000Z' }] },
      }),
    );
    await on.page.reload();
    await on.page.getByText('No answer was corrected since the last improvement').waitFor();
    expect(await on.page.getByRole('button', { name: 'Learn from corrections' }).isDisabled()).toBe(true);
  });

  it('have a policy in sentences, of which a refused one says why', async () => {
    await on.api.call('PUT', '/models/tickets/policy', { refused_corrections: 'left_out', max_f1_drop: 0.07 });
    await on.page.goto('/console/models/tickets');
    expect(await on.page.getByLabel('F1 may fall by (points)').inputValue()).toBe('7');
    await on.page.getByLabel('After corrections').fill('50');
    await on.page.getByLabel('Weekly at (hour, UTC)').fill('5');
    on.expectsRefusal();
    await on.page.getByRole('button', { name: 'Save the policy' }).click();
    await on.page.getByRole('listitem').getByText('needs weekly_on').waitFor();
    await on.page.getByLabel('Weekly at (hour, UTC)').fill('');
    await on.page.getByText('Corrections, another dataset, speed and size').click();
    await on.page.getByLabel('Model size (MB)').fill('9.5');
    await on.page.getByLabel('A version that passes').selectOption('is put in use');
    await on.page.getByRole('button', { name: 'Save the policy' }).click();
    await on.page
      .getByText('Saved')
      .or(on.page.locator('input[name=improve_after_corrections][value="50"]'))
      .first()
      .waitFor();
    await on.api.drained();
    expect((await model()).policy).toMatchObject({
      improve_after_corrections: 50,
      on_pass: 'promote',
      max_f1_drop: 0.07,
      max_size_bytes: 9_500_000,
      refused_corrections: 'left_out',
    });
  });

  it('have a lineage that arrow keys walk, from the rows to the training job', async () => {
    await on.page.goto('/console/models/tickets?tab=lineage');
    const graph = on.page.getByRole('group', { name: /^Lineage/ });
    await graph.getByRole('link', { name: 'dataset tickets/2' }).focus();
    await on.page.keyboard.press('ArrowRight');
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('heading', { name: 'Loss and F1, by step' }).waitFor();
    expect(new URL(on.page.url()).pathname).toMatch(/^\/console\/training\//);
  });
});
