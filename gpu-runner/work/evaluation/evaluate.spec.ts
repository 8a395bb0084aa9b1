import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { EvaluationWork, WorkReport } from '../../contract/work.js';
import {
  RefusedGenerationError,
  type DecoderEngine,
  type GeneratedChunk,
  type GenerateRequest,
  type LoadedDecoder,
} from '#gpu-runner/engines/decoder-engine.js';
import type { WorkContext } from '../context.js';
import { evaluate } from './evaluate.js';
import type { AttemptObjects } from '../patient-objects.js';

const CHATS = `${JSON.stringify({
  messages: [
    { role: 'user', content: 'Capital of France?' },
    { role: 'assistant', content: 'Paris' },
  ],
})}\n`;
const PARTS = ['Pa', 'r', 'is'];

const sha256 = createHash('sha256').update(CHATS).digest('hex');
const work: EvaluationWork = {
  kind: 'evaluation',
  attempt: 1,
  request: {
    evaluationId: 'e',
    workspaceId: 'w',
    userId: 'u',
    model: { id: 'ada/tiny', baseModel: { id: 'ada/tiny', sha256: '00' }, adapter: null },
    engine: { name: 'tiny', version: '1' },
    datasets: [
      {
        name: 'capitals',
        versionId: 'v',
        versionNumber: 1,
        object: { key: 'k', size: CHATS.length, sha256 },
        rows: 1,
        heads: ['messages'],
      },
    ],
    heldOut: null,
    maxExamples: null,
    projectId: null,
    automatic: false,
    trainingJobId: null,
  },
};

describe('an evaluation of a decoder', () => {
  it('reports being alive when the model loads, and with each part of an answer', async () => {
    const told: string[] = [];
    const context = {
      pinned: () => Promise.resolve({ kind: 'decoder', baseDirectory: 'base', engine: engine(told) }),
      objectStore: objectStore(),
      directory: 'nowhere',
      say: {
        working: () => told.push('working'),
        progress: ({ fraction }: { fraction: number }) => told.push(`${fraction}`),
        report: ({ kind }: { kind: string }) => told.push(kind),
      } as unknown as WorkContext['say'],
      signal: new AbortController().signal,
    } satisfies WorkContext;
    await evaluate(work, context);
    expect(told).toEqual([
      ...['working', 'loaded', 'working'],
      ...PARTS.flatMap((part) => [part, 'working']),
      ...['end', 'working', 'working', '1', 'evaluated'],
    ]);
  });
});

describe('the answers of an evaluation that is lost', () => {
  const capitals = ['France', 'Peru', 'Chad'];
  const rows = capitals.map((land) => ({
    messages: [
      { role: 'user', content: `Capital of ${land}?` },
      { role: 'assistant', content: land === 'Chad' ? "N'Djamena" : 'Paris' },
    ],
  }));
  const content = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const object = { key: 'k', size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  const datasets = [{ ...work.request.datasets[0]!, rows: rows.length, object }];
  const objects = new Map([['k', content]]);
  const reports: WorkReport[] = [];
  const attempt = (asked: GenerateRequest[], fails: string | null, request = {}) =>
    evaluate(
      { ...work, request: { ...work.request, datasets, ...request } },
      {
        pinned: () => Promise.resolve({ kind: 'decoder', baseDirectory: 'base', engine: failingAt(fails, asked) }),
        objectStore: kept(objects),
        directory: 'nowhere',
        say: {
          working: () => undefined,
          progress: () => undefined,
          report: (each: WorkReport) => reports.push(each),
        } as unknown as WorkContext['say'],
        signal: new AbortController().signal,
      },
    );
  const questions = (asked: readonly GenerateRequest[]) =>
    asked.map(({ input }) => 'messages' in input && input.messages[0]!.content);

  it('are not generated again by the next attempt, and are as long as the rows have them', async () => {
    const [first, second, third]: GenerateRequest[][] = [[], [], []];
    await expect(attempt(first!, 'Peru')).rejects.toThrow('lost at Peru');
    await attempt(second!, null);
    expect(questions(second!)).toEqual(['Capital of Peru?']);
    // Its bytes, and room for the tokens that mark it.
    expect(second![0]!.maxTokens).toBe(9 + 32);
    expect(reports[0]).toMatchObject({ sampleCount: 3, metrics: { generation: { exactMatch: { value: 0.666667 } } } });
    await attempt(third!, null, { evaluationId: 'other', maxAnswerTokens: 5 });
    expect(third!.map(({ maxTokens }) => maxTokens)).toEqual([5, 5, 5]);
  });
});

describe('an evaluation where a server generates for the engine', () => {
  const evaluated = async (takes: (request: GenerateRequest) => boolean) => {
    const told: string[] = [];
    const reports: WorkReport[] = [];
    const named = { name: 'llama', version: '3' };
    const scoring = engine(told, () => Promise.resolve({ nats: Math.LN2, tokens: 1 }));
    const server = { ...engine(told), close: () => Promise.resolve(void told.push('closed')) };
    await evaluate(work, {
      pinned: () =>
        Promise.resolve({
          ...{ kind: 'decoder', baseDirectory: 'base', engine: scoring },
          server: { named, takes, open: () => server },
        }),
      objectStore: objectStore(),
      directory: 'nowhere',
      say: {
        working: () => undefined,
        progress: () => undefined,
        report: (each: WorkReport) => reports.push(each),
      } as unknown as WorkContext['say'],
      signal: new AbortController().signal,
    });
    return { told, report: reports[0] as Extract<WorkReport, { kind: 'evaluated' }> };
  };

  it("has the answers of the server, and says so; the perplexity is the engine's", async () => {
    const { told, report } = await evaluated(() => true);
    expect(told).toEqual(['loaded', 'loaded', ...PARTS, 'end', 'closed']);
    expect(report.engine).toEqual({ name: 'llama', version: '3' });
    expect(report.metrics.generation!.perplexity).toMatchObject({ value: 2 });
  });

  it('has the answers of the engine if the server does not take all calls', async () => {
    const { told, report } = await evaluated(({ temperature }) => temperature !== 0);
    expect(told).toEqual(['loaded', ...PARTS, 'end']);
    expect(report).not.toHaveProperty('engine');
  });
});

describe('an evaluation with a judge', () => {
  const judge = {
    requestedBy: { kind: 'key', teamId: 't', keyId: null },
    ...{ maxCostPicodollars: null, modelId: 'acme/chat', provider: 'acme', model: 'chat', rubric: 'Is right.' },
    promptVersion: 1,
  } as const;
  const judged: EvaluationWork = { ...work, request: { ...work.request, judge } };

  it('first stores the answers for the judge, and later computes figures from them and its verdicts, without the model', async () => {
    const objects = new Map<string, Buffer>([['k', Buffer.from(CHATS)]]);
    const reports: WorkReport[] = [];
    const context = {
      pinned: () => Promise.resolve({ kind: 'decoder', baseDirectory: 'base', engine: engine([]) } as const),
      objectStore: kept(objects),
      directory: 'nowhere',
      say: {
        working: () => undefined,
        progress: () => undefined,
        report: (each: WorkReport) => reports.push(each),
      } as unknown as WorkContext['say'],
      signal: new AbortController().signal,
    } satisfies WorkContext;
    await evaluate(judged, context);
    const [answered] = reports as [Extract<WorkReport, { kind: 'answered' }>];
    expect(answered.kind).toBe('answered');
    expect(objects.get(answered.answers.objectKey)!.toString()).toBe('{"row":0,"said":"Paris","refusal":null}\n');

    const verdict = { row: 0, score: 4, reason: 'Names the city.', problem: null };
    const verdicts = await context.objectStore.put('verdicts', Buffer.from(`${JSON.stringify(verdict)}\n`));
    const pinned = () => Promise.reject(new Error('the model is not needed'));
    const { answers } = answered;
    await evaluate(
      { ...judged, attempt: 3, answers, verdicts: { ...verdicts, objectKey: 'verdicts' } },
      { ...context, pinned },
    );
    expect(reports[1]).toMatchObject({
      ...{ kind: 'evaluated', sampleCount: 1 },
      metrics: { generation: { exactMatch: { value: 1 }, judge: { score: { value: 4 }, scored: 1, malformed: 0 } } },
    });
    expect(JSON.parse(objects.get('evaluations/e/3/predictions.jsonl')!.toString())).toMatchObject({
      predicted: { completion: 'Paris', judge: { score: 4, reason: 'Names the city.' } },
    });
  });
});

describe('an evaluation on rows with tools', () => {
  it('compares calls by their names and arguments', async () => {
    const row = (place: string) => ({
      messages: [
        { role: 'user', content: `How is ${place}?` },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', function: { name: 'weather', arguments: `{"place":"${place}"}` } }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
    });
    const content = Buffer.from(['Ghent', 'Lima'].map((place) => `${JSON.stringify(row(place))}\n`).join(''));
    const objects = new Map([['k', content]]);
    const asked: GenerateRequest[] = [];
    const reports: WorkReport[] = [];
    const dataset = { ...work.request.datasets[0]!, rows: 2 };
    const object = { key: 'k', size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    await evaluate(
      { ...work, request: { ...work.request, datasets: [{ ...dataset, object }] } },
      {
        pinned: () => Promise.resolve({ kind: 'decoder', baseDirectory: 'base', engine: calling(asked) }),
        objectStore: kept(objects),
        directory: 'nowhere',
        say: {
          working: () => undefined,
          progress: () => undefined,
          report: (each: WorkReport) => reports.push(each),
        } as unknown as WorkContext['say'],
        signal: new AbortController().signal,
      },
    );
    expect(asked[0]).toMatchObject({ tools: [{ name: 'weather' }], input: { messages: [{ role: 'user' }] } });
    expect(reports[0]).toMatchObject({
      metrics: { generation: { exactMatch: { value: 0.5 }, json: { fieldF1: { value: 0.75 } } } },
    });
  });
});

describe('the perplexity of an evaluation', () => {
  const evaluated = async (of: DecoderEngine) => {
    const reports: WorkReport[] = [];
    await evaluate(work, {
      pinned: () => Promise.resolve({ kind: 'decoder', baseDirectory: 'base', engine: of }),
      objectStore: objectStore(),
      directory: 'nowhere',
      say: {
        working: () => undefined,
        progress: () => undefined,
        report: (each: WorkReport) => reports.push(each),
      } as unknown as WorkContext['say'],
      signal: new AbortController().signal,
    });
    return (reports[0] as Extract<WorkReport, { kind: 'evaluated' }>).metrics.generation!.perplexity;
  };

  it('is that of the expected answers, by the model itself', async () => {
    const asked: string[] = [];
    const scoring = engine([], (chat) => {
      asked.push(chat.messages.at(-1)!.content);
      return Promise.resolve({ nats: 3 * Math.LN2, tokens: 3 });
    });
    expect(await evaluated(scoring)).toEqual({ value: 2, low: 2, high: 2 });
    expect(asked).toEqual(['Paris']);
  });

  it('is absent if the model cannot score, or could read no chat', async () => {
    expect(await evaluated(engine([]))).toBeUndefined();
    expect(await evaluated(engine([], () => Promise.resolve({ nats: 0, tokens: 0 })))).toBeUndefined();
    const refuses = () => Promise.reject(new RefusedGenerationError('input', 'has half of a character'));
    expect(await evaluated(engine([], refuses))).toBeUndefined();
  });
});

/** Keeps what is stored, with its hash. */
function kept(objects: Map<string, Buffer>): AttemptObjects {
  return {
    list: (prefix) =>
      Readable.from([...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key, size: 0 }))),
    deletePrefix: () => Promise.reject(new Error('it is not asked for')),
    get: (key) => Promise.resolve(Readable.from([objects.get(key)!]) as AsyncIterable<Uint8Array>),
    async put(key, content) {
      const chunks = content instanceof Uint8Array ? [content] : await Array.fromAsync(content);
      const bytes = Buffer.concat(chunks);
      objects.set(key, bytes);
      return { key, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    },
  };
}

/** Answers 'Paris', but is lost at the questions with a word: once the others are answered. */
function failingAt(word: string | null, asked: GenerateRequest[]): DecoderEngine {
  const answered: Promise<unknown>[] = [];
  async function* generate(request: GenerateRequest): AsyncIterable<GeneratedChunk> {
    asked.push(request);
    if (word !== null && JSON.stringify(request.input).includes(word)) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await Promise.all(answered);
      throw new Error(`lost at ${word}`);
    }
    const end = Promise.withResolvers<void>();
    answered.push(end.promise);
    yield await Promise.resolve({ type: 'text', text: 'Paris' });
    yield { type: 'end', reason: 'stop', inputTokens: 3, outputTokens: 2 };
    end.resolve();
  }
  const nothing = () => Promise.resolve();
  return { ...engine([]), load: () => Promise.resolve({ byteSize: 0, ready: nothing, generate, close: nothing }) };
}

/** Asks for the weather in Ghent whatever it is asked. */
function calling(asked: GenerateRequest[]): DecoderEngine {
  async function* generate(request: GenerateRequest): AsyncIterable<GeneratedChunk> {
    asked.push(request);
    yield await Promise.resolve({ type: 'text', text: 'Let me see.' });
    yield { type: 'tool-call', id: 'other', name: 'weather', input: '{ "place": "Ghent" }' };
    yield { type: 'end', reason: 'tool_calls', inputTokens: 3, outputTokens: 4 };
  }
  const nothing = () => Promise.resolve();
  return { ...engine([]), load: () => Promise.resolve({ byteSize: 0, ready: nothing, generate, close: nothing }) };
}

function engine(told: string[], score?: LoadedDecoder['score']): DecoderEngine {
  async function* generate(): AsyncIterable<GeneratedChunk> {
    for (const text of PARTS) {
      told.push(text);
      yield await Promise.resolve({ type: 'text', text });
    }
    told.push('end');
    yield { type: 'end', reason: 'stop', inputTokens: 3, outputTokens: PARTS.length };
  }
  const nothing = () => Promise.resolve();
  return {
    load: () => {
      told.push('loaded');
      return Promise.resolve({ byteSize: 0, ready: nothing, generate, ...(score && { score }), close: nothing });
    },
    train: () => Promise.reject(new Error('is not trained here')),
    close: nothing,
  };
}

/** Holds one dataset, and takes whatever is stored. */
function objectStore(): AttemptObjects {
  const chunks = async function* () {
    yield await Promise.resolve(Buffer.from(CHATS));
  };
  const stored = { sha256: '', size: 0 };
  return {
    ...kept(new Map()),
    get: () => Promise.resolve(chunks()),
    put: async (key, content) => {
      if (!(content instanceof Uint8Array)) await Array.fromAsync(content);
      return { ...stored, key };
    },
  };
}
