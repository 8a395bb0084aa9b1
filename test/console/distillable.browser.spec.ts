import { startHostedApi, type HostedApi } from '#test/support/hosted-api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { answers } from '#test/support/scripted-answers.js';
import type { Act } from '#test/support/scripted-provider.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const SORT = 'Name the queue of this mail: billing or delivery.';
/** Answers by what the mail says. */
const sorts: Act = (response, request) => {
  const text = (request.body as { messages: { content: string }[] }).messages.at(-1)!.content;
  return answers(text.includes('charged') ? 'billing' : 'delivery')(response, request);
};

suite('what a small model could answer, in the console', () => {
  let system: HostedApi;
  const on = onAPage(async () => {
    const started = await startHostedApi();
    system = started;
    return { ...started.api, close: () => started.close() };
  });

  it('teaches what a task is, where there is none', async () => {
    await on.page.goto('/console/models');
    await on.page.getByRole('link', { name: 'What a small model could answer' }).click();
    await on.page.getByText('A task is one prompt that is sent again and again').waitFor();
    await on.page.getByText('There are no recorded calls of large models in this time.').waitFor();
  });

  it('lists tasks with their cost, and begins a model with the calls that were looked at', async () => {
    system.openai.script(sorts);
    for (let at = 0; at < 70; at += 1) {
      const said = at % 2 === 0 ? 'My card was charged for the lamp' : 'The parcel never came to my house';
      const messages = [
        { role: 'system', content: SORT },
        { role: 'user', content: `${said} ${['today', 'again', 'in May'][at % 3]}, order ${1_000 + at * 7}` },
      ];
      expect((await on.api.call('POST', '/v1/chat/completions', { model: 'acme/chat', messages })).status).toBe(200);
    }
    await on.api.drained();
    await on.page.goto('/console/distillable');
    await on.page.getByText('for 1 repeated task').waitFor();
    await on.page.getByRole('button', { name: `Distil a model: ${SORT}` }).click();
    const learned = on.page.getByRole('region', { name: 'What a model would learn' });
    await learned.getByText('billing, delivery').or(learned.getByText('delivery, billing')).waitFor();
    await on.page.getByText('70 calls of acme/chat').waitFor();
    await on.page.getByLabel('Name that programs call').fill('mails');
    await on.page.getByLabel('Agrees with acme/chat in at least').selectOption('0.98');
    await on.page.getByRole('button', { name: 'Distil a model', exact: true }).click();
    const begun = on.page.getByRole('region', { name: 'Distillations of mails' });
    await begun.getByText(/learning from the calls was refused: .* 149 at the least/).waitFor();
    const { distillations } = (await on.api.call('GET', '/models/mails/distillations')).body;
    const { tasks } = (await on.api.call('GET', '/distillable')).body;
    expect(tasks).toHaveLength(1);
    expect(distillations).toMatchObject([
      { teacher: 'acme/chat', task: tasks[0].id, target_agreement: 0.98, status: 'refused' },
    ]);
    expect(distillations[0].since).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/);
  });

  it('has the model label texts of a dataset, where its calls are too few', async () => {
    system.openai.script(sorts);
    const prompt = 'Is this mail about money (billing) or about a parcel (delivery)? One word.';
    const textOf = (at: number) =>
      `${at % 2 === 0 ? 'I was charged twice' : 'It never came'} ${['at noon', 'again', 'in June'][at % 3]}, number ${500 + at * 11}`;
    for (let at = 0; at < 12; at += 1) {
      const messages = [
        { role: 'system', content: prompt },
        { role: 'user', content: textOf(at) },
      ];
      expect((await on.api.call('POST', '/v1/chat/completions', { model: 'acme/chat', messages })).status).toBe(200);
    }
    const rows = Array.from({ length: 30 }, (_, at) => JSON.stringify({ text: textOf(12 + at), label: 'unknown' }));
    const dataset = { dataset_type: 'classification', format: 'jsonl' };
    for (const name of ['unlabelled-mails', 'mails-that-go'])
      await uploadDataset(on.api, { dataset_name: name, ...dataset }, rows.join('\n'));
    await on.api.drained();
    await on.page.goto('/console/distillable?days=7');
    await on.page.getByRole('button', { name: `Look closer: ${prompt}` }).click();
    await on.page.getByRole('heading', { name: 'Why no small model can do it yet' }).waitFor();
    await on.page.getByText('47 more calls').waitFor();
    await on.page.getByLabel('Name that programs call').fill('money');
    const texts = on.page.getByLabel('Texts to label');
    await texts.selectOption('mails-that-go');
    await on.page.getByLabel('At most (US dollars)').fill('5');
    await on.page
      .getByText(/^30 texts at \$0\.\d+ each, .*: about \$0\.\d+\. Texts that its calls had before/)
      .waitFor();
    await on.page.getByLabel('At most (US dollars)').fill('0.0001');
    await on.page.getByText(/\$0\.0001 pays for about \d+ of them\.$/).waitFor();
    expect((await on.api.call('DELETE', '/felix/datasets/mails-that-go')).status).toBe(200);
    on.expectsRefusal();
    await on.page.getByRole('button', { name: 'Distil a model', exact: true }).click();
    await on.page.getByRole('alert').getByText('mails-that-go').waitFor();
    await texts.selectOption('unlabelled-mails');
    await on.page.getByLabel('At most (US dollars)').fill('5');
    await on.page.getByRole('button', { name: 'Distil a model', exact: true }).click();
    const begun = on.page.getByRole('region', { name: 'Distillations of money' });
    await begun
      .getByText(/the teacher was asked about 30 texts of unlabelled-mails\/1; .* was refused: 42 calls/)
      .waitFor();
    const { distillations } = (await on.api.call('GET', '/models/money/distillations')).body;
    expect(distillations[0].labelling).toMatchObject({ budget: 5, labelled: 30, not_labelled: 0 });
  });

  it('says why no small model can do a task, by name', async () => {
    system.openai.script((response, request) =>
      answers(`Dear customer, thank you for letter ${Math.random()} about your very own words.`)(response, request),
    );
    for (let at = 0; at < 12; at += 1) {
      const messages = [
        { role: 'system', content: 'Write a friendly letter about what the customer says.' },
        { role: 'user', content: `It ${['came', 'broke', 'vanished'][at % 3]} on day ${at * 13}, what now?` },
      ];
      expect((await on.api.call('POST', '/v1/chat/completions', { model: 'acme/chat', messages })).status).toBe(200);
    }
    await on.api.drained();
    await on.page.goto('/console/distillable?days=7&model=acme/chat');
    await on.page.getByRole('button', { name: 'Why not: Write a friendly letter' }).click();
    const doubts = on.page.getByRole('list', { name: 'What speaks against it' });
    await doubts.getByText('free text').waitFor();
    expect(await doubts.getByRole('listitem').count()).toBe(1);
    expect(await on.page.getByLabel('Name that programs call').count()).toBe(0);
  });
});
