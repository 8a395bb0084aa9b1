import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';
const jsonl = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

describe('a held-out dataset of a training job', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    const upload = (name: string, rows: string) =>
      uploadDataset(api, { dataset_name: name, filename: `${name}.jsonl` }, rows);
    const classes = (count: number, names: readonly string[], word: string) =>
      jsonl(
        Array.from({ length: count }, (_, at) => {
          const label = names[at % names.length]!;
          return { text: `${label} ${word} number ${at}`, label };
        }),
      );
    await upload('trips', trips(60));
    // The first ten are rows of the training data, written otherwise.
    const again = trips(10)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const others = Array.from({ length: 6 }, (_, at) => ({
      text: `Gate ${at} to Oslo closes soon.`,
      entities: [
        ['Oslo', 'city'],
        [`Gate ${at}`, 'gate'],
      ],
    }));
    await upload('judged', jsonl([...again.map((row) => ({ ...row, text: `${row.text}  ` })), ...others]));
    await upload('intents', classes(40, ['refund', 'delivery'], 'please'));
    await upload('other-intents', classes(12, ['refund', 'delivery', 'unheard'], 'thanks'));
    await upload('more', trips(20));
  });
  afterAll(() => api.close());

  const create = (fields: object) =>
    api.call('POST', '/felix/training-jobs', { base_model: BASE, nr_epochs: 2, ...fields });
  const finished = async (path: string) => {
    const isOver = (answer: { body: { status: string } }) => ['complete', 'failed'].includes(answer.body.status);
    const { body } = await api.until(() => api.call('GET', path), isOver);
    expect(body).toMatchObject({ status: 'complete' });
    return body;
  };
  const trained = async (fields: object) => {
    const { status, body } = await create(fields);
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'requested' })]);
    return finished(`/felix/training-jobs/${body.id}`);
  };
  const heldOutOf = async (base_model: string, held_out_of: string) => {
    const { body } = await api.call('POST', '/felix/evaluations', { base_model, held_out_of });
    return finished(`/felix/evaluations/${body.id}`);
  };

  it('is used for the figures, and rows of other datasets with its texts are not trained on', async () => {
    const job = await trained({ datasets: [{ name: 'trips' }, { name: 'judged', held_out: true }] });
    expect(job.datasets).toMatchObject([{ name: 'trips' }, { name: 'judged', held_out: true }]);
    expect(job.datasets[0]).not.toHaveProperty('held_out');
    expect(job).toMatchObject({ validation_data_percentage: 0 });
    expect(job.metrics).toMatchObject({ judged_rows: 16, overlapping_rows: 0 });
    expect(job.metrics.excluded_rows).toBeGreaterThanOrEqual(10);
    expect(job.labels).not.toContain('gate');
    const evaluation = await heldOutOf(job.id, job.id);
    expect(evaluation).toMatchObject({ sample_count: 16, dataset_name: 'judged', version_number: '1' });
    const texts = evaluation.predictions.map(({ text }: { text: string }) => text);
    expect(texts.slice(10)).toEqual(Array.from({ length: 6 }, (_, at) => `Gate ${at} to Oslo closes soon.`));

    const next = await trained({
      datasets: [{ name: 'trips' }, { name: 'judged' }, { name: 'more' }],
      hold_out_like: job.id,
    });
    expect(next.datasets.map((each: { held_out?: true }) => each.held_out ?? false)).toEqual([false, true, false]);
    expect(next.metrics).toMatchObject({ judged_rows: 16, overlapping_rows: 0 });
    const [one, two] = [await heldOutOf(next.id, next.id), await heldOutOf(job.id, next.id)];
    const compared = await api.call('GET', `/felix/evaluations/${one.id}/comparison?with=${two.id}`);
    expect(compared.body).toMatchObject({ sample_count: 16, dataset_name: 'judged', version_number: '1' });
    const { body: listed } = await api.call('GET', '/felix/evaluations?dataset_name=judged');
    expect(listed.evaluations.map(({ id }: { id: string }) => id)).toContain(one.id);
  });

  it('may have classes that no training row has: they count as missed', async () => {
    const job = await trained({ datasets: [{ name: 'intents' }, { name: 'other-intents', held_out: true }] });
    expect(job.labels).toEqual(['delivery', 'refund']);
    expect(job.metrics).toMatchObject({ judged_rows: 12, per_entity: { unheard: { recall: 0, support: 4 } } });
    expect(job.metrics.f1).toBeLessThan(1);
  });

  it.each<[string, object, (string | number)[]]>([
    ['alone', { datasets: [{ name: 'judged', held_out: true }] }, ['datasets']],
    ['first', { datasets: [{ name: 'judged', held_out: true }, { name: 'trips' }] }, ['datasets', 0, 'held_out']],
    [
      'beside a share',
      { datasets: [{ name: 'trips' }, { name: 'judged', held_out: true }], validation_data_percentage: 0.1 },
      ['validation_data_percentage'],
    ],
    [
      'beside hold_out_like',
      { datasets: [{ name: 'trips' }, { name: 'judged', held_out: true }], hold_out_like: 'x' },
      ['datasets', 1, 'held_out'],
    ],
    ['twice', { datasets: [{ name: 'trips' }, { name: 'trips', held_out: true }] }, ['datasets', 1]],
    ['as a number', { datasets: [{ name: 'trips' }, { name: 'judged', held_out: 1 }] }, ['datasets', 1, 'held_out']],
  ])('is refused %s, by name', async (_, fields, path) => {
    const { status, body } = await create(fields);
    expect([status, body.errors?.[0]?.loc]).toEqual([422, ['body', ...path]]);
  });
});
