import { jest } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importModel } from '#models/imported/index.js';
import { eventually } from '#test/support/eventually.js';
import { writeTinyDecoder } from '#models/imported/tiny-decoder.fixture.js';
import {
  EngineUnavailableError,
  RefusedGenerationError,
  UnsupportedExportError,
  type DecoderEngine,
  type DecoderTrainRequest,
  type ExportReport,
  type GeneratedChunk,
  type GenerateRequest,
  type LoadedDecoder,
} from '../decoder-engine.js';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import { ArtifactError, TrainingError, type DecoderSettings, type TrainReport } from '../engine.js';
import { createTorch } from './engine.js';
import { EngineProcess } from './process.js';
import { hello, type Step } from './scripted-python.fixture.js';
import { resolveSettings } from './settings.js';

const SCRIPTED = fileURLToPath(new URL('./scripted-python.fixture.js', import.meta.url));
const FACTS = { trainingType: 'lora', rows: 2, entityRows: 0, classSizes: [], multiLabel: false } as const;
const CHAT = {
  messages: [
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: 'In Ghent.' },
  ],
} as const;
const never = new AbortController().signal;
/** Scripts of processes that end before they have their task. */
const LOST: readonly [string, readonly Step[]][] = [
  ['before its hello', [{ print: 'no memory\n' }, { exit: 3 }]],
  [
    'while it is given its task',
    [{ deaf: true }, { hangUp: true }, { say: hello }, { print: 'no memory\n' }, { exit: 3 }],
  ],
];
const LOSS = new EngineUnavailableError(
  'The process of the torch engine was lost: it ended with code 3; the last line of its log is: no memory',
);

type Rows =
  | Pick<Extract<DecoderTrainRequest, { kind: 'chats' }>, 'kind' | 'train' | 'validation'>
  | Pick<Extract<DecoderTrainRequest, { kind: 'preferences' }>, 'kind' | 'train' | 'validation'>;

describe('the torch engine', () => {
  let folder: string;
  let baseDirectory: string;
  let engine: DecoderEngine | null = null;
  let started: EngineProcess[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'torch-engine-'));
    const source = join(folder, 'source');
    await mkdir(source);
    await writeTinyDecoder(source, { contextTokens: 64 });
    await Array.fromAsync(importModel(source, { id: 'ada/tiny', licence: null }, folder));
    baseDirectory = join(folder, 'ada--tiny');
    started = [];
  });
  afterEach(async () => {
    await engine?.close();
    await Promise.all(started.map((python) => python.stop(0)));
    await rm(folder, { recursive: true });
  });

  const engineOf = (...scripts: (readonly Step[])[]): DecoderEngine =>
    engineOfWhole(...scripts.map((script) => [{ say: hello }, ...script]));

  /** @param scripts one for each process that is started, with its hello */
  const engineOfWhole = (...scripts: (readonly Step[])[]): DecoderEngine =>
    (engine = createTorch(async (onMessage) => {
      const script = scripts.shift();
      if (!script) throw new Error('one process more than expected');
      const steps = JSON.stringify(script);
      const command = [process.execPath, SCRIPTED, steps] as const;
      const python = await EngineProcess.start({ command, environment: {}, directory: folder, onMessage });
      started.push(python);
      return python;
    }).decoders);

  describe('during an export', () => {
    const exported = { say: { type: 'exported', directory: '/out', dtype: 'bfloat16', parameters: 12 } };
    const request = { format: 'merged', adapterDirectory: '/adapter', outputDirectory: '/out' } as const;
    const exports = (
      script: readonly Step[],
      report: (report: ExportReport) => void = () => undefined,
      signal = never,
    ) => exportBy(engineOf([{ hear: 'export', echoes: true }, ...script]), report, signal);
    const exportBy = (decoders: DecoderEngine, report: (report: ExportReport) => void, signal = never) =>
      decoders.export!({ ...request, baseDirectory }, report, signal);

    it('passes on the base with its hash, and reports progress and result', async () => {
      const said: ExportReport[] = [];
      const progress = { say: { type: 'progress', fraction: 0.5, epoch: 0, step: 0 } };
      const result = await exports([progress, exported], (report) => void said.push(report));
      expect(result).toEqual({ dtype: 'bfloat16', parameters: 12, baseLicence: null, versions: { python: '3.11.7' } });
      const [log, half] = said;
      expect(JSON.parse((log as ExportReport & { kind: 'log' }).message)).toEqual({
        ...{ type: 'export', format: 'merged', adapter: '/adapter', output: '/out' },
        base: { id: 'ada/tiny', sha256: await baseModelSha256(baseDirectory), directory: baseDirectory },
      });
      expect(half).toEqual({ kind: 'progress', fraction: 0.5 });
    });

    it('refuses with the reason that Python gives', async () => {
      const refused = (kind: string) => exports([{ say: { type: 'error', id: null, kind, message: 'no such' } }]);
      await expect(refused('unsupported')).rejects.toThrow(UnsupportedExportError);
      await expect(refused('artifact')).rejects.toThrow(ArtifactError);
    });

    it('fails with its process, and reports the last lines', async () => {
      const said: ExportReport[] = [];
      const lost = exports([{ print: 'out of luck\n' }, { exit: 7 }], (report) => void said.push(report));
      await expect(lost).rejects.toThrow(EngineUnavailableError);
      expect(said.at(-1)).toEqual({ kind: 'log', level: 'warn', message: 'out of luck' });
    });

    it.each(LOST)('reports how its process was lost %s, and the last lines', async (_, script) => {
      const said: ExportReport[] = [];
      const lost = exportBy(engineOfWhole(script), (report) => void said.push(report));
      await expect(lost).rejects.toThrow(LOSS);
      expect(said).toEqual([{ kind: 'log', level: 'warn', message: 'no memory' }]);
    });

    it('is cancelled by its signal', async () => {
      const stop = new AbortController();
      const cancelled = { say: { type: 'error', id: null, kind: 'cancelled', message: 'Cancelled' } };
      const ended = exports([{ hear: 'cancel' }, cancelled], () => stop.abort(new Error('stopped')), stop.signal);
      await expect(ended).rejects.toThrow('stopped');
    });
  });

  describe('during training', () => {
    const step = { epoch: 1, step: 4, trainingLoss: 0.5, validationLoss: 0.6, learningRate: 1e-4 };
    const losses = { finalTrainingLoss: 0.5, finalValidationLoss: 0.6, bestValidationLoss: 0.6 };
    const metrics = { ...losses, perplexity: 1.8, rewardAccuracy: null, rewardMargin: null };
    const trained = { say: { type: 'trained', directory: '/out/final', epochsRun: 1, metrics } };
    const checkpoint = { ...step, directory: '/out/1', isBest: true, isFinal: true };

    const train = (
      script: readonly Step[],
      report: (report: TrainReport) => void | Promise<void> = () => undefined,
      signal = never,
      rows?: Rows,
      decoder?: DecoderSettings,
    ) => trainBy(engineOf([{ hear: 'train', echoes: true }, ...script]), report, signal, rows, decoder);
    const trainBy = (
      decoders: DecoderEngine,
      report: (report: TrainReport) => void | Promise<void>,
      signal = never,
      rows: Rows = { kind: 'chats', train: [CHAT, CHAT], validation: [CHAT] },
      decoder?: DecoderSettings,
    ) =>
      decoders.train(
        {
          ...rows,
          settings: { ...resolveSettings(FACTS, { epochs: 1, seed: 7 }), ...(decoder && { decoder }) },
          baseDirectory,
          startFrom: null,
          resumeFrom: '/resume',
          outputDirectory: join(folder, 'out'),
        },
        report,
        signal,
      );

    it('passes on rows as files, settings, and the base with the hash of its manifest', async () => {
      const said: TrainReport[] = [];
      await train([trained], (report) => void said.push(report));
      const [log] = said;
      const message = JSON.parse((log as TrainReport & { kind: 'log' }).message);
      expect(message).toMatchObject({
        kind: 'decoder',
        base: { id: 'ada/tiny', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), directory: baseDirectory },
        startFrom: null,
        resumeFrom: '/resume',
        settings: { epochs: 1, seed: 7, loraR: 16, loraAlpha: 32, trainingType: 'lora', maxTokens: 64 },
      });
      expect(message.settings).not.toHaveProperty('multiLabel');
      expect(await readFile(message.train, 'utf8')).toBe(`${JSON.stringify(CHAT)}\n`.repeat(2));
      expect(await readFile(message.validation, 'utf8')).toBe(`${JSON.stringify(CHAT)}\n`);
    });

    it('passes on tools, calls and what is read alone in the shape of OpenAI', async () => {
      const said: TrainReport[] = [];
      const tools = [{ name: 'find', parameters: { type: 'object' } }];
      const call = { id: 'c1', name: 'find', input: '{"what":"it"}' };
      const prompt = [
        { role: 'user', content: 'Where is it?', name: 'ada' },
        { role: 'assistant', content: 'Lost.', isContext: true },
        { role: 'user', content: 'Look again.' },
        { role: 'assistant', content: '', toolCalls: [call], reasoning: 'I look.' },
        { role: 'tool', content: 'Ghent', toolCallId: 'c1' },
      ] as const;
      const chat = { messages: [...prompt, { role: 'assistant', content: 'In Ghent.' }], tools } as const;
      const message = async (rows: Rows) => {
        await train([trained], (report) => void said.push(report), never, rows);
        return JSON.parse((said.at(-1) as TrainReport & { kind: 'log' }).message) as { train: string };
      };
      const written = async (rows: Rows) => JSON.parse(await readFile((await message(rows)).train, 'utf8')) as unknown;
      const messages = [
        { role: 'user', content: 'Where is it?', name: 'ada' },
        { role: 'assistant', content: 'Lost.', weight: 0 },
        { role: 'user', content: 'Look again.' },
        {
          ...{ role: 'assistant', content: '', reasoning_content: 'I look.' },
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"what":"it"}' } }],
        },
        { role: 'tool', content: 'Ghent', tool_call_id: 'c1' },
      ];
      const given = [{ type: 'function', function: tools[0] }];
      expect(await written({ kind: 'chats', train: [chat], validation: [] })).toEqual({
        messages: [...messages, { role: 'assistant', content: 'In Ghent.' }],
        tools: given,
      });
      const answers = { chosen: 'In Ghent.', rejected: 'No idea.' };
      const pair = { prompt, tools, ...answers };
      expect(await written({ kind: 'preferences', train: [pair], validation: [] })).toEqual({
        ...{ prompt: messages, tools: given },
        ...answers,
      });
    });

    it('passes on pairs of answers with their beta, and reports rewards', async () => {
      const said: TrainReport[] = [];
      const prompt = [{ role: 'user', content: 'Where is it?' }] as const;
      const pair = { prompt, chosen: 'In Ghent.', rejected: 'No idea.' };
      const end = { ...trained.say, metrics: { ...metrics, rewardAccuracy: 0.75, rewardMargin: 1.5 } };
      const options = { packing: false, gradientCheckpointing: true, loadIn4bit: true, beta: 0.3 };
      const rows = { kind: 'preferences', train: [pair, pair], validation: [pair] } as const;
      const result = await train([{ say: end }], (report) => void said.push(report), never, rows, options);
      const message = JSON.parse((said[0] as TrainReport & { kind: 'log' }).message);
      expect(message).toMatchObject({ kind: 'preferences', settings: { epochs: 1, ...options } });
      expect(message.settings).not.toHaveProperty('decoder');
      expect(await readFile(message.train, 'utf8')).toBe(`${JSON.stringify(pair)}\n`.repeat(2));
      expect(result.metrics).toEqual({ ...losses, rewards: { accuracy: 0.75, margin: 1.5 } });
    });

    it('reports progress, epochs and checkpoints in order, and then its result', async () => {
      const said: string[] = [];
      const script = [
        { say: { type: 'progress', fraction: 0.5, epoch: 1, step: 2 } },
        { say: { type: 'epoch', epochs: 1, ...step } },
        { say: { type: 'checkpoint', seq: 1, ...checkpoint } },
        { hear: 'ack' },
        trained,
      ];
      const reports: TrainReport[] = [];
      const result = await train(script, (report) => {
        said.push(report.kind);
        reports.push(report);
      });
      expect(said).toEqual(['log', 'progress', 'epoch', 'checkpoint']);
      expect(reports[2]).toEqual({ kind: 'epoch', epochs: 1, f1: null, ...step });
      expect(reports[3]).toEqual({ kind: 'checkpoint', f1: null, ...checkpoint });
      expect(result).toEqual({ artifactDirectory: '/out/final', metrics: losses, epochsRun: 1 });
    });

    it('acknowledges a checkpoint only once it was stored', async () => {
      const events: string[] = [];
      const script: Step[] = [
        { say: { type: 'checkpoint', seq: 9, ...checkpoint } },
        { hear: 'ack', echoes: true },
        trained,
      ];
      await train(script, async (report) => {
        if (report.kind === 'log') return void events.push(report.message.includes('"ack"') ? report.message : 'train');
        await new Promise((resolve) => setTimeout(resolve, 50));
        events.push('stored');
      });
      expect(events).toEqual(['train', 'stored', '{"type":"ack","seq":9}']);
    });

    const fails = (kind: string) => [{ say: { type: 'error', id: null, kind, message: 'the reason' } }];
    it.each<[string, readonly Step[], new (message: string) => Error, RegExp]>([
      ['rows that cannot be learned from', fails('training'), TrainingError, /^the reason$/],
      ['an artifact of another base', fails('artifact'), ArtifactError, /^the reason$/],
      ['an unexpected message', fails('unsupported'), TrainingError, /^the reason$/],
      ['no memory', fails('out_of_memory'), EngineUnavailableError, /no memory left/],
      [
        'a crash, with the last line of its log',
        [{ print: 'CUDA error: unspecified launch failure in /opt/x/kernel.cu\n' }, { exit: 134 }],
        EngineUnavailableError,
        /was lost: it ended with code 134; .* is: CUDA error: unspecified launch failure in kernel\.cu$/,
      ],
      ['an end without a result', [{ exit: 0 }], EngineUnavailableError, /was lost: it ended with code 0$/],
      ['a message that makes no sense now', [{ say: { type: 'done', id: '1' } }], EngineUnavailableError, /sent done/],
    ])('reports %s', async (_, script, type, message) => {
      const ended = await train(script).catch((error: unknown) => error);
      expect(ended).toBeInstanceOf(type);
      expect((ended as Error).message).toMatch(message);
    });

    it("adds the last lines of a crashed process to the job's log", async () => {
      const said: TrainReport[] = [];
      const script = [{ print: 'step 7\nCUDA error in /opt/x/kernel.cu\n' }, { exit: 134 }];
      await expect(train(script, (report) => void said.push(report))).rejects.toThrow(EngineUnavailableError);
      const message = 'The process of the torch engine wrote last:\nstep 7\nCUDA error in kernel.cu';
      expect(said.at(-1)).toEqual({ kind: 'log', level: 'warn', message });
    });

    it.each(LOST)('reports how its process was lost %s, and the last lines', async (_, script) => {
      const said: TrainReport[] = [];
      await expect(trainBy(engineOfWhole(script), (report) => void said.push(report))).rejects.toThrow(LOSS);
      const message = 'The process of the torch engine wrote last:\nno memory';
      expect(said).toEqual([{ kind: 'log', level: 'warn', message }]);
    });

    it('reports being alive at each heartbeat', async () => {
      const said: string[] = [];
      await train([{ say: { type: 'heartbeat' } }, trained], ({ kind }) => void said.push(kind));
      expect(said).toEqual(['log', 'working']);
    });

    it('is cancelled by the signal, with its reason', async () => {
      const stop = new AbortController();
      const script = [
        { hear: 'cancel' },
        { say: { type: 'error', id: null, kind: 'cancelled', message: 'Cancelled' } },
      ];
      const training = train(script, () => stop.abort(new Error('not wanted')), stop.signal);
      await expect(training).rejects.toThrow('not wanted');
      expect(await started[0]!.ended).toBeNull();
    });

    it('refuses a base model of which a byte has changed, before starting anything', async () => {
      await writeFile(join(baseDirectory, 'model.safetensors'), 'Weights');
      await expect(train([])).rejects.toThrow(ArtifactError);
      expect(started).toEqual([]);
    });
  });

  describe('while serving', () => {
    /** Lines for the operator. */
    let logged: string[];
    beforeEach(() => {
      logged = [];
      jest.spyOn(console, 'error').mockImplementation((line: string) => void logged.push(line));
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const loads: readonly Step[] = [{ hear: 'load' }, { say: { type: 'loaded', model: '1', byteSize: 77 } }];
    const token = (seq: number, text: string, more: object = {}) => ({
      say: { type: 'token', id: '2', seq, text, ...more },
    });
    const done = (more: object = {}) => ({
      say: {
        type: 'done',
        id: '2',
        finishReason: 'stop',
        stopSequence: null,
        toolCalls: [],
        usage: { inputTokens: 5, outputTokens: 3 },
        ...more,
      },
    });
    const end = { type: 'end', reason: 'stop', inputTokens: 5, outputTokens: 3 };
    const request: GenerateRequest = { input: { messages: [CHAT.messages[0]] }, maxTokens: null };
    const generate = (model: LoadedDecoder): Promise<GeneratedChunk[]> =>
      Array.fromAsync(model.generate(request, never));

    it('loads a model, and streams its answer piece by piece', async () => {
      const logprobs = [{ token: 'In', logprob: -0.1, bytes: [73, 110], top: [] }];
      const script = [...loads, { hear: 'generate' }, token(1, 'In', { logprobs }), token(2, ' Ghent'), done()];
      const model = await engineOf(script).load(baseDirectory, null);
      expect(model.byteSize).toBe(77);
      expect(await generate(model)).toEqual([
        { type: 'text', text: 'In', logprobs },
        { type: 'text', text: ' Ghent' },
        end,
      ]);
    });

    it('acknowledges consumed tokens, so that Python may continue', async () => {
      const script = [...loads, { hear: 'generate' }, token(1, 'In'), { hear: 'ack' }, token(2, ' Ghent'), done()];
      const model = await engineOf(script).load(baseDirectory, null);
      expect(await generate(model)).toHaveLength(3);
    });

    it('returns tool calls, and the stop sequence that ended the text', async () => {
      const toolCalls = [{ name: 'find', arguments: '{"id": 7}' }];
      const tools = [...loads, { hear: 'generate' }, done({ finishReason: 'tool_calls', toolCalls })];
      const [call, last] = await generate(await engineOf(tools).load(baseDirectory, null));
      expect(call).toEqual({
        type: 'tool-call',
        id: expect.stringMatching(/^call_\w{32}$/),
        name: 'find',
        input: '{"id": 7}',
      });
      expect(last).toEqual({ ...end, reason: 'tool_calls' });
      await engine!.close();
      const stops = [...loads, { hear: 'generate' }, done({ stopSequence: 'END' })];
      expect(await generate(await engineOf(stops).load(baseDirectory, null))).toEqual([
        { ...end, reason: 'stop_sequence', stopSequence: 'END' },
      ]);
    });

    it.each<[string, object, new (...args: never[]) => Error, string | undefined]>([
      ['a request that it refuses', { kind: 'bad_request', field: 'jsonSchema' }, RefusedGenerationError, 'format'],
      ['a field of another name', { kind: 'unsupported', field: 'messages' }, RefusedGenerationError, 'input'],
      ['no memory', { kind: 'out_of_memory' }, EngineUnavailableError, undefined],
    ])('reports %s', async (_, error, type, field) => {
      const fault = { say: { type: 'error', id: '2', message: 'the reason', ...error } };
      const model = await engineOf([...loads, { hear: 'generate' }, fault]).load(baseDirectory, null);
      const thrown = await generate(model).catch((caught: unknown) => caught);
      expect(thrown).toBeInstanceOf(type);
      expect((thrown as { field?: string }).field).toBe(field);
    });

    it('returns the likelihood of an answer, or the reason for its absence', async () => {
      const script = [...loads, { hear: 'score' }, { say: { type: 'scored', id: '2', nats: 1.5, tokens: 3 } }];
      const model = await engineOf(script).load(baseDirectory, null);
      expect(await model.score!(CHAT, never)).toEqual({ nats: 1.5, tokens: 3 });
      const fault = { say: { type: 'error', id: '2', message: 'the reason', kind: 'bad_request', field: 'messages' } };
      const refusing = await engineOf([...loads, { hear: 'score' }, fault]).load(baseDirectory, null);
      await expect(refusing.score!(CHAT, never)).rejects.toThrow(RefusedGenerationError);
      const dying = await engineOf([...loads, { hear: 'score' }, { exit: 1 }]).load(baseDirectory, null);
      await expect(dying.score!(CHAT, never)).rejects.toThrow(EngineUnavailableError);
    });

    it('cancels a generation that is aborted or no longer read', async () => {
      const gone = new AbortController();
      const script = [...loads, { hear: 'generate' }, token(1, 'In'), { hear: 'cancel' }, { exit: 0 }];
      const left = await engineOf(script).load(baseDirectory, null);
      for await (const chunk of left.generate(request, never)) if (chunk.type === 'text') break;
      await started[0]!.ended;
      const aborted = await engineOf(script).load(baseDirectory, null);
      const reading = (async () => {
        for await (const chunk of aborted.generate(request, gone.signal))
          if (chunk.type === 'text') gone.abort(new Error('the caller is gone'));
      })();
      await expect(reading).rejects.toThrow('the caller is gone');
      await started[1]!.ended;
    });

    it('ends the calls of a crashed process, and loads the model again in another', async () => {
      const crash = [...loads, { hear: 'generate' }, token(1, 'In'), { print: 'Segmentation fault\n' }, { exit: 139 }];
      const again = [...loads, { hear: 'generate' }, done()];
      const model = await engineOf(crash, again).load(baseDirectory, null);
      const thrown = await generate(model).catch((caught: unknown) => caught);
      expect(thrown).toBeInstanceOf(EngineUnavailableError);
      expect(await generate(model)).toEqual([end]);
    });

    it('tells only the operator why its process was lost, because it served several workspaces', async () => {
      const crash = [...loads, { hear: 'generate' }, { print: 'prompt of another\nKilled\n' }, { exit: 137 }];
      const again = [{ print: 'prompt of another\n' }, { exit: 1 }];
      const model = await engineOfWhole([{ say: hello }, ...crash], again).load(baseDirectory, null);
      for (let call = 1; call <= 2; call += 1)
        await expect(generate(model)).rejects.toThrow(/^The process of the torch engine was lost$/);
      expect(logged).toEqual([
        expect.stringMatching(/ended with code 137.*\nprompt of another\nKilled$/s),
        expect.stringMatching(/ended with code 1;.*\nprompt of another$/s),
      ]);
    });

    it('can be aborted while its process restarts', async () => {
      const gone = new AbortController();
      const model = await engineOf([...loads, { exit: 1 }], [{ hear: 'load' }]).load(baseDirectory, null);
      await started[0]!.ended;
      const generating = Array.fromAsync(model.generate(request, gone.signal));
      await eventually(() => started.length === 2);
      gone.abort(new Error('the caller is gone'));
      await expect(generating).rejects.toThrow('the caller is gone');
    });

    it('refuses a request that exceeds the limit of a message to Python, and continues', async () => {
      const model = await engineOf([...loads, { hear: 'generate' }, done({ id: '3' })]).load(baseDirectory, null);
      const long = { ...request, input: { prompt: 'x'.repeat(16 * 1024 * 1024) } };
      const refused = await Array.fromAsync(model.generate(long, never)).catch((error: unknown) => error);
      expect(refused).toMatchObject({ name: 'RefusedGenerationError', field: 'input' });
      expect(await generate(model)).toEqual([end]);
    });

    it('loads a model that was imported again by the hash of its new files', async () => {
      const told = [{ hear: 'load', echoes: true }, loads[1]!] as const;
      const model = await engineOf([...told, { exit: 1 }], [...told, { hear: 'generate' }, done()]).load(
        baseDirectory,
        null,
      );
      await started[0]!.ended;
      const source = join(folder, 'source');
      await writeTinyDecoder(source, { contextTokens: 32 });
      await Array.fromAsync(importModel(source, { id: 'ada/tiny', licence: null }, folder));
      expect(await generate(model)).toEqual([end]);
      const hashes = logged.flatMap((line) => /"sha256":"(\w+)"/.exec(line)?.[1] ?? []);
      expect(hashes).toEqual([expect.any(String), await baseModelSha256(baseDirectory)]);
      expect(hashes[0]).not.toBe(hashes[1]);
    });

    it('reports why a model cannot be loaded', async () => {
      const fault = {
        say: { type: 'error', id: null, model: '1', kind: 'artifact', message: 'The adapter is damaged' },
      };
      const loading = engineOf([{ hear: 'load' }, fault]).load(baseDirectory, '/adapter');
      await expect(loading).rejects.toThrow(ArtifactError);
      await writeFile(join(baseDirectory, 'model.safetensors'), 'Weights');
      await expect(engineOf([]).load(baseDirectory, null)).rejects.toThrow(/model\.safetensors differs/);
    });

    it('is unavailable while its process does not start', async () => {
      const decoders = engineOf([{ exit: 1 }], loads);
      await expect(decoders.load(baseDirectory, null)).rejects.toThrow(EngineUnavailableError);
      expect((await decoders.load(baseDirectory, null)).byteSize).toBe(77);
    });

    it('is unavailable to a load that meets an exiting process', async () => {
      const dying = [{ deaf: true }, { hangUp: true }, { say: hello }, { exit: 1 }] as const;
      await expect(engineOfWhole(dying).load(baseDirectory, null)).rejects.toThrow(EngineUnavailableError);
      // A rejection that nobody handles fails the test.
      await new Promise(setImmediate);
    });

    it('ends its process when it is closed', async () => {
      const decoders = engineOf(loads);
      await decoders.load(baseDirectory, null);
      await decoders.close();
      expect(await started[0]!.ended).toBeNull();
    });
  });
});
