import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { begins, startScriptedProvider, streams, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { TrainingClient } from '#test/support/training-client.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;
const BASE = 'anneal/encoder-base-v1';

suite('the playground of the console', () => {
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  const on = onAPage(async () => {
    provider = await startScriptedProvider();
    hosted = await hostedSettings(provider.url);
    const api = await startTestApi(hosted.values);
    await trainTrips(api);
    return api;
  });
  afterAll(async () => {
    await hosted?.remove();
    await provider?.close();
  });

  const open = (model: string) => on.page.goto(`/console/playground?model=${encodeURIComponent(model)}`);
  const answers = (model: string | RegExp) =>
    on.page.locator('section', { has: on.page.getByRole('heading', { name: model }) });
  const text = () => on.page.getByRole('textbox', { name: 'Text', exact: true });
  /** Bodies of the calls of the on.page. */
  function callsOf(path: string): unknown[] {
    const calls: unknown[] = [];
    on.page.on('request', (request) => {
      if (new URL(request.url()).pathname === path) calls.push(request.postDataJSON());
    });
    return calls;
  }

  it('asks about many pasted texts in one call, and offers the last texts again', async () => {
    const calls = callsOf('/inference');
    await open(BASE);
    await on.page.getByLabel('Entities', { exact: true }).fill('person');
    await text().fill('Then Maria Lopez wrote to us.');
    await on.page.locator('mark', { hasText: 'Maria' }).waitFor();
    await on.page.getByLabel('Many texts, one a line').check();
    await text().fill('Maria Lopez came.\n\nNobody called.');
    await on.page.getByRole('button', { name: 'Ask about 2 texts' }).click();
    const row = on.page.getByRole('row').filter({ hasText: 'Maria' });
    await row.locator('mark').waitFor();
    expect(calls.at(-1)).toMatchObject({ text: ['Maria Lopez came.', 'Nobody called.'] });
    await on.page.getByText('Your last texts in this tab').click();
    await on.page.getByRole('button', { name: 'Then Maria Lopez wrote to us.' }).click();
    expect(await text().inputValue()).toBe('Then Maria Lopez wrote to us.');
    await on.page.getByLabel('Many texts, one a line').uncheck();
  });

  it('draws the entities of a typed text, filters them with one more call, and shows the call as code', async () => {
    const calls = callsOf('/inference');
    await open(BASE);
    await on.page.getByLabel('Entities', { exact: true }).fill('person');
    await text().fill('Then 🙂 Maria Lopez wrote to us.');
    const entity = on.page.locator('mark', { hasText: 'Maria' });
    await entity.waitFor();
    expect(await entity.innerText()).toMatch(/^Maria( Lopez)?\s*person$/);
    expect(calls).toHaveLength(1);
    const asked = on.page.waitForResponse((response) => new URL(response.url()).pathname === '/inference');
    await on.page.getByLabel(/^Threshold/).fill('1');
    await entity.waitFor({ state: 'detached' });
    await asked;
    await on.page.getByLabel(/^Threshold/).fill('0.99');
    await on.page.getByRole('button', { name: "Use the model's own threshold" }).click();
    await entity.waitFor();
    expect(calls).toHaveLength(2);
    await on.page.getByRole('button', { name: 'Copy as code' }).click();
    await on.page.getByLabel('Language').selectOption('Python');
    expect(await on.page.getByLabel('The call in Python').innerText()).toContain('Maria');
  });

  it('asks two models side by side, and a reload keeps text, schema and models', async () => {
    await open(BASE);
    await on.page.getByLabel('Entities', { exact: true }).fill('city');
    await on.page.getByText('Descriptions (optional)').click();
    await on.page.getByLabel('What city means').fill('a town of any size');
    await text().fill('Anna wants to fly to Paris');
    await on.page.getByLabel('Beside it').selectOption('trips');
    await answers('trips').locator('mark').waitFor();
    await answers(/encoder/i)
      .getByText(/entit(y|ies)$/)
      .waitFor();
    await on.page.reload();
    await answers('trips').locator('mark').waitFor();
    await answers(/encoder/i)
      .getByText(/entit(y|ies)$/)
      .waitFor();
    expect(await text().inputValue()).toBe('Anna wants to fly to Paris');
    await on.page.getByText('Descriptions (optional)').click();
    expect(await on.page.getByLabel('What city means').inputValue()).toBe('a town of any size');
  });

  it('builds a schema of all four heads, which a trained model answers', async () => {
    const calls = callsOf('/inference');
    await open('trips');
    await on.page.getByLabel('Entities', { exact: true }).fill('city');
    await on.page.getByRole('button', { name: 'Add classes' }).click();
    await on.page.getByLabel('Name of the question').fill('topic');
    await on.page.getByLabel('Classes', { exact: true }).fill('travel, booking');
    await on.page.getByRole('button', { name: 'Add a structure' }).click();
    await on.page.getByLabel('Name of the structure').fill('trip');
    await on.page.getByLabel('Field 1', { exact: true }).fill('who');
    await on.page.getByLabel('Relations', { exact: true }).fill('flies_to');
    await text().fill('Anna wants to fly to Oslo');
    await on.page
      .getByRole('listitem')
      .filter({ hasText: /^Anna→flies_to→Oslo$/ })
      .waitFor();
    await on.page
      .getByRole('listitem')
      .filter({ hasText: /^tripwhoAnna$/ })
      .waitFor();
    await on.page.getByRole('term').filter({ hasText: 'topic' }).waitFor();
    expect(calls.at(-1)).toMatchObject({
      schema: {
        entities: ['city'],
        classifications: [{ task: 'topic', labels: ['travel', 'booking'] }],
        structures: { trip: { fields: [{ name: 'who', dtype: 'str' }] } },
        relations: { flies_to: null },
      },
    });
  });

  it('corrects an answer in place, although its call was not recorded', async () => {
    await open(BASE);
    await on.page.getByLabel('Entities', { exact: true }).fill('airline, city');
    await text().fill('Zorb flew.');
    await on.page.getByRole('button', { name: 'Correct this answer' }).click();
    await on.page.getByRole('listbox', { name: 'Text to label' }).waitFor();
    await on.page.keyboard.press('Home');
    await on.page.keyboard.press('1');
    await on.page.keyboard.press('Control+Enter');
    await on.page.getByText('Saved.').waitFor();
    const address = await on.page.getByRole('link', { name: 'Open the call' }).getAttribute('href');
    const { body } = await on.api.call('GET', `/inferences/${address!.split('/').at(-1)}/feedback`);
    expect(body.human_corrected_output.entities.airline).toEqual([{ text: 'Zorb', start: 0, end: 4 }]);
  });

  it('records no correction that changes nothing, but that the answer is right if its reader says so', async () => {
    await open(BASE);
    await on.page.getByLabel('Entities', { exact: true }).fill('airline');
    await text().fill('Zorb flew to Rome.');
    await on.page.getByRole('button', { name: 'Correct this answer' }).click();
    const labelled = on.page.getByRole('listbox', { name: 'Text to label' });
    await labelled.waitFor();
    await on.page.keyboard.press('Control+Enter');
    await on.page.getByText('This is the answer as the model gave it').waitFor();
    const address = await on.page.getByRole('link', { name: 'Open the call' }).getAttribute('href');
    const feedback = `/inferences/${address!.split('/').at(-1)}/feedback`;
    expect((await on.api.call('GET', feedback)).status).toBe(404);
    await on.page.getByRole('button', { name: 'It is right' }).click();
    await on.page.getByText('Saved.').waitFor();
    expect((await on.api.call('GET', feedback)).body.human_verdict).toBe('correct');
  });

  it('chats with a decoder, whose answer streams, continues after a reload, and shows the call as code', async () => {
    await open('acme/chat');
    await on.page.getByLabel('System message (optional)').fill('Be brief.');
    provider.script(streams('Hello from the provider'));
    await on.page.getByLabel('Message', { exact: true }).fill('Who are you?');
    await on.page.keyboard.press('Enter');
    await on.page.getByText('Hello from the provider').waitFor();
    await on.page.getByRole('button', { name: 'Send' }).waitFor();
    await on.page.reload();
    await on.page.getByText('Hello from the provider').waitFor();
    provider.script(streams('Still here'));
    await on.page.getByLabel('Message', { exact: true }).fill('And now?');
    await on.page.keyboard.press('Enter');
    await on.page.getByText('Still here').waitFor();
    expect(provider.seen.at(-1)!.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'Hello from the provider' },
      { role: 'user', content: 'And now?' },
    ]);
    await on.page.getByRole('button', { name: 'Copy as code' }).click();
    const code = await on.page.getByLabel('The call in curl').innerText();
    expect(code).toContain('/v1/chat/completions');
    expect(code).toContain('And now?');
    expect(code).not.toContain('Still here');
  });

  it('stops an answer while it streams, and keeps the text so far', async () => {
    await open('acme/chat');
    provider.script(begins('A long beginning', 'hang'));
    await on.page.getByLabel('Message', { exact: true }).fill('Tell me everything.');
    await on.page.keyboard.press('Enter');
    await on.page.getByText('A long beginning').waitFor();
    await on.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await on.page.getByRole('button', { name: 'Send' }).waitFor();
    await on.page.getByText('A long beginning').waitFor();
    expect(await on.page.getByRole('alert').count()).toBe(0);
  });
});

/** A model of the name `trips` that finds entities, classes, records and relations. */
async function trainTrips(api: TestApi): Promise<void> {
  const rows = Array.from({ length: 60 }, (_, row) => {
    const [who, city] = [['Anna', 'Boris', 'Chen', 'Dora'][row % 4]!, ['Paris', 'Lima', 'Oslo'][row % 3]!];
    return JSON.stringify({
      text: `${who} wants to fly to ${city}`,
      entities: [[city, 'city']],
      label: row % 2 ? 'travel' : 'booking',
      json_structures: [{ trip: { who } }],
      relations: [{ flies_to: { head: who, tail: city } }],
    });
  });
  await uploadDataset(api, { dataset_name: 'trips' }, rows.join('\n'));
  const training = new TrainingClient(api);
  const { id } = await training.start({
    model_name: 'trips',
    base_model: BASE,
    datasets: [{ name: 'trips' }],
    nr_epochs: 2,
  });
  await training.ended(id);
  for (const [method, path, body] of [
    ['POST', '/models', { name: 'trips' }],
    ['POST', '/models/trips/versions', { training_job_id: id }],
    ['PUT', '/models/trips/versions/1/promote', { reason: 'the first one' }],
  ] as const) {
    const { status } = await api.call(method, path, body);
    expect(status).toBeLessThan(300);
  }
  await api.drained();
}
