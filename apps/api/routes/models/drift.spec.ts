import { weekOf, weeksBefore } from '#domain/drift/index.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { recordedIn } from '#test/support/recorded-week.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';
const WEEK = expect.stringMatching(/^\d{4}-W\d\d$/);
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
const NOTHING = { labels: null, confidence: null, length: null, unseen_words: null };

describe('drift of a named model', () => {
  let api: TestApi;
  let job: string;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    await uploadDataset(api, { dataset_name: 'trips' }, trips(400));
    const client = new TrainingClient(api);
    job = (await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 2 })).id;
    expect((await client.ended(job)).status).toBe('complete');
  });
  afterAll(() => api.close());

  const usual = trips(260)
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly text: string }).text);
  const other = usual.map(
    (_, number) =>
      `Subject: complaint ${number}. The invoice that arrived this morning charges twice for my broken lamp, please refund it`,
  );
  const named = async (name: string) => {
    await api.call('POST', '/models', { name });
    await api.call('POST', `/models/${name}/versions`, { training_job_id: job });
    await api.call('PUT', `/models/${name}/versions/1/promote`, { reason: 'the first one' });
  };
  const call = async (model_id: string, text: string | readonly string[], more: object = {}) => {
    const { status } = await api.call('POST', '/inference', { model_id, text, ...more });
    expect(status).toBe(200);
    await api.drained();
  };
  const driftOf = (name: string, query = '') => api.call('GET', `/models/${name}/drift${query}`);
  const told = async (name: string) => {
    const { body } = await api.call('GET', `/models/${name}`);
    const { body: log } = await api.call('GET', `/events?stream=${body.stream}`);
    return (log.events as { type: string; data: object }[]).filter(({ type }) => type === 'drift-detected.v1');
  };

  const stable = { psi: expect.any(Number), band: 'stable' };
  const major = { psi: expect.any(Number), band: 'major' };
  it('has every field, and is absent while calls resemble the training data', async () => {
    await named('steady');
    await call('steady', usual);
    const { status, body } = await driftOf('steady');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ model: 'steady', version: 1, training_job_id: job, training_unavailable: null },
      training: { rows: 400, unseen_words: expect.any(Number) },
      weeks: [
        {
          ...{ week: WEEK, begins: DATE, calls: 1, texts: usual.length },
          labels: expect.arrayContaining([{ label: 'booking', share: expect.any(Number), training_share: 0.1667 }]),
          ...{ no_label_share: expect.any(Number), other_labels_share: 0, unseen_words: expect.any(Number) },
          against: {
            training: { labels: stable, confidence: null, length: stable, unseen_words: stable },
            previous_week: null,
          },
        },
      ],
    });
  });

  it('is detected when calls are of another kind, and reported once per measure if the policy sets a limit', async () => {
    await named('shifted');
    await call('shifted', other);
    const { body } = await driftOf('shifted');
    const [week] = body.weeks;
    expect(week.unseen_words).toBeGreaterThan(0.5);
    expect(week.against.training).toEqual({ labels: major, confidence: null, length: major, unseen_words: major });
    expect(await told('shifted')).toEqual([]);

    const policy = { drift_psi: 0.25 };
    expect((await api.call('PUT', '/models/shifted/policy', policy)).body).toMatchObject(policy);
    const events = await api.until(
      () => told('shifted'),
      (all) => all.length === 3,
    );
    expect(events.map(({ data }) => data)).toEqual(
      ['labels', 'length', 'unseen_words'].map((measure) =>
        expect.objectContaining({
          ...{ name: 'shifted', version: 1, week: week.week, measure, against: 'training', bound: 0.25 },
          ...{ psi: week.against.training[measure].psi, actor: 'system:model-policies' },
        }),
      ),
    );
  });

  it('is not reported while calls resemble the training data, nor twice', async () => {
    await named('mixed');
    await api.call('POST', '/models/mixed/versions', { model_id: BASE });
    for (const version of [3, 5]) {
      await api.call('POST', '/models/mixed/versions', { training_job_id: job });
      await api.call('POST', '/models/mixed/versions', { model_id: BASE });
      await call(`mixed@${version}`, other);
    }
    await call('mixed@1', usual);
    const versionsTold = async () => (await told('mixed')).map(({ data }) => (data as { version: number }).version);
    const toldOf = (versions: readonly number[]) =>
      api.until(versionsTold, (all) => all.length >= versions.length).then((all) => expect(all).toEqual(versions));
    await api.call('PUT', '/models/mixed/policy', { drift_psi: 0.25 });
    await toldOf([3, 3, 3, 5, 5, 5]);
    // Versions are looked at in their order: once the last one is told of, all were looked at again.
    await api.call('POST', '/models/mixed/versions', { training_job_id: job });
    await call('mixed@7', other);
    await api.call('PUT', '/models/mixed/policy', { drift_psi: 0.2 });
    await toldOf([3, 3, 3, 5, 5, 5, 7, 7, 7]);
  });

  it('compares a week with the previous one, including confidence', async () => {
    await named('weekly');
    const weeks = [3, 2, 1].map((ago) => weeksBefore(weekOf(new Date().toISOString()), ago)) as [
      string,
      string,
      string,
    ];
    await recordedIn(api, weeks[0], 'weekly', usual, 0.95);
    await recordedIn(api, weeks[1], 'weekly', usual, 0.95);
    await recordedIn(api, weeks[2], 'weekly', usual, 0.55);
    const { body } = await driftOf('weekly');
    expect(body.weeks.map((each: { week: string }) => each.week)).toEqual(weeks.toReversed());
    const against = body.weeks.map((each: { against: { previous_week: object } }) => each.against.previous_week);
    const same = { labels: stable, length: stable, unseen_words: stable };
    expect(against).toEqual([{ ...same, confidence: major }, { ...same, confidence: stable }, null]);
    const { body: one } = await driftOf('weekly', '?weeks=3');
    expect(one.weeks.map((each: { week: string }) => each.week)).toEqual([weeks[2], weeks[1]]);
    expect(one.weeks[1].against.previous_week).not.toBeNull();
  });

  it("counts no calls with store false, no weeks with too few texts, and no calls by the job's id", async () => {
    await named('few');
    await call('few', usual, { store: false });
    await call(job, usual);
    expect((await driftOf('few')).body).toMatchObject({ training: null, training_unavailable: null, weeks: [] });
    await call('few', usual.slice(0, 199));
    const { body } = await driftOf('few');
    expect(body.weeks).toMatchObject([{ calls: 1, texts: 199, against: { training: NOTHING, previous_week: null } }]);
  });

  it('is of the requested version, without training data if no job made that version', async () => {
    await named('two');
    await api.call('POST', '/models/two/versions', { model_id: BASE });
    await call('two@2', usual, { schema: ['person', 'city'] });
    expect((await driftOf('two')).body).toMatchObject({ version: 1, weeks: [] });
    expect((await driftOf('two', '?version=2')).body).toMatchObject({
      ...{ version: 2, training_job_id: null, training: null },
      training_unavailable: 'the version is a model of the catalog, which no training job made',
      weeks: [{ texts: usual.length, labels: [], unseen_words: null, against: { training: null } }],
    });
  });

  it('is 404 for a missing model or version, and refuses invalid parameters', async () => {
    await named('mine');
    const { key } = await api.colleague();
    const answers = [
      await driftOf('nobody'),
      await driftOf('mine', '?version=2'),
      await api.call('GET', '/models/mine/drift', undefined, { 'x-api-key': key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const refused = { 'weeks=0': 422, 'weeks=53': 422, 'version=0': 422, 'version=x': 400 };
    for (const [query, status] of Object.entries(refused))
      expect([query, (await driftOf('mine', `?${query}`)).status]).toEqual([query, status]);
    await api.call('POST', '/models', { name: 'empty' });
    expect((await driftOf('empty')).status).toBe(409);
    for (const drift_psi of [0, -1, 101, 'much'])
      expect((await api.call('PUT', '/models/mine/policy', { drift_psi })).status).toBe(422);
  });
});
