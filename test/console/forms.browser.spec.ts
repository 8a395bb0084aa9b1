import { readFileSync } from 'node:fs';
import { startTestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { trips } from '#test/support/trips.js';
import { answersWith, startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.js';
import { CHROMIUM, hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite(hasChromium() ? 'the forms of the console' : `the forms: skipped: there is no ${CHROMIUM}`, () => {
  let receiver: WebhookReceiver;
  const on = onAPage(async () => {
    receiver = await startWebhookReceiver();
    return startTestApi({ rateLimits: false, webhookOrigins: [receiver.origin] });
  });
  afterAll(() => receiver?.close());

  it('make a webhook, show its secret once, send a test, send it again after a failure, rotate and delete', async () => {
    await on.page.goto('/console/webhooks');
    await on.page.getByRole('button', { name: 'New webhook' }).click();
    await on.page.getByRole('textbox', { name: 'Address', exact: true }).fill(`${receiver.origin}/hooks`);
    await on.page.getByRole('button', { name: 'None', exact: true }).click();
    await on.page.getByText('0 of 19').waitFor();
    await on.page.getByRole('button', { name: 'All', exact: true }).click();
    await on.page.getByLabel('A dataset can be used').uncheck();
    await on.page.getByText('18 of 19').waitFor();
    await on.page.getByRole('button', { name: 'Add webhook' }).click();
    const secret = await on.page.getByLabel('The signing secret').innerText();
    expect(secret).toMatch(/^whsec_/);
    const [made] = (await on.api.call('GET', '/webhooks')).body.webhooks;
    expect(made.types).not.toContain('dataset.ready');
    expect(made.types).toContain('model.promoted');

    await on.page.getByRole('link', { name: `${receiver.origin}/hooks` }).click();
    receiver.answer = answersWith(500);
    await on.page.getByRole('button', { name: 'Send a test' }).click();
    await on.page.getByText('500 (not 2xx)').waitFor();
    await on.page.getByText('Messages do not arrive').waitFor();
    receiver.answer = answersWith(204);
    await on.page.getByRole('button', { name: 'Send webhook.test again' }).click();
    await on.page.getByText('Messages arrive').waitFor();

    await on.page.getByRole('button', { name: 'Rotate the secret' }).click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
    expect(await dialog.getByLabel('The new signing secret').innerText()).not.toBe(secret);
    await dialog.getByRole('button', { name: 'Done' }).click();

    await on.page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText(`${receiver.origin}/hooks is told nothing more`).waitFor();
    await dialog.getByRole('button', { name: 'Delete this webhook' }).click();
    await on.page.getByText('Nothing is told to anybody yet').waitFor();
    expect((await on.api.call('GET', '/webhooks')).body.total).toBe(0);
  });

  const send = async (name: string, content: string): Promise<void> => {
    await on.page.goto('/console/batches');
    await on.page.getByRole('button', { name: 'New batch' }).click();
    await on.page.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
  };

  it('send a file of requests as a batch, show how far it is, and give its answers', async () => {
    const requests = ['late', 'lost'].map((input) =>
      JSON.stringify({
        ...{ custom_id: input, method: 'POST', url: '/v1/embeddings' },
        body: { model: 'anneal/embedder-base-v1', input },
      }),
    );
    await send('words.jsonl', requests.join('\n'));
    await on.page.getByText('Requests of POST /v1/embeddings.').waitFor();
    await on.page.getByRole('button', { name: 'Start the batch' }).click();
    await on.page.getByText('2 of 2').waitFor();
    const [download] = await Promise.all([
      on.page.waitForEvent('download'),
      on.page.getByRole('link', { name: 'Answers of words.jsonl' }).click(),
    ]);
    const answers = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(answers.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id).toSorted()).toEqual([
      'late',
      'lost',
    ]);
  });

  it('ask one model about a file of texts, and say which of its lines have no text', async () => {
    await send('texts.txt', 'My card is lost\nWhere is my parcel?\n');
    await on.page.getByRole('combobox', { name: 'Model', exact: true }).fill('nobody/knows');
    await on.page.getByRole('button', { name: 'Start the batch' }).click();
    await on.page.getByRole('link', { name: 'Errors of texts.txt' }).waitFor();
    await on.page.getByText('0 of 2, 2 without an answer').waitFor();
    await send('objects.jsonl', '{"text": "a"}\n{"label": "b"}\n');
    await on.page.getByRole('combobox', { name: 'Model', exact: true }).fill('nobody/knows');
    await on.page.getByRole('button', { name: 'Start the batch' }).click();
    await on.page.getByText('Line 2 has no text').waitFor();
  });

  const erase = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    for (const [label, value] of Object.entries(fields)) await on.page.getByLabel(label, { exact: true }).fill(value);
    await on.page.getByRole('button', { name: 'Erase…' }).click();
  };

  it("erase a person's calls after saying what is lost, and show and give the certificate", async () => {
    const ids: string[] = [];
    for (const user of ['person-7', 'person-7', 'somebody-else']) {
      const { body } = await on.api.call('POST', '/v1/embeddings', {
        model: 'anneal/embedder-base-v1',
        input: 'lost',
        user,
      });
      ids.push(body.x_pioneer.inference_id as string);
    }
    await on.api.drained();
    await on.page.goto('/console/contents?erase=subject');
    await erase({ 'Data subject': 'person-7', 'Reason to erase': 'a request of article 17' });
    const dialog = on.page.getByRole('dialog');
    await dialog.getByText('person-7').waitFor();
    await dialog.getByText('lost for good').waitFor();
    await dialog.getByRole('button', { name: 'Erase all calls of a person' }).click();
    await on.page.getByText('Erased: 2 contents').waitFor();
    const [download] = await Promise.all([
      on.page.waitForEvent('download'),
      on.page.getByRole('button', { name: 'Download the certificate' }).click(),
    ]);
    const certificates = JSON.parse(readFileSync(await download.path(), 'utf8')) as { inference_id: string }[];
    expect(certificates.map((each) => each.inference_id).toSorted()).toEqual(ids.slice(0, 2).toSorted());
  });

  it('set how long contents are kept, which Contents then says in a sentence', async () => {
    await on.page.goto('/console/settings');
    await on.page.getByLabel('Logs of training jobs (days)').fill('90');
    await on.page.getByRole('button', { name: 'Set the days' }).click();
    await on.page.getByRole('status').getByText('Set how long contents are kept.').waitFor();
    await on.page.goto('/console/contents');
    await on.page.getByText('logs of training jobs 90 days').waitFor();
  });

  it('only propose an erasure where two people are wanted for it', async () => {
    await uploadDataset(on.api, { dataset_name: 'gone' }, trips(12));
    const session = { authorization: `Bearer ${on.api.session}` };
    await on.api.call('PUT', '/workspace/members', { email: 'grace@example.com', role: 'owner' }, session);
    await on.page.goto('/console/settings');
    await on.page.getByLabel('erase contents').click();
    await on.page.getByText('Each change of this needs another owner too.').waitFor();
    await on.page.goto('/console/contents?erase=dataset');
    await erase({ Dataset: 'gone', Version: '1', 'Reason to erase': 'case 9' });
    const dialog = on.page.getByRole('dialog');
    await dialog.getByText('Nothing is erased until another person confirms it.').waitFor();
    await dialog.getByRole('button', { name: 'Propose to erase gone/1' }).click();
    await dialog.getByRole('alert').waitFor();
    expect((await on.api.call('GET', '/felix/datasets/gone/1')).status).toBe(200);
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await on.page.getByRole('heading', { name: 'Waiting for a second person' }).waitFor();
  });
});
