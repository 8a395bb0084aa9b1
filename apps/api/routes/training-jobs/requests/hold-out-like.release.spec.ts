import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';
/** Rows with other texts than `trips`. */
const others = (count: number) => trips(count).replaceAll('"text":"', '"text":"Today ');

describe('a job with hold_out_like', () => {
  let api: TestApi;
  let first: string;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false }, { engines: QUICK_ENGINES });
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
    await uploadDataset(api, { dataset_name: 'more', filename: 'more.jsonl' }, others(30));
    first = await trained({ datasets: [{ name: 'trips' }], validation_data_percentage: 0.2, seed: 5 });
  });
  afterAll(() => api.close());

  const create = (fields: object) => api.call('POST', '/felix/training-jobs', { base_model: BASE, ...fields });
  const trained = async (fields: object): Promise<string> => {
    const { body } = await create(fields);
    await finished(`/felix/training-jobs/${body.id}`);
    return body.id;
  };
  const finished = async (path: string) => {
    const isOver = (answer: { body: { status: string } }) => ['complete', 'failed'].includes(answer.body.status);
    const { body } = await api.until(() => api.call('GET', path), isOver);
    expect(body).toMatchObject({ status: 'complete' });
    return body;
  };
  const evaluated = async (base_model: string, held_out_of: string) => {
    const { body } = await api.call('POST', '/felix/evaluations', { base_model, held_out_of });
    return finished(`/felix/evaluations/${body.id}`);
  };

  it('is measured on the same rows as the other job, and on rows of the datasets that follow', async () => {
    const second = await trained({ datasets: [{ name: 'trips' }, { name: 'more' }], hold_out_like: first });
    const [alone, both, champion] = await Promise.all([
      evaluated(second, first),
      evaluated(second, second),
      evaluated(first, second),
    ]);
    expect([alone.sample_count, both.sample_count, champion.sample_count]).toEqual([12, 18, 18]);
    const texts = ({ predictions }: { predictions: { text: string }[] }) => predictions.map(({ text }) => text);
    expect(texts(both).slice(0, 12)).toEqual(texts(alone));
    const compared = await api.call('GET', `/felix/evaluations/${both.id}/comparison?with=${champion.id}`);
    expect(compared.body).toMatchObject({ sample_count: 18 });
    const third = await trained({
      datasets: [{ name: 'trips' }, { name: 'more' }, { name: 'more', version: 1 }].slice(0, 2),
      hold_out_like: second,
    });
    expect((await evaluated(third, third)).sample_count).toBe(18);
  });

  it('accepts the datasets of a long series of improvements', async () => {
    const versions = Array.from({ length: 24 }, (_, at) => ({ name: 'corrections', version: at + 1 }));
    await Promise.all(
      versions.map(({ version }) =>
        uploadDataset(api, { dataset_name: 'corrections', filename: `${version}.jsonl` }, trips(version + 1)),
      ),
    );
    await trained({ datasets: [{ name: 'trips' }, ...versions], hold_out_like: first });
  });

  it('is refused with other datasets, another share, or a missing job', async () => {
    const refused = async (fields: object, status: number, field: string) => {
      const answer = await create({ hold_out_like: first, ...fields });
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(field)]);
    };
    await refused({ datasets: [{ name: 'more' }] }, 422, 'hold_out_like');
    await refused(
      { datasets: [{ name: 'trips' }], validation_data_percentage: 0.3 },
      422,
      'validation_data_percentage',
    );
    await refused({ datasets: [{ name: 'trips' }], hold_out_like: 'gone' }, 404, 'gone');
    const { key } = await api.colleague();
    const theirs = await api.call(
      'POST',
      '/felix/evaluations',
      { base_model: BASE, held_out_of: first },
      { 'x-api-key': key },
    );
    expect(theirs.status).toBe(404);
  });

  it('names the missing or surplus field of an evaluation', async () => {
    const ask = async (fields: object) => {
      const { status, body } = await api.call('POST', '/felix/evaluations', { base_model: first, ...fields });
      return [status, body.errors?.[0]?.loc];
    };
    expect(await ask({})).toEqual([422, ['body', 'dataset_name']]);
    expect(await ask({ dataset_name: 'trips', held_out_of: first })).toEqual([422, ['body', 'held_out_of']]);
  });
});
