import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatExample, GenerateRequest, LoadedDecoder } from '#gpu-runner/engines/decoder-engine.js';
import { decoders } from './engine.js';
import { parrot } from './registration.js';

const row = (asked: string, answer: string): ChatExample => ({
  messages: [
    { role: 'user', content: asked },
    { role: 'assistant', content: answer },
  ],
});
const ask = (content: string): GenerateRequest => ({
  input: { messages: [{ role: 'user', content }] },
  maxTokens: null,
});

describe('a decoder engine', () => {
  let outputDirectory: string;
  let model: LoadedDecoder;

  beforeAll(async () => {
    outputDirectory = await mkdtemp(join(tmpdir(), 'parrot-'));
    const settings = parrot.resolveSettings(
      { trainingType: 'lora', rows: 1, entityRows: 0, classSizes: [], multiLabel: false },
      {},
    );
    const request = { settings, baseDirectory: '', startFrom: null, resumeFrom: null, outputDirectory };
    const train = [row('capital of Peru?', 'Lima it is')];
    const trained = await decoders.train(
      {
        ...request,
        kind: 'chats',
        train,
        validation: [row('capital of Peru?', 'Lima it is'), row('and of Chile?', 'Santiago')],
      },
      () => undefined,
      new AbortController().signal,
    );
    expect(trained.metrics.finalValidationLoss).toBe(0.5);
    model = await decoders.load('', trained.artifactDirectory);
  });
  afterAll(async () => {
    await model.close();
    await rm(outputDirectory, { recursive: true });
  });

  it('answers as trained, in pieces that end with the token counts', async () => {
    const chunks = await Array.fromAsync(model.generate(ask('capital of Peru?'), new AbortController().signal));
    expect(chunks).toEqual([
      { type: 'text', text: 'Lima' },
      { type: 'text', text: ' it' },
      { type: 'text', text: ' is' },
      { type: 'end', reason: 'stop', inputTokens: 3, outputTokens: 3 },
    ]);
  });

  it('ends when the signal is aborted, with its reason', async () => {
    const gone = new AbortController();
    const said: string[] = [];
    const listening = (async () => {
      for await (const chunk of model.generate(ask('capital of Peru?'), gone.signal)) {
        said.push(chunk.type);
        gone.abort(new Error('nobody listens'));
      }
    })();
    await expect(listening).rejects.toThrow('nobody listens');
    expect(said).toEqual(['text']);
  });
});
