import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

describe("texts of a model's evaluation", () => {
  let api: TestApi;
  let champion: string;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
    champion = await trained({ datasets: [{ name: 'trips' }], validation_data_percentage: 0.2 });
    await api.call('POST', '/models', { name: 'trips' });
    await api.call('POST', '/models/trips/versions', { training_job_id: champion });
    await api.call('PUT', '/models/trips/versions/1/promote', { reason: 'the first' });
  });
  afterAll(() => api.close());

  const ended = (path: string) =>
    api.until(
      () => api.call('GET', path),
      ({ body }) => ['complete', 'done', 'failed'].includes(body.status),
    );
  const trained = async (fields: object): Promise<string> => {
    const { body } = await api.call('POST', '/felix/training-jobs', { base_model: BASE, nr_epochs: 1, ...fields });
    expect((await ended(`/felix/training-jobs/${body.id}`)).body.status).toBe('complete');
    return body.id;
  };
  const evaluated = async (fields: object) => {
    const { body } = await api.call('POST', '/felix/evaluations', fields);
    return (await ended(`/felix/evaluations/${body.id}`)).body;
  };
  const heldOutTexts = async (): Promise<readonly string[]> => {
    const { predictions } = await evaluated({ base_model: champion, held_out_of: champion });
    return [...new Set<string>(predictions.map(({ text }: { text: string }) => text))];
  };

  /** Rows of the champion with one of these texts. */
  const rowsOf = (texts: readonly string[]): number =>
    trips(60)
      .trim()
      .split('\n')
      .filter((line) => texts.includes((JSON.parse(line) as { text: string }).text)).length;

  it('are never trained on: held-out texts as corrections, texts of the regression dataset as any row', async () => {
    const held = await heldOutTexts();
    const learned = trips(60)
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text)
      .filter((text) => !held.includes(text));
    const checked = learned.slice(0, 6);
    const rows = (texts: readonly string[]) =>
      texts.map((text) => `${JSON.stringify({ text, label: 'travel' })}\n`).join('');
    await uploadDataset(api, { dataset_name: 'checked', filename: 'checked.jsonl' }, rows(checked));
    await api.call('PUT', '/models/trips/policy', { regression_dataset: 'checked' });
    const corrected = ['a cab to the harbour', 'a cab to the mill', `${held[0]!.toUpperCase()}!`, ...held.slice(1)];
    for (const text of corrected) {
      const { body } = await api.call('POST', '/inference', { model_id: 'trips', text });
      const feedback = { verdict: 'incorrect', corrected_output: { classification: 'travel' } };
      expect((await api.call('POST', `/inferences/${body.inference_id}/feedback`, feedback)).status).toBe(200);
    }
    const { body: asked } = await api.call('POST', '/models/trips/improve', {});
    const { body: improvement } = await ended(`/improvements/${asked.id}`);
    expect(improvement).toMatchObject({ status: 'done' });
    const { body: job } = await api.call('GET', `/felix/training-jobs/${improvement.training_job_id}`);
    expect(job.exclude_texts_of).toMatchObject([{ name: 'checked', version: '1' }]);
    expect(job.metrics).toMatchObject({ overlapping_rows: 0, judged_rows: rowsOf(held) + 2 });
    expect(job.metrics.excluded_rows).toBeGreaterThanOrEqual(checked.length);
    await uploadDataset(api, { dataset_name: 'held', filename: 'held.jsonl' }, rows(held));
    for (const dataset_name of ['held', 'checked'])
      expect(await evaluated({ base_model: job.id, dataset_name })).toMatchObject({ overlapping_rows: 0 });
    const { body: log } = await api.call('GET', `/felix/training-jobs/${job.id}/logs`);
    const messages = log.logs.map(({ message }: { message: string }) => message);
    expect(messages).toEqual(
      expect.arrayContaining([
        `${job.metrics.excluded_rows} rows are not trained on: their text is held out or excluded`,
        expect.stringMatching(/^\d+ of them are held out because another row with their text is$/),
        `${rowsOf(held.slice(1))} rows have the labels of a later row with their text`,
      ]),
    );
  });

  it('include those that the version in use excluded, while their datasets exist', async () => {
    const row = (text: string) => `${JSON.stringify({ text, label: 'travel' })}\n`;
    for (const name of ['kept', 'gone', 'newer'])
      await uploadDataset(api, { dataset_name: name, filename: `${name}.jsonl` }, row(`a ship ${name}`));
    const excluded = ['kept', 'gone', 'newer'].map((name) => ({ name }));
    const like = await trained({ datasets: [{ name: 'trips' }], exclude_texts_of: excluded });
    await api.call('POST', '/models', { name: 'heir' });
    await api.call('POST', '/models/heir/versions', { training_job_id: like });
    await api.call('PUT', '/models/heir/versions/1/promote', { reason: 'the first' });
    await api.call('DELETE', '/felix/datasets/gone/1');
    await uploadDataset(api, { dataset_name: 'newer', filename: 'newer.jsonl' }, row('a ship newer still'));
    await uploadDataset(api, { dataset_name: 'said', filename: 'said.jsonl' }, trips(20));
    await api.call('PUT', '/models/heir/policy', { regression_dataset: 'newer', min_rows: 1 });
    const { body: asked } = await api.call('POST', '/models/heir/improve', { dataset_name: 'said' });
    const { body: improvement } = await ended(`/improvements/${asked.id}`);
    expect(improvement).toMatchObject({ status: 'done' });
    const { body: job } = await api.call('GET', `/felix/training-jobs/${improvement.training_job_id}`);
    expect(job.exclude_texts_of).toMatchObject([
      { name: 'newer', version: '2' },
      { name: 'kept', version: '1' },
    ]);
  });

  it('may include all rows of a class, which the model then lacks, but not all rows', async () => {
    const row = (text: string, label: string) => `${JSON.stringify({ text, label })}\n`;
    const many = Array.from({ length: 20 }, (_, at) => row(`parcel ${at} is late`, at % 2 ? 'late' : 'lost')).join('');
    await uploadDataset(api, { dataset_name: 'parcels', filename: 'p.jsonl' }, many + row('a refund', 'money'));
    await uploadDataset(api, { dataset_name: 'money', filename: 'm.jsonl' }, row('A refund.', 'money'));
    const without = await trained({ datasets: [{ name: 'parcels' }], exclude_texts_of: [{ name: 'money' }] });
    const { body } = await api.call('GET', `/felix/training-jobs/${without}`);
    expect(body.metrics).toMatchObject({ excluded_rows: 1 });
    const of = { base_model: BASE, nr_epochs: 1, datasets: [{ name: 'money' }] };
    const { body: none } = await api.call('POST', '/felix/training-jobs', {
      ...of,
      exclude_texts_of: [{ name: 'money', version: 1 }],
    });
    const { body: failed } = await ended(`/felix/training-jobs/${none.id}`);
    expect([failed.status, failed.error_message]).toEqual(['failed', expect.stringContaining('No row is left')]);
  });

  it('must be in existing datasets that the model could train on', async () => {
    const ask = async (...exclude_texts_of: object[]) => {
      const of = { base_model: BASE, datasets: [{ name: 'trips' }], exclude_texts_of };
      const { status, body } = await api.call('POST', '/felix/training-jobs', of);
      return [status, body.errors?.[0]?.loc ?? body.detail];
    };
    const chat = {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
    };
    await uploadDataset(
      api,
      { dataset_name: 'chats', filename: 'c.jsonl', dataset_type: 'decoder' },
      JSON.stringify(chat),
    );
    expect(await ask({ name: 'gone' })).toEqual([404, expect.stringContaining('gone')]);
    expect(await ask({ name: 'trips' }, { name: 'chats' })).toEqual([422, ['body', 'exclude_texts_of', 1, 'name']]);
  });
});
