import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { callOnce } from '#ports/bus/port.js';
import type { Json } from '#domain/json.js';
import type { StoredFolder } from '#domain/training-job/index.js';
import { openObjectStore } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { resolveSpans } from '#rows/formats/index.js';
import { engine } from '#test/support/quick-engine.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { trips } from '#test/support/trips.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import type { Example, TrainSettings } from '#gpu-runner/engines/engine.js';
import { uploadFolder } from '#gpu-runner/work/folders.js';
import { serveInference, type InferenceServer } from '../inference-server.js';
import { INFERENCE_SUBJECT, type InferenceAnswer } from '#gpu-runner/contract/inference.js';

const { id: BASE_ID, directory: BASE_DIRECTORY } = builtin.baseModels[0]!;
const SETTINGS: TrainSettings = {
  ...{ trainingType: 'lora', epochs: 2, learningRate: 0.05, batchSize: 8, earlyStoppingPatience: 0, loraR: 16 },
  ...{ loraAlpha: 32, loraDropout: 0, scheduler: 'linear', warmupRatio: 0, weightDecay: 0.01, saveSteps: 0 },
  ...{ seed: 1, multiLabel: false },
};

const examples = trips(40)
  .trimEnd()
  .split('\n')
  .map((line): Example => {
    const { text, entities, label } = JSON.parse(line) as { text: string; entities: Json[]; label: string };
    return { text, entities: resolveSpans(text, entities), labels: [label] };
  });

describe('a damaged adapter cache', () => {
  const bus = new InProcessBus();
  let directory: string;
  let cacheDirectory: string;
  let objectStore: ObjectStore;
  let folder: StoredFolder;
  let server: InferenceServer;
  let lines: string[];
  let fetched: string[];
  let answer: InferenceAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-damaged-'));
    objectStore = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
    const get = objectStore.get.bind(objectStore);
    objectStore.get = (key, range) => {
      fetched.push(key.slice(key.lastIndexOf('/') + 1));
      return get(key, range);
    };
    const { artifactDirectory } = await engine.train(
      {
        ...{ settings: SETTINGS, train: examples.slice(0, 32), validation: examples.slice(32) },
        ...{
          baseDirectory: BASE_DIRECTORY,
          startFrom: null,
          resumeFrom: null,
          outputDirectory: join(directory, 'out'),
        },
      },
      () => undefined,
      new AbortController().signal,
    );
    folder = await uploadFolder(objectStore, artifactDirectory, 'jobs/j1/1/artifact');
  });
  beforeEach(async () => {
    [lines, fetched] = [[], []];
    cacheDirectory = await mkdtemp(join(directory, 'cache-'));
    start();
    answer = await call();
    fetched.length = 0;
  });
  afterEach(() => server.close());
  afterAll(async () => {
    await bus.close();
    await objectStore.close();
    await rm(directory, { recursive: true });
  });

  const start = () => {
    const onDamage = (line: string) => lines.push(line);
    server = serveInference({
      ...{ bus, name: 'a', objectStore, cacheDirectory, engines: QUICK_ENGINES, onDamage },
      // A load on a busy machine takes longer than the default patience.
      loadPatienceMs: 60_000,
    });
  };
  /** Restarts the server, so that nothing is in memory. */
  const restart = async () => {
    await server.close();
    start();
  };
  const call = async (): Promise<InferenceAnswer> => {
    const model = { baseModelId: BASE_ID, adapter: { id: 'j1', folder } };
    const body = { model, texts: ['please book Lima for Dora'], schema: null, threshold: 0.5 } as unknown as Json;
    return (await callOnce(bus, INFERENCE_SUBJECT, body, { deadlineMs: 60_000 })) as unknown as InferenceAnswer;
  };
  const cached = async (file: string) => {
    const [name] = (await readdir(cacheDirectory)).filter((each) => !each.endsWith('.json'));
    return join(cacheDirectory, name!, file);
  };
  const replaced = async (file: string, from: string, to: string) => {
    const path = await cached(file);
    const content = await readFile(path, 'latin1');
    expect(content).toContain(from);
    await writeFile(path, content.replace(from, to), 'latin1');
  };
  const flipped = async (file: string) => {
    const path = await cached(file);
    const content = await readFile(path);
    content[content.length - 9]! ^= 1;
    await writeFile(path, content);
  };

  it.each<[string, () => Promise<unknown>]>([
    ['a bit of the weights', () => flipped('weights.txt')],
    ['a configuration that is still JSON', () => replaced('learned.json', 'traveller', 'traveler!')],
    ['an invalid configuration', () => replaced('learned.json', '{', '[')],
    ['torn weights', async () => truncate(await cached('weights.txt'), 100)],
    ['an empty file', async () => truncate(await cached('learned.json'), 0)],
    ['a missing file', async () => rm(await cached('weights.txt'))],
    ['a folder that is gone', async () => rm(await cached(''), { recursive: true })],
  ])('heals from the object store: %s', async (_, damage) => {
    await restart();
    await damage();
    expect(await call()).toEqual(answer);
    expect(fetched.toSorted()).toEqual(folder.files.map(({ name }) => name).toSorted());
    await restart();
    expect(await call()).toEqual(answer);
    expect(fetched).toHaveLength(folder.files.length);
  });

  it("is logged with its model's name, and only if one was damaged", async () => {
    await restart();
    await call();
    expect(lines).toEqual([]);
    await restart();
    await flipped('weights.txt');
    await Promise.all([call(), call(), call()]);
    expect(new Set(lines)).toEqual(
      new Set([
        'model j1: the cached weights.txt is not the file that was fetched; it is fetched again from the object store',
      ]),
    );
    expect(fetched).toHaveLength(folder.files.length);
  });

  it('is refused as damaged, naming the model and the hash, if the object store’s copy is damaged as well', async () => {
    const key = `${folder.objectPrefix}/weights.txt`;
    const whole = Buffer.concat(await Array.fromAsync(await objectStore.get(key)));
    await objectStore.put(key, Buffer.alloc(whole.length));
    await restart();
    await flipped('weights.txt');
    const { sha256 } = folder.files.find(({ name }) => name === 'weights.txt')!;
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not_servable' });
    expect((error as Error).message).toContain('the stored weights.txt is damaged');
    expect((error as Error).message).not.toContain(directory);
    expect(lines.at(-1)).toContain(
      `model j1: the stored weights.txt is damaged (its sha256 is not the recorded ${sha256})`,
    );
    await objectStore.put(key, whole);
    expect(await call()).toEqual(answer);
  });
});
