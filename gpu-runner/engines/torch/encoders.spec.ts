import { jest } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importModel } from '#models/imported/index.js';
import { writeTinyEncoder } from '#models/imported/tiny-encoder.fixture.js';
import { RefusedSchemaError, type EncoderEngine } from '../encoder-engine.js';
import { UnsupportedHeadError, type Example, type TrainReport } from '../engine.js';
import { EngineUnavailableError } from '../process-model.js';
import { createTorch } from './engine.js';
import { EngineProcess } from './process.js';
import { hello, type Step } from './scripted-python.fixture.js';
import { resolveSettings } from './settings.js';

const SCRIPTED = fileURLToPath(new URL('./scripted-python.fixture.js', import.meta.url));
const FACTS = { trainingType: 'full', rows: 2, entityRows: 2, classSizes: [1, 1], multiLabel: true } as const;
const never = new AbortController().signal;

describe('encoders of the torch engine', () => {
  let folder: string;
  let baseDirectory: string;
  let engine: EncoderEngine | null = null;
  let started: EngineProcess[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'torch-encoders-'));
    const source = join(folder, 'source');
    await mkdir(source);
    await writeTinyEncoder(source);
    await Array.fromAsync(importModel(source, { id: 'ada/bert', licence: null }, folder));
    baseDirectory = join(folder, 'ada--bert');
    started = [];
  });
  afterEach(async () => {
    await engine?.close();
    await Promise.all(started.map((python) => python.stop(0)));
    await rm(folder, { recursive: true });
  });

  /** @param scripts one for each process that is started */
  const engineOf = (...scripts: (readonly Step[])[]): EncoderEngine =>
    (engine = createTorch(async (onMessage) => {
      const script = scripts.shift();
      if (!script) throw new Error('one process more than expected');
      const command = [process.execPath, SCRIPTED, JSON.stringify([{ say: hello }, ...script])] as const;
      const python = await EngineProcess.start({ command, environment: {}, directory: folder, onMessage });
      started.push(python);
      return python;
    }).encoders);

  describe('during training', () => {
    const text = '😀 Ada flew to 😀 Oslo';
    const row: Example = {
      text,
      entities: [
        { start: 3, end: 6, label: 'person' },
        { start: 18, end: 22, label: 'city' },
      ],
      labels: ['travel'],
      structures: [{ name: 'trip', fields: [{ name: 'to', isList: false, values: [{ start: 18, end: 22 }] }] }],
      relations: [{ name: 'flew', head: { start: 3, end: 6 }, tail: { start: 18, end: 22 } }],
    };
    const shown = {
      text,
      entities: [
        { start: 2, end: 5, label: 'person' },
        { start: 16, end: 20, label: 'city' },
      ],
      labels: ['travel'],
      structures: [{ name: 'trip', fields: [{ name: 'to', isList: false, values: [{ start: 16, end: 20 }] }] }],
      relations: [{ name: 'flew', head: { start: 2, end: 5 }, tail: { start: 16, end: 20 } }],
    };
    const losses = { finalTrainingLoss: 0.5, finalValidationLoss: 0.6, bestValidationLoss: 0.6 };
    const step = { epoch: 1, step: 4, trainingLoss: 0.5, validationLoss: 0.6, learningRate: 1e-4 };

    const source = { dataset: 1, row: 7, start: 420, bytes: 60 };

    const train = (
      script: readonly Step[],
      said: TrainReport[],
      validation: readonly Example[] = [row],
      rows: readonly Example[] = [row, { text: 'half a pair: \ud83d' }],
    ) =>
      engineOf([{ hear: 'train', echoes: true }, ...script]).train(
        {
          settings: resolveSettings(FACTS, { epochs: 1 }),
          ...{ train: rows, sources: [source], validation, baseDirectory },
          ...{ startFrom: null, resumeFrom: null, outputDirectory: join(folder, 'out') },
        },
        (report) => void said.push(report),
        never,
      );
    const trained = (predictions: string | null): Step => ({
      say: { type: 'trained', directory: '/out/final', epochsRun: 1, metrics: losses, predictions },
    });

    it('receive rows with their origins and offsets in code points, and the multi-label flag', async () => {
      const said: TrainReport[] = [];
      await train([trained(null)], said);
      const message = JSON.parse((said[0] as TrainReport & { kind: 'log' }).message);
      expect(message).toMatchObject({
        kind: 'encoder',
        base: { id: 'ada/bert' },
        settings: { trainingType: 'full', learningRate: 5e-5, multiLabel: true, maxTokens: 64 },
      });
      const rows = (await readFile(message.train, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(rows).toEqual([{ ...shown, source }, { text: 'half a pair: \ufffd' }]);
      expect(JSON.parse(await readFile(message.validation, 'utf8'))).toEqual(shown);
    });

    it('are told the stretches of choices, and the job how many choices have none', async () => {
      const said: TrainReport[] = [];
      const choices = { name: 'by', isList: false, values: [], choices: ['air'] };
      const place = { start: 18, end: 22 };
      const to = { name: 'to', isList: false, values: [{ ...place, choice: 'abroad' }] };
      await train([trained(null)], said, [{ text, structures: [{ name: 'trip', fields: [to, choices] }] }]);
      const [log] = said as readonly (TrainReport & { kind: 'log' })[];
      expect(JSON.parse(await readFile(JSON.parse(log!.message).validation, 'utf8')).structures).toEqual(
        shown.structures,
      );
      said.length = 0;
      await train([trained(null)], said, [], [{ text, structures: [{ name: 'trip', fields: [to, choices] }] }]);
      expect(said[0]).toMatchObject({ kind: 'log', level: 'warn', message: expect.stringContaining(' 1 choices of') });
    });

    it('are measured on the predictions from Python, at each epoch and at the end', async () => {
      const file = async (name: string, prediction: object) => {
        const path = join(folder, name);
        await writeFile(path, `${JSON.stringify(prediction)}\n`);
        return path;
      };
      const { text: _, ...labels } = shown;
      const half = await file('half.jsonl', { ...labels, entities: labels.entities.slice(1), labels: ['hotel'] });
      const whole = await file('whole.jsonl', { ...labels, entityConfidences: [0.9, 0.8], labelConfidences: [0.7] });
      const reports: TrainReport[] = [];
      const checkpoint = { seq: 1, directory: '/out/1', isBest: true, isFinal: true };
      const result = await train(
        [
          { say: { type: 'epoch', epochs: 1, ...step, predictions: half } },
          { say: { type: 'checkpoint', ...step, ...checkpoint, predictions: null } },
          { hear: 'ack' },
          trained(whole),
        ],
        reports,
      );
      const [, epoch, stored] = reports as [
        TrainReport,
        TrainReport & { kind: 'epoch' },
        TrainReport & { kind: 'checkpoint' },
      ];
      expect(epoch.f1).toBeCloseTo((2 * 3) / (4 + 5));
      expect(stored).toEqual({
        kind: 'checkpoint',
        ...step,
        directory: '/out/1',
        isBest: true,
        isFinal: true,
        f1: null,
      });
      expect(result).toMatchObject({
        artifactDirectory: '/out/final',
        metrics: { f1: 1, accuracy: 1, perLabel: { city: { support: 1 }, flew: { f1: 1 } }, ...losses },
      });
    });

    it('have no figures without validation rows, but name their heads', async () => {
      const { metrics } = await train([trained(null)], [], []);
      const unknown = { f1: null, precision: null, recall: null };
      expect(metrics).toEqual({
        ...{ ...unknown, macroF1: null, accuracy: null, perLabel: {}, ...losses },
        heads: { entities: unknown, classification: unknown, structures: unknown, relations: unknown },
      });
    });

    it('fail if the predictions do not match their rows', async () => {
      const path = join(folder, 'none.jsonl');
      await writeFile(path, '');
      const training = train([{ say: { type: 'epoch', epochs: 1, ...step, predictions: path } }], []);
      await expect(training).rejects.toThrow(/has 0 predictions of 1 rows/);
    });
  });

  describe('while serving', () => {
    /** Called with each line for the operator. */
    let onLog: (line: string) => void;
    beforeEach(() => {
      onLog = () => undefined;
      jest.spyOn(console, 'error').mockImplementation((line: string) => onLog(line));
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const abilities = { entityLabels: ['city'], classLabels: null, multiLabel: false };
    const loads: readonly Step[] = [
      { hear: 'load' },
      { say: { type: 'loaded', model: '1', kind: 'encoder', byteSize: 77, abilities, maxTokens: 64 } },
    ];
    const text = '😀 to Oslo';
    const request = { texts: [text], schema: { entities: [{ name: 'city' }] }, threshold: 0.4 };
    const hit = { start: 5, end: 9, text: 'Oslo', confidence: 0.9 };
    const inferred = (id = '2'): Step => ({
      say: {
        ...{ type: 'inferred', id, warnings: [], inputTokens: [4] },
        results: [
          {
            entities: { city: [{ ...hit, label: 'city' }] },
            structures: { trip: [{ to: [hit], kind: [{ text: 'flight', confidence: 1 }] }] },
            relations: { to: [{ head: hit, tail: hit }] },
            truncated: false,
          },
        ],
      },
    });

    it('report their learned labels, and answer in UTF-16', async () => {
      const model = await engineOf([...loads, { hear: 'infer' }, inferred()]).load(baseDirectory, '/adapter');
      expect([model.byteSize, model.abilities]).toEqual([77, abilities]);
      const at = { ...hit, start: 6, end: 10 };
      expect(await model.infer(request, never)).toEqual({
        ...{ warnings: [], inputTokens: [4] },
        results: [
          {
            entities: { city: [{ ...at, label: 'city' }] },
            structures: { trip: [{ to: [at], kind: [{ text: 'flight', confidence: 1 }] }] },
            relations: { to: [{ head: at, tail: at }] },
            truncated: false,
          },
        ],
      });
    });

    it.each<[string, object, new (...args: never[]) => Error, object]>([
      [
        'a head that they lack',
        { kind: 'unsupported', field: 'relations' },
        UnsupportedHeadError,
        { head: 'relations' },
      ],
      ['a schema that they refuse', { kind: 'bad_request', field: 'schema' }, RefusedSchemaError, {}],
      ['no memory', { kind: 'out_of_memory' }, EngineUnavailableError, {}],
      ['an unexpected error', { kind: 'internal' }, EngineUnavailableError, {}],
    ])('report %s', async (_, error, type, fields) => {
      const fault = { say: { type: 'error', id: '2', message: 'the reason', ...error } };
      const model = await engineOf([...loads, { hear: 'infer' }, fault]).load(baseDirectory, null);
      const thrown = await model.infer(request, never).catch((caught: unknown) => caught);
      expect(thrown).toBeInstanceOf(type);
      expect(thrown).toMatchObject(fields);
    });

    it('drop a call that is aborted, and answer the next', async () => {
      const dropped = [{ hear: 'infer', echoes: true }, { hear: 'cancel' }] as const;
      const model = await engineOf([...loads, ...dropped, { hear: 'infer' }, inferred('3')]).load(baseDirectory, null);
      const gone = new AbortController();
      onLog = () => gone.abort(new Error('the caller is gone'));
      await expect(model.infer(request, gone.signal)).rejects.toThrow('the caller is gone');
      expect((await model.infer(request, never)).inputTokens).toEqual([4]);
    });

    it('are loaded again after a crash, which ends the running calls', async () => {
      const crash = [...loads, { hear: 'infer' }, { exit: 139 }];
      const model = await engineOf(crash, [...loads, { hear: 'infer' }, inferred()]).load(baseDirectory, null);
      await expect(model.infer(request, never)).rejects.toThrow(EngineUnavailableError);
      expect((await model.infer(request, never)).results).toHaveLength(1);
    });

    it('refuse a schema that exceeds the limit of a message to Python', async () => {
      const model = await engineOf(loads).load(baseDirectory, null);
      const long = { ...request, schema: { entities: [{ name: 'x'.repeat(16 * 1024 * 1024) }] } };
      await expect(model.infer(long, never)).rejects.toThrow(RefusedSchemaError);
    });
  });
});
