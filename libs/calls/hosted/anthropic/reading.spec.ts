import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { Collected } from '../../index.js';
import {
  says,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  type ScriptedMessage,
} from '#test/support/scripted-anthropic.js';
import type { SeenRequest } from '#test/support/scripted-provider.js';
import type { GenerationEvent } from '../port.js';
import { ResponseIdentity } from '../response-identity.js';
import { Dropped } from '../dropped.js';
import { checkProviders } from '../providers.js';
import { MessageReading } from './reading.js';

const claude = { style: 'anthropic', base_url: 'https://models.example/v1' };
const provider = checkProviders({ providers: { claude } }, {}).get('claude')!;

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const block = fc.oneof(
  words.map(textBlock),
  fc.tuple(words, words).map(([text, signature]) => thinkingBlock(text, signature)),
  words.map((data) => ({ type: 'redacted_thinking', data })),
  fc.tuple(words, fc.dictionary(words, words)).map(([name, input]) => toolUseBlock('t', name, input)),
);
const message: fc.Arbitrary<ScriptedMessage> = fc.record({ content: fc.array(block, { maxLength: 5 }) });

/** The bytes that a provider writes. */
async function written(said: ScriptedMessage, stream: boolean): Promise<Buffer> {
  let text = '';
  const response = {
    writeHead: () => response,
    write: (piece: string) => void (text += piece),
    end: (piece = '') => void (text += piece),
  };
  const asked = { path: '/v1/messages', body: { stream } } as SeenRequest;
  await says(said)(response as unknown as ServerResponse, asked);
  return Buffer.from(text);
}

const collected = (events: readonly GenerationEvent[]) => {
  const all = new Collected();
  for (const event of events) all.add(event);
  return all.choices;
};

it('a message is the same streamed, split anywhere, and whole', async () => {
  await fc.assert(
    fc.asyncProperty(message, fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1 }), async (said, sizes) => {
      const whole = new MessageReading(provider, new Dropped(false), new ResponseIdentity()).whole(
        (await written(said, false)).toString('utf8'),
      );
      const bytes = await written(said, true);
      const reading = new MessageReading(provider, new Dropped(false), new ResponseIdentity());
      const streamed: GenerationEvent[] = [];
      for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
        const size = sizes[cut % sizes.length]!;
        streamed.push(...reading.chunk(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(reading.isEnded).toBe(true);
      expect(collected(streamed)).toEqual(collected(whole));
      expect(streamed.at(-1)).toEqual(whole.at(-1));
    }),
  );
});

it('any input from a provider is understood, or refused as malformed', () => {
  const value = fc.oneof(
    fc.json(),
    fc
      .record(
        {
          type: fc.constantFrom(
            'message_start',
            'content_block_start',
            'content_block_delta',
            'message_delta',
            'error',
            'x',
          ),
          index: fc.oneof(fc.nat(3), fc.anything()),
          ...{ message: fc.jsonValue(), usage: fc.jsonValue(), error: fc.jsonValue() },
          content_block: fc.oneof(
            fc.jsonValue(),
            fc.record({ type: fc.constantFrom('text', 'tool_use'), text: fc.jsonValue() }),
          ),
          delta: fc.oneof(fc.jsonValue(), fc.record({ type: fc.constant('text_delta'), text: fc.jsonValue() })),
        },
        { requiredKeys: ['type'] },
      )
      .map((event) => JSON.stringify(event, (_, each: unknown) => (typeof each === 'bigint' ? null : each))),
  );
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const reading = new MessageReading(provider, new Dropped(false), new ResponseIdentity());
      try {
        for (const each of values) reading.chunk(Buffer.from(`data: ${each}\n\n`));
        reading.end();
      } catch (error) {
        expect(error).toMatchObject({ name: 'HostedModelError' });
      }
    }),
  );
});

describe('a message of a server that leaves out what Claude says', () => {
  const wholeOf = (fields: object) =>
    new MessageReading(provider, new Dropped(false), new ResponseIdentity()).whole(
      JSON.stringify({ stop_reason: 'end_turn', ...fields }),
    );

  it('has an id for a call without one', () => {
    const [call] = wholeOf({ content: [{ type: 'tool_use', id: null, name: 'read', input: {} }] });
    expect(call).toEqual({ type: 'tool-call', part: 0, id: expect.stringMatching(/^call_\w{32}$/), name: 'read' });
  });

  it('may be a text, or nothing', () => {
    expect(wholeOf({ content: 'Hi' })[0]).toEqual({ type: 'text', part: 0, text: 'Hi' });
    expect(wholeOf({ content: null })).toMatchObject([{ type: 'details' }, { type: 'finish' }]);
  });

  it('may have pieces that are null', () => {
    const reading = new MessageReading(provider, new Dropped(false), new ResponseIdentity());
    const deltas = [
      { type: 'text_delta', text: null },
      { type: 'text_delta', text: 'Hi' },
    ];
    const events = [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: null } },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_delta', index: 1, delta: { type: 'signature_delta', signature: null } },
      { type: 'message_stop' },
    ];
    const read = events.flatMap((event) => reading.chunk(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)));
    expect(read).toEqual([
      { type: 'text', part: 0, text: 'Hi' },
      { type: 'finish', reason: 'stop' },
    ]);
  });
});
