import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '#models/imported/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { TrainingClient } from '#test/support/training-client.js';
import { describeWith, torchForTests } from '#test/torch/environment.js';
import { makeTinyDecoders } from '#test/torch/tiny-decoder.js';
import { trainingPython } from '#test/torch/training-python.js';
import { enginesWith } from '../engines.js';

const EPOCHS = 20;
const QUESTION = 'Order 100 goes to Paris.';
const ANSWER = '{"order": 100, "city": "Paris"}';
/** The same chat in several rows, so that the held-out one is learned too. */
const row = {
  messages: [
    { role: 'user', content: QUESTION },
    { role: 'assistant', content: ANSWER },
  ],
};

await describeWith('trainings by two processes', torchForTests, ({ enginesDir, python }) => {
  let folder: string;
  let api: TestApi;
  let client: TrainingClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-processes-'));
    const modelsDir = join(folder, 'models');
    const tiny = { chat: join(folder, 'chat'), text: join(folder, 'text') };
    await Promise.all(Object.values(tiny).map((path) => mkdir(path)));
    await makeTinyDecoders(python, tiny);
    await Array.fromAsync(importModel(tiny.chat, { id: 'test/tiny', licence: null }, modelsDir));
    api = await startTestApi(
      { modelsDir, enginesDir },
      { engines: enginesWith([modelsDir], [enginesDir], null, { processes: 2 }) },
    );
    client = new TrainingClient(api);
    const rows = Array.from({ length: 12 }, () => JSON.stringify(row)).join('\n');
    await uploadDataset(api, { dataset_name: 'orders', dataset_type: 'decoder', filename: 'a.jsonl' }, rows);
  });
  afterAll(async () => {
    await api?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('end an attempt when the second process is killed, resume with two, and serve what they learned', async () => {
    const { id } = await client.start({
      ...{ base_model: 'test/tiny', datasets: [{ name: 'orders' }], nr_epochs: EPOCHS },
      ...{ learning_rate: 1e-2, batch_size: 4, early_stopping_patience: 0 },
    });
    await api.until(
      () => client.checkpoints(id),
      (checkpoints) => checkpoints.length > 0,
    );
    const { others } = await trainingPython();
    expect(others).toHaveLength(1);
    process.kill(others[0]!, 'SIGKILL');
    const job = await client.ended(id);
    expect([job.status, job.error_message]).toEqual(['complete', null]);
    const { logs } = (await api.call('GET', `/felix/training-jobs/${id}/logs`)).body;
    const messages = (logs as { message: string }[]).map(({ message }) => message);
    expect(messages).toEqual(expect.arrayContaining([expect.stringMatching(/Process 1 of this training ended/)]));
    expect(messages).toEqual(expect.arrayContaining([expect.stringMatching(/^Going on from epoch [1-9]/)]));
    const epochs = (await client.checkpoints(id)).map(({ epoch }) => epoch).toSorted((a, b) => a - b);
    expect(epochs).toEqual(Array.from({ length: EPOCHS }, (_, index) => index + 1));

    const chat = { model: id, messages: row.messages.slice(0, 1), max_tokens: 60, temperature: 0 };
    // On a busy machine the model loads for longer than a call waits.
    const { body } = await eventually(
      () => api.call('POST', '/v1/chat/completions', chat),
      ({ status }) => status !== 425,
    );
    expect(body.choices?.[0].message.content ?? body).toBe(ANSWER);
  });
});
