import { join } from 'node:path';
import { Client } from '#apps/demo/client.js';
import { spawnSystem, type SpawnedSystem } from '#apps/demo/system.js';
import { uploadDataset } from '#apps/demo/upload.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { jsonLines, runProgram } from '#test/support/run-program.js';
import { trips } from '#test/support/trips.js';
import { eventually } from '#test/support/eventually.js';
import { SmallDisk } from './small-disk.js';

const CLI = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'bin', 'anneal.mjs');
const MEBIBYTES = 96;
const MODEL = 'anneal/encoder-base-v1';
const CALLS_BEFORE = 30;
/** More than one share of the limit on calls and of the limit on all requests, which coordination gives out. */
const [CALLS_WHILE, READS_WHILE] = [120, 450];
const [EMAIL, PASSWORD] = ['disk@example.org', 'a long enough password'];

// A tmpfs in a user namespace: Linux lets most users have one, but not within every container.
const describeOnSmallDisk = SmallDisk.isPossible() ? describe : describe.skip;

describeOnSmallDisk('a system whose disk is full', () => {
  const key = newApiKey();
  let disk: SmallDisk;
  let system: SpawnedSystem;
  let api: Client;
  let jobId: string;
  let waitingJobId: string;
  let uploadUrl: string;
  let session: string;
  const acknowledged = new Set<string>();
  const saidWhileIdle: Ready[] = [];

  const ask = async (method: string, path: string, body?: unknown, credential = key): Promise<Answer> => {
    const json = body !== undefined && { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, system.url), {
      method,
      headers: { authorization: `Bearer ${credential}`, ...json },
      ...(json && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const call = async (name: string): Promise<Answer> => {
    const text = `${name}: Anna Smith flies to Paris. ${'She likes it. '.repeat(200)}`;
    const answer = await ask('POST', '/inference', { model_id: MODEL, text, schema: { entities: ['person', 'city'] } });
    if (answer.status === 200) acknowledged.add(answer.body.inference_id);
    return answer;
  };
  const ready = async (): Promise<Ready> => (await ask('GET', '/health/ready')).body;
  /** Fills what others give back meanwhile: a runner clears its folders. */
  const whileFull = async <T>(look: () => Promise<T>): Promise<T> => {
    await disk.fill();
    return look();
  };
  const refused = (answer: Answer) => {
    expect(answer).toMatchObject({ status: 503, body: { detail: expect.any(String) } });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  };
  const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];
  const listed = async () => {
    const ids = new Set<string>();
    let total = 0;
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Listed = (await ask('GET', `/inferences?limit=100${cursor}`)).body;
      total = page.total;
      for (const { id } of page.inferences) ids.add(id);
      cursor = page.inferences.length === 100 && ids.size < total ? `&offset=${ids.size}` : null;
    }
    return { total, ids };
  };
  const job = (id: string) => api.get<Job>(`/felix/training-jobs/${id}`);

  beforeAll(async () => {
    disk = await SmallDisk.mount(MEBIBYTES);
    const settings = { ANNEAL_BOOTSTRAP_API_KEY: key, ANNEAL_ADMIN_EMAIL: EMAIL, ANNEAL_ADMIN_PASSWORD: PASSWORD };
    system = await spawnSystem(disk.directory, settings, disk.through);
    api = new Client(system.url, key);
    await uploadDataset(api, { dataset_name: 'trips', dataset_type: 'ner', filename: 'trips.jsonl' }, trips(400));
    for (let n = 0; n < CALLS_BEFORE; n += 1) expect((await call(`before ${n}`)).status).toBe(200);
    const upload = { dataset_name: 'late', dataset_type: 'ner', filename: 'late.jsonl' };
    uploadUrl = (await api.post<{ presigned_url: string }>('/felix/datasets/upload/url', upload)).presigned_url;
    const signIn = await ask('POST', '/auth/sign-in', { email: EMAIL, password: PASSWORD });
    session = signIn.body.session_token;
    await disk.fill();
    saidWhileIdle.push(await eventually(ready, ({ writes }) => !writes));
    await disk.free();
    saidWhileIdle.push(await eventually(ready, ({ writes }) => writes));
    const training = { base_model: MODEL, datasets: [{ name: 'trips' }], early_stopping_patience: 0 };
    // Neither is small, so that the second does not run beside the first.
    jobId = (await api.post<Job>('/felix/training-jobs', { ...training, nr_epochs: 60 })).id;
    waitingJobId = (await api.post<Job>('/felix/training-jobs', { ...training, nr_epochs: 60 })).id;
    await eventually(
      () => job(jobId),
      ({ current_epoch }) => current_epoch > 0,
    );
    await disk.fill();
  });
  afterAll(async () => {
    await system?.end();
    await disk?.close();
  });

  it('reports in health when the disk is full and when it is not, without writes', () => {
    expect(saidWhileIdle).toEqual([
      { status: 'ok', writes: false },
      { status: 'ok', writes: true },
    ]);
  });

  describe('while it is full', () => {
    it('reports it in health, and stays live', async () => {
      expect(
        await eventually(
          () => whileFull(ready),
          ({ writes }) => !writes,
        ),
      ).toEqual({ status: 'ok', writes: false });
      expect((await ask('GET', '/health')).body.details['event-store']).toMatchObject({ writes: false });
      expect((await ask('GET', '/health/live')).status).toBe(200);
    });

    it('refuses unrecordable requests with 503 and Retry-After, with limits counted in memory', async () => {
      // Room that the files had already may take some calls more: they are recorded as any other.
      const isRefused = ({ status }: Answer) => status !== 200;
      refused(await eventually(() => whileFull(() => call('while')), isRefused));
      for (let n = 0; n < CALLS_WHILE; n += 10) {
        const answers = await Promise.all(Array.from({ length: 10 }, () => call(`while ${n}`)));
        expect(statuses(answers).every((status) => [200, 503].includes(status))).toBe(true);
      }
      for (const [path, body] of CHANGES)
        refused(await eventually(() => whileFull(() => ask('POST', path, body, session)), isRefused));
      const put = await whileFull(() => fetch(uploadUrl, { method: 'PUT', body: trips(2_000) }));
      expect([413, 503]).toContain(put.status);
    });

    it('can read everything that it acknowledged', async () => {
      const paths = [
        '/inferences',
        `/inferences/${[...acknowledged][0]}`,
        '/base-models',
        '/list-api-keys',
        '/account',
      ];
      for (const path of paths) expect([path, (await ask('GET', path)).status]).toEqual([path, 200]);
      for (let n = 0; n < READS_WHILE; n += 30) {
        const answers = await Promise.all(Array.from({ length: 30 }, () => ask('GET', '/account')));
        expect(statuses(answers)).toEqual([200]);
      }
      // The last ones may be too many for the read model: they are 503 then, and never 404.
      for (const [n, id] of [...acknowledged].entries())
        expect(n < CALLS_BEFORE ? [200] : [200, 503]).toContain((await ask('GET', `/inferences/${id}`)).status);
    });

    it('records no call that it refuses, even if a smaller event would fit', async () => {
      for (let n = 0; n < 24; n += 1) {
        await disk.fill();
        await disk.leave(16_384 * (1 + (n % 4)));
        for (let each = 0; each < 4; each += 1) {
          const answer = await call(`little ${n} ${each}`);
          if (answer.status !== 200) refused(answer);
        }
      }
    });

    it('keeps its jobs waiting', async () => {
      for (const id of [jobId, waitingJobId]) expect(['requested', 'running']).toContain((await job(id)).status);
    });
  });

  describe('the system after the disk has space again', () => {
    it('accepts writes without a restart, and health says so before the first write', async () => {
      await disk.free();
      await eventually(ready, ({ writes }) => writes);
      // For a second after a failed write, calls are refused before a model runs.
      await eventually(
        () => call('after'),
        ({ status }) => status === 200,
      );
    });

    it('lists every acknowledged call once, and no other', async () => {
      const { total, ids } = await eventually(listed, ({ total }) => total >= acknowledged.size);
      expect(total).toBe(acknowledged.size);
      expect(ids).toEqual(acknowledged);
    });

    it('continues its jobs, in their first attempt', async () => {
      for (const id of [jobId, waitingJobId]) {
        const { status, error_message } = await eventually(
          () => job(id),
          ({ is_terminal_status }) => is_terminal_status,
        );
        expect([status, error_message]).toEqual(['complete', null]);
        const { events } = await api.get<Events>(`/events?stream=job-${id}&limit=1000`);
        expect(events.filter(({ type }) => type === 'training-attempt-claimed.v1')).toHaveLength(1);
        expect(events.filter(({ type }) => type === 'training-attempt-lost.v2')).toEqual([]);
      }
    });

    it('has an undamaged log', async () => {
      const env = { ANNEAL_DATA_DIR: disk.directory };
      const { status, out } = await runProgram(CLI, ['events', 'check', '--json'], env, disk.through);
      expect([status, jsonLines(out).filter(({ kind }) => kind === 'damage')]).toEqual([0, []]);
    });
  });
});

const CHANGES = [
  ['/felix/training-jobs', { base_model: MODEL, datasets: [{ name: 'trips' }], nr_epochs: 1 }],
  ['/felix/datasets/upload/url', { dataset_name: 'more', dataset_type: 'ner', filename: 'more.jsonl' }],
  ['/projects', { name: 'more' }],
  ['/create-api-key', { name: 'more' }],
  ['/auth/sign-in', { email: EMAIL, password: PASSWORD }],
] as const;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  readonly body: any;
}

interface Ready {
  readonly status: string;
  readonly writes: boolean;
}

interface Listed {
  readonly total: number;
  readonly inferences: readonly { readonly id: string }[];
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly current_epoch: number;
  readonly is_terminal_status: boolean;
  readonly error_message: string | null;
}

interface Events {
  readonly events: readonly { readonly type: string }[];
}
