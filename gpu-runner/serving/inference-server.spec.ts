import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { callOnce, NoServerError } from '#ports/bus/port.js';
import type { Json } from '#domain/json.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';
import { eventually } from '#test/support/eventually.js';
import { Engines } from '#gpu-runner/contract/engines.js';
import { engine } from '#gpu-runner/engines/builtin/index.js';
import { trainSettings } from '#gpu-runner/engines/builtin/train-settings.fixture.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { held } from './encoders/held-encoders.fixture.js';
import { serveInference, type InferenceServer } from './inference-server.js';
import {
  INFERENCE_FORGET,
  INFERENCE_HEARTBEAT,
  INFERENCE_SUBJECT,
  inferenceSubjectOf,
  type InferenceAnswer,
  type InferenceHeartbeat,
} from '#gpu-runner/contract/inference.js';

describe('an inference server', () => {
  const bus = new InProcessBus();
  const beats: unknown[] = [];
  let directory: string;
  let objectStore: ObjectStore;
  let server: InferenceServer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-inference-'));
    objectStore = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
    bus.listen(INFERENCE_HEARTBEAT, (body) => beats.push(body));
    const cacheDirectory = join(directory, 'cache');
    server = serveInference({ bus, name: 'gpu.1', objectStore, cacheDirectory, engines: ENGINES });
  });

  afterAll(async () => {
    await bus.close();
    await objectStore.close();
    await rm(directory, { recursive: true });
  });

  const call = (subject: string, adapter: Json = null) => {
    const model = { baseModelId: 'anneal/encoder-base-v1', adapter };
    const schema = { entities: [{ name: 'person' }] };
    return callOnce(
      bus,
      subject,
      { workspaceId: 'w', model, texts: ['then Maria left.'], schema, threshold: 0.5 },
      { deadlineMs: 10_000 },
    );
  };

  it('announces itself at once, and answers calls for any runner and for itself', async () => {
    const answers = [await call(INFERENCE_SUBJECT), await call(inferenceSubjectOf('gpu.1'))];
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ results: [{ entities: { person: [{ text: 'Maria' }] } }] });
    expect(beats[0]).toMatchObject({ name: 'gpu.1', leaving: false, loading: [], loaded: [], failed: [] });
    await expect(call(inferenceSubjectOf('gpu.2'))).rejects.toThrow(NoServerError);
  });

  it('answers with a certainty how like the texts that a model learned each is', async () => {
    const adapter = await trainedOnRequests(directory, objectStore);
    const asked = async (texts: readonly string[], certainty: boolean) => {
      const model = { baseModelId: 'anneal/encoder-base-v1', adapter };
      const call = { workspaceId: 'w', model, texts, schema: null, threshold: null, certainty };
      return (await callOnce(bus, INFERENCE_SUBJECT, call, { deadlineMs: 60_000 })) as unknown as InferenceAnswer;
    };
    const texts = [
      'please block the card that I have lost',
      'please block the card that I have lost. Will it rain in Oslo tomorrow?',
      'He scored twice before half-time, which nobody had expected',
      'bitte sperren Sie meine verlorene Karte',
      'заблокируйте мою потерянную карту',
      'please block the card that I have lost '.repeat(9),
    ];
    const { results } = await asked(texts, true);
    expect(results.map(({ likeness }) => likeness!.unlike)).toEqual([
      null,
      'several',
      'nearness',
      'nearness',
      'script',
      'length',
    ]);
    expect(results[0]).toMatchObject({ certainty: expect.any(Number), likeness: { nearness: expect.any(Number) } });
    expect(results[0]!.likeness!.nearness).toBeGreaterThan(results[2]!.likeness!.nearness);
    expect((await asked(texts, false)).results.map(({ likeness }) => likeness)).toEqual(texts.map(() => undefined));
    bus.signal(INFERENCE_FORGET, { id: 'requests' });
    await eventually(() => (beats.at(-1) as InferenceHeartbeat).loaded!.length === 0);
  });

  it('distinguishes weights that cannot be fetched now from missing ones', async () => {
    const folder = { objectPrefix: 'jobs/j1/1/artifact', files: [{ name: 'a.json', sha256: 'aa', size: 2 }] };
    const codeOf = () => call(INFERENCE_SUBJECT, { id: 'm1', folder }).catch(({ code }: { code: string }) => code);
    expect(await codeOf()).toBe('not_servable');
    const get = objectStore.get.bind(objectStore);
    objectStore.get = () => Promise.reject(new ObjectStoreUnavailableError('away'));
    expect(await codeOf()).toBe('unavailable');
    objectStore.get = get;
  });

  it('reports weights that it could not load, until they are deleted', async () => {
    const folder = { objectPrefix: 'jobs/j2/1/artifact', files: [{ name: 'a.json', sha256: 'aa', size: 2 }] };
    await call(INFERENCE_SUBJECT, { id: 'm2', folder }).catch(() => undefined);
    expect(beats.at(-1)).toMatchObject({ loaded: [], failed: expect.arrayContaining(['m2']) });
    bus.signal(INFERENCE_FORGET, { id: 'm2' });
    await eventually(() => !(beats.at(-1) as InferenceHeartbeat).failed!.includes('m2'));
  });

  it('reports such weights even when no call waits for them, also while they are fetched again', async () => {
    const folder = { objectPrefix: 'jobs/j3/1/artifact', files: [{ name: 'a.json', sha256: 'aa', size: 2 }] };
    const get = objectStore.get.bind(objectStore);
    let answered = Promise.withResolvers<void>();
    objectStore.get = (...asked) => answered.promise.then(() => get(...asked));
    const impatient = { cacheDirectory: join(directory, 'impatient'), loadPatienceMs: 10 };
    const hurried = serveInference({ bus, name: 'gpu.3', objectStore, engines: ENGINES, ...impatient });
    const told = () => (beats as InferenceHeartbeat[]).findLast(({ name }) => name === 'gpu.3')!;
    const asked = () => call(inferenceSubjectOf('gpu.3'), { id: 'm3', folder });
    expect(await asked()).toHaveProperty('retryAfterMs');
    answered.resolve();
    const ended = () => eventually(() => told().loading?.length === 0);
    await ended();
    expect(told().failed).toEqual(['m3']);
    answered = Promise.withResolvers();
    expect(await asked()).toHaveProperty('retryAfterMs');
    expect(told()).toMatchObject({ loading: ['m3'], failed: ['m3'] });
    answered.resolve();
    await ended();
    objectStore.get = get;
    await hurried.close();
  });

  it('cuts off calls that take too long when it is closed', async () => {
    const module = new URL('./encoders/held-encoders.fixture.js', import.meta.url).href;
    const baseModels = [{ id: 'test/held', directory: '/held', maxTokens: 8, heads: [] }];
    const engine: RegisteredEngine = { ...ENGINES.all[0]!, module, hasOwnProcess: true, baseModels, embedders: [] };
    const cacheDirectory = join(directory, 'closing');
    const closing = serveInference({
      ...{ bus, name: 'gpu.4', objectStore, cacheDirectory, engines: new Engines([engine]), drainMs: 1 },
    });
    const model = { baseModelId: 'test/held', adapter: null };
    const body = { workspaceId: 'w', model, texts: ['x'], schema: { entities: [{ name: 'a' }] }, threshold: 0.5 };
    const answer = callOnce(bus, inferenceSubjectOf('gpu.4'), body, { deadlineMs: 600_000 });
    const refused = expect(answer).rejects.toMatchObject({ code: 'unavailable' });
    await eventually(() => held.length === 1);
    await closing.close();
    await refused;
    expect(held[0]!.aborted).toBe(true);
  });

  it('announces its leaving, and answers no more', async () => {
    await server.close();
    expect(beats.at(-1)).toMatchObject({ name: 'gpu.1', leaving: true });
    await expect(call(inferenceSubjectOf('gpu.1'))).rejects.toThrow(NoServerError);
  });
});

const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  block: ['please block the card that I have lost', 'block my card', 'I have lost my card, block it at once'],
  weather: ['will it rain in Oslo tomorrow', 'what is the weather in Oslo', 'is it cold in Oslo today'],
  balance: ['how much money is on my account', 'tell me the balance of my account', 'what is left on my account'],
};
const PLACES = ['', ', please', ' now', ' for me', ', thank you', ', can you tell', ' and hurry', ' if you can'];

/** A classifier of requests, stored as a job stores its own. */
async function trainedOnRequests(directory: string, objectStore: ObjectStore) {
  const train = Object.entries(REQUESTS).flatMap(([label, texts]) =>
    texts.flatMap((text) => PLACES.map((more) => ({ text: `${text}${more}`, labels: [label] }))),
  );
  const { artifactDirectory } = await engine.train(
    {
      ...{ settings: trainSettings({ epochs: 8 }), train, validation: train.filter((_, at) => at % 5 === 0) },
      ...{ baseDirectory: ENGINES.baseModel('anneal/encoder-base-v1')!.model.directory },
      ...{ startFrom: null, resumeFrom: null, outputDirectory: join(directory, 'requests') },
    },
    () => undefined,
    new AbortController().signal,
  );
  const objectPrefix = 'jobs/requests/1/artifact';
  const files = await Promise.all(
    (await readdir(artifactDirectory)).map(async (name) => {
      const bytes = await readFile(join(artifactDirectory, name));
      await objectStore.put(`${objectPrefix}/${name}`, bytes);
      return { name, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
    }),
  );
  return { id: 'requests', folder: { objectPrefix, files } };
}
