import { Client } from '#apps/demo/client.js';
import type { SpawnedSystem } from '#apps/demo/system.js';
import { newApiKey } from '#primitives/secrets/index.js';
import type { Deploy, Deployment } from '#test/deployments/deployment.js';

/** Rows of a language of their own, so that only learning can find them: gadgets are named, and complaints are classed. */
function rows(count: number, offset = 0) {
  const gadgets = ['blorpix', 'zandrel', 'quimtor', 'vexalon', 'dripnar', 'mulgrove'];
  const faults = ['leaks', 'hums', 'sticks', 'smells'];
  return Array.from({ length: count }, (_, at) => {
    const index = at + offset;
    const gadget = `${gadgets[index % gadgets.length]} ${100 + ((index * 7) % 50)}`;
    const broken = index % 2 === 0;
    const text = broken
      ? `My ${gadget} ${faults[index % faults.length]} since Monday, please repair it.`
      : `I would like to order another ${gadget} for the kitchen, how long does it take?`;
    return { text, entities: [[gadget, 'gadget']], label: broken ? 'repair' : 'order' };
  });
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly metrics?: { readonly f1: number; readonly per_entity: Record<string, { f1: number }> };
}

/** Tests the path from labelled rows to a model that answers, over HTTP. */
export function mainJob(deploy: Deploy): void {
  let deployment: Deployment;
  let system: SpawnedSystem;
  let api: Client;
  let job: Job;
  const key = newApiKey();

  beforeAll(async () => {
    deployment = await deploy();
    system = await deployment.start({ ANNEAL_BOOTSTRAP_API_KEY: key });
    api = new Client(system.url, key);
    await upload('gadgets', rows(80));
    await upload('gadgets-held-out', rows(30, 1_000));
    job = await train({ base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'gadgets' }] });
  });

  afterAll(async () => {
    await system.end();
    await deployment.remove();
  });

  async function upload(name: string, content: readonly object[]): Promise<void> {
    const { presigned_url, dataset_id } = await api.post<{ presigned_url: string; dataset_id: string }>(
      '/felix/datasets/upload/url',
      { dataset_name: name, filename: 'rows.jsonl' },
    );
    const body = content.map((row) => JSON.stringify(row)).join('\n');
    expect((await fetch(presigned_url, { method: 'PUT', body })).status).toBe(200);
    await api.post('/felix/datasets/upload/process', { dataset_id });
    const ended = ({ status }: { status: string }) => status === 'ready' || status === 'failed';
    const version = await api.until<{ status: string }>(`/felix/datasets/${name}/latest`, ended, 300);
    expect(version.status).toBe('ready');
  }

  async function train(body: object): Promise<Job> {
    const { id } = await api.post<Job>('/felix/training-jobs', body);
    const ended = ({ status }: Job) => !['requested', 'running'].includes(status);
    return api.until<Job>(`/felix/training-jobs/${id}`, ended, 300);
  }

  const artifactOf = async (id: string) => {
    interface Page {
      readonly events: readonly { type: string; data: { artifact: { files: unknown[] } } }[];
    }
    const { events } = await api.get<Page>(`/events?stream=job-${id}&limit=1000`);
    return events.find(({ type }) => type === 'training-job-completed.v1')!.data.artifact.files;
  };

  it('labels of its own are learned, entities and classes in one job', () => {
    expect(job.status).toBe('complete');
    expect(job.metrics!.per_entity['gadget']!.f1).toBeGreaterThan(0.9);
    expect(job.metrics!.f1).toBeGreaterThan(0.9);
  });

  it('the trained model answers with its own labels, and becomes deployed with its first call', async () => {
    interface Inference {
      readonly result: { entities: { gadget: { text: string }[] }; classification: { label: string } };
    }
    const { result } = await api.post<Inference>('/inference', {
      model_id: job.id,
      text: 'The zandrel 131 hums loudly since Friday, please repair it.',
    });
    expect(result.entities.gadget.map(({ text }) => text)).toEqual(['zandrel 131']);
    expect(result.classification.label).toBe('repair');
    expect((await api.get<Job>(`/felix/training-jobs/${job.id}`)).status).toBe('deployed');
    const { total } = await api.get<{ total: number }>(`/inferences?training_job_id=${job.id}`);
    expect(total).toBe(1);
  });

  it('is evaluated on rows held out', async () => {
    interface Evaluation {
      readonly id: string;
      readonly status: string;
      readonly f1: number;
      readonly sample_count: number;
    }
    const body = { base_model: job.id, dataset_name: 'gadgets-held-out' };
    const { id } = await api.post<Evaluation>('/felix/evaluations', body);
    const ended = ({ status }: Evaluation) => status === 'complete' || status === 'failed';
    const evaluation = await api.until<Evaluation>(`/felix/evaluations/${id}`, ended, 300);
    expect(evaluation).toMatchObject({ status: 'complete', sample_count: 30 });
    expect(evaluation.f1).toBeGreaterThan(0.9);
  });

  it('the same seed gives the same weights, another seed does not', async () => {
    const request = { base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'gadgets' }], nr_epochs: 2 };
    const [first, again, other] = [
      await train({ ...request, seed: 5 }),
      await train({ ...request, seed: 5 }),
      await train({ ...request, seed: 6 }),
    ].map(({ id }) => artifactOf(id));
    const weights = async (files: Promise<unknown[]>) =>
      ((await files) as { name: string; sha256: string }[]).find(({ name }) => name.endsWith('.safetensors'))!.sha256;
    expect(await weights(again!)).toBe(await weights(first!));
    expect(await weights(other!)).not.toBe(await weights(first!));
  });

  it('read models are what a rebuild from the log gives', async () => {
    const before = await api.get('/felix/training-jobs');
    await system.end('SIGKILL');
    await deployment.dropReadModels();
    system = await deployment.start();
    api = new Client(system.url, key);
    const rebuilt = ({ training_jobs }: { training_jobs: unknown[] }) => training_jobs.length === 4;
    await api.until('/felix/training-jobs', rebuilt, 300);
    expect(await api.get('/felix/training-jobs')).toEqual(before);
  });
}
