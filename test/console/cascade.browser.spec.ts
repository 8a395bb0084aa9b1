import { startHostedApi, type HostedApi } from '#test/support/hosted-api.js';
import { askTicket, endedDistillation, sortsTickets, tickets } from '#test/support/tickets.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('a distilled name in the console', () => {
  let system: HostedApi;
  const on = onAPage(async () => {
    system = await startHostedApi();
    return { ...system.api, close: () => system.close() };
  });
  const next = tickets(7);
  const ask = async (model: string, times: number): Promise<string> => {
    let id = '';
    for (let at = 0; at < times; at += 1) {
      const { body } = await askTicket(on.api, model, next().text);
      id = body.x_pioneer.inference_id as string;
    }
    await on.api.drained();
    return id;
  };

  it('shows what it saves, and of a call who answered it and why', async () => {
    sortsTickets(system);
    await ask('acme/chat', 150);
    const order = { teacher: 'acme/chat', target_agreement: 0.9, audit_share: 0 };
    const { body: begun } = await on.api.call('POST', '/models/sorted/distil', order);
    const ended = await endedDistillation(on.api, begun.id as string);
    expect(ended.status).toBe('in_use');
    const call = await ask('sorted', 3);

    await on.page.goto('/console/models/sorted');
    await on.page.getByRole('heading', { name: /^Savings of the last/ }).waitFor();
    await on.page.getByText('0 of 3').waitFor();
    await on.page.getByText('The version in use was distilled').waitFor();
    expect(await on.page.getByRole('button', { name: 'Learn from corrections' }).count()).toBe(0);
    await on.page.getByRole('button', { name: 'Distil again' }).click();
    await on.page.getByText('Began to distil sorted again.').waitFor();
    const { distillations } = (await on.api.call('GET', '/models/sorted/distillations')).body;
    expect(distillations).toMatchObject([
      { teacher: 'acme/chat', target_agreement: 0.9, audit_share: 0, task: ended.task, since: null },
      { id: ended.id },
    ]);

    const policyOf = async () => (await on.api.call('GET', '/models/sorted')).body.policy;
    const { cascade } = await policyOf();
    await on.page.reload();
    on.expectsRefusal();
    await on.page.getByLabel('Agreement (percent)').fill('99');
    await on.page.getByRole('button', { name: 'Save the policy' }).click();
    await on.page.getByRole('listitem').getByText('is not shown by the distillation').waitFor();
    await on.page.getByLabel('Agreement (percent)').fill('90');
    await on.page.getByLabel('Where the teacher fails').selectOption('student');
    await on.page.getByRole('button', { name: 'Save the policy' }).click();
    await on.page.getByText('Saved the policy of sorted.').waitFor();
    expect((await policyOf()).cascade).toEqual({ ...cascade, teacher_down: 'student' });

    // A teacher that has left the catalog stays with a policy of which something else is changed, until nobody is to be asked.
    await on.page.route('**/base-models?*', (route) => route.fulfill({ json: { models: [], count: 0 } }));
    await on.page.reload();
    await on.page.getByText('acme/chat is no model here any more.').waitFor();
    await on.page.getByLabel('After corrections').fill('50');
    const sent = on.page.waitForRequest((request) => request.method() === 'PUT');
    await on.page.getByRole('button', { name: 'Save the policy' }).click();
    expect((await sent).postDataJSON()).not.toHaveProperty('cascade');
    await on.page.getByText('Saved the policy of sorted.').waitFor();
    expect((await policyOf()).cascade).toEqual({ ...cascade, teacher_down: 'student' });
    await on.page.getByRole('button', { name: 'Ask no teacher' }).click();
    await on.page.getByRole('button', { name: 'Save the policy' }).click();
    const freed = await on.api.until(policyOf, (policy) => policy.cascade === null);
    expect(freed).toMatchObject({ improve_after_corrections: 50, cascade: null });
    await on.page.goto(`/console/history/${call}`);
    await on.page.getByText('The teacher: the first calls are compared.').waitFor();
    await on.page.getByText(/The small model was .+% certain/).waitFor();
  });
});
