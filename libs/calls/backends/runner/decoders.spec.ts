import { Engines } from '#gpu-runner/contract/engines.js';
import type { GeneratedChunk } from '#gpu-runner/contract/generation.js';
import { textMessage, type GenerationEvent, type GenerationRequest } from '../../hosted/port.js';
import { parrot } from '#test/decoder-engine/registration.js';
import { CALL, ENTRY } from '#test/support/hosted-calls.js';
import { catalogModel } from '../../models.js';
import { EngineDecoders } from './decoders.js';

const base = parrot.baseModels[0]!;
const model = catalogModel(base.id, { ...ENTRY, id: base.id, provider: null, context_window: base.maxTokens });

/** Answers each request with a word; its input has 10 tokens. */
const runners = {
  async *generate(): AsyncGenerator<GeneratedChunk, void, undefined> {
    yield { type: 'text', text: 'yes' };
    yield { type: 'end', reason: 'stop', inputTokens: 10, outputTokens: 3 };
  },
};

describe('a call of a decoder of a local engine', () => {
  const decoders = new EngineDecoders(runners, new Engines([parrot]));
  const generation: GenerationRequest = { messages: [textMessage('user', 'Is it?')], maxTokens: 10 };

  let dropped: readonly string[];
  async function* eventsOf(more: Partial<GenerationRequest>): AsyncGenerator<GenerationEvent> {
    const call = { ...CALL, generation: { ...generation, ...more } };
    const generate = await decoders.open(model, call);
    const { signal } = new AbortController();
    const told = { onProvider: () => undefined, onDropped: (names: readonly string[]) => (dropped = names) };
    for await (const batch of generate(call.generation, { signal, inferenceId: 'i', ...told })) yield* batch;
  }
  const usagesOf = (events: readonly GenerationEvent[]) =>
    events.flatMap((event) => (event.type === 'usage' ? [[event.usage.inputTokens, event.usage.outputTokens]] : []));

  it('drops hints that no engine supports, and names them', async () => {
    const verbatim = { style: 'anthropic', body: {}, only: ['context_management', 'metadata.session'] } as const;
    const named = [{ ...textMessage('user', 'Is it?'), name: 'Ann' }];
    const hints = { verbosity: 'low', serviceTier: 'flex', promptCacheKey: 'k', promptCacheRetention: '24h' } as const;
    await Array.fromAsync(eventsOf({ ...hints, verbatim, messages: named }));
    expect(dropped).toEqual([
      ...['verbosity', 'service_tier', 'prompt_cache_key', 'prompt_cache_retention'],
      ...['context_management', 'metadata.session', 'messages.name'],
    ]);
  });

  it('counts the input of several choices once, and of several prompts each', async () => {
    const choices = await Array.fromAsync(eventsOf({ choices: 3 }));
    expect(usagesOf(choices).at(-1)).toEqual([10, 9]);
    const prompts = await Array.fromAsync(eventsOf({ messages: [], prompts: ['a', 'b'], choices: 2 }));
    expect(usagesOf(prompts).at(-1)).toEqual([20, 12]);
  });

  it.each([
    ['messages', (text: string) => ({ messages: [textMessage('user', text), textMessage('assistant', 'x')] })],
    ['prompts', (text: string) => ({ messages: [], prompts: ['a', `${text}x`] })],
  ])('refuses %s too long for any context window of its size', async (field, requestOf) => {
    const most = base.maxTokens * 128;
    await Array.fromAsync(eventsOf(requestOf('x'.repeat(most - 1))));
    const asked = Array.fromAsync(eventsOf(requestOf('x'.repeat(most))));
    const message = `has ${most + 1} characters, and the context window of ${base.id} at most ${most}`;
    await expect(asked).rejects.toMatchObject({ fields: [{ path: [field], message }] });
  });

  it('reports usage after each choice, so that a caller who leaves between two pays for it', async () => {
    const events = await Array.fromAsync(eventsOf({ choices: 3 }));
    expect(events.map(({ type }) => type)).toEqual([
      ...['text', 'usage', 'text', 'usage', 'text', 'usage'],
      ...['finish', 'finish', 'finish'],
    ]);
    expect(usagesOf(events)).toEqual([
      [10, 3],
      [10, 6],
      [10, 9],
    ]);
  });
});
