import { CLAUDE, CLAUDE_KEY, CLAUDE_REQUEST, ClaudeForTests } from '#test/support/claude.js';
import {
  fails,
  says,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  type ScriptedBlock,
  type ScriptedMessage,
} from '#test/support/scripted-anthropic.js';
import { refuses, sends } from '#test/support/scripted-provider.js';
import { type GenerationEvent, type HostedModelError } from '../port.js';

describe('a hosted model of style anthropic', () => {
  const claude = new ClaudeForTests();
  beforeEach(() => claude.start());
  afterEach(() => claude.stop());

  describe.each([
    ['streamed', true],
    ['whole', false],
  ])('an answer (%s)', (_, stream) => {
    /** Pieces of one part joined, as its reader sees them. */
    const answer = async (message: ScriptedMessage): Promise<GenerationEvent[]> => {
      claude.provider.script(says(message));
      const joined: GenerationEvent[] = [];
      for (const event of await claude.generate(CLAUDE_REQUEST, { stream })) {
        const last = joined.at(-1);
        if (event.type === 'text' && last?.type === 'text' && last.part === event.part)
          joined.splice(-1, 1, { ...event, text: last.text + event.text });
        else if (event.type === 'thinking' && last?.type === 'thinking' && last.part === event.part)
          joined.splice(-1, 1, { ...event, text: last.text + event.text });
        else if (event.type === 'tool-input' && last?.type === 'tool-input' && last.part === event.part)
          joined.splice(-1, 1, { ...event, json: last.json + event.json });
        else joined.push(event);
      }
      return joined;
    };
    const content = (events: readonly GenerationEvent[]) =>
      events.filter(({ type }) => !['usage', 'details', 'finish'].includes(type));
    const last = <Type extends GenerationEvent['type']>(events: readonly GenerationEvent[], type: Type) =>
      events.findLast((event) => event.type === type);

    it('has parts: signed thinking, text, tool calls', async () => {
      const events = await answer({
        content: [
          thinkingBlock('Let me see', 'sig=='),
          { type: 'redacted_thinking', data: 'opaque' },
          textBlock('I look, 😀'),
          toolUseBlock('t1', 'look', { where: 'here' }),
          toolUseBlock('t2', 'now', {}),
        ],
      });
      expect(content(events)).toEqual([
        { type: 'thinking', part: 0, text: 'Let me see', signature: 'sig==' },
        { type: 'thinking', part: 1, text: '', redacted: true, signature: 'opaque' },
        { type: 'text', part: 2, text: 'I look, 😀' },
        { type: 'tool-call', part: 3, id: 't1', name: 'look' },
        { type: 'tool-input', part: 3, json: '{"where":"here"}' },
        { type: 'tool-call', part: 4, id: 't2', name: 'now' },
        { type: 'tool-input', part: 4, json: '{}' },
      ]);
      expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    });

    it('keeps blocks and additions that only this style has unchanged', async () => {
      const citation = { type: 'char_location', cited_text: 'x', document_index: 0 };
      const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
      const found: ScriptedBlock = {
        type: 'web_search_tool_result',
        tool_use_id: 's1',
        content: [{ url: 'https://a' }],
      };
      const nested = { ...toolUseBlock('t1', 'look', {}), caller: { type: 'code_execution_20260120', tool_id: 's' } };
      const events = await answer({
        content: [search, found, { ...textBlock('Cited'), citations: [citation] }, nested],
      });
      const style = 'anthropic';
      const foreign = content(events).filter(({ type }) => type === 'foreign');
      const deltas = (part: number) =>
        foreign.flatMap((event) =>
          event.type === 'foreign' && event.part === part && event.isDelta ? [event.value] : [],
        );
      expect(foreign.filter((event) => event.type === 'foreign' && !event.isDelta)).toEqual([
        { type: 'foreign', part: 0, style, value: stream ? { ...search, input: {} } : search, isDelta: false },
        { type: 'foreign', part: 1, style, value: found, isDelta: false },
        { type: 'foreign', part: 3, style, value: nested, isDelta: false },
      ]);
      expect(deltas(0).reduce((json, delta) => json + String(delta['partial_json'] as string), '')).toBe(
        stream ? '{"query":"x"}' : '',
      );
      expect(deltas(2)).toEqual([{ type: 'citations_delta', citation }]);
      expect(content(events).findLast(({ type }) => type === 'text')).toEqual({ type: 'text', part: 2, text: 'Cited' });
    });

    it.each([
      ['end_turn', 'stop'],
      ['max_tokens', 'length'],
      ['tool_use', 'tool_calls'],
      ['pause_turn', 'pause'],
      ['refusal', 'refusal'],
      ['model_context_window_exceeded', 'length'],
      ['something_new', 'stop'],
      ['constructor', 'stop'],
    ])('stops for %s: %s', async (stopReason, reason) => {
      const events = await answer({ content: 'Hi', stopReason });
      expect(events.at(-1)).toEqual({ type: 'finish', reason });
      expect(last(events, 'details')).toMatchObject({ style: 'anthropic', fields: { stop_reason: stopReason } });
    });

    it('stops at the given stop sequences', async () => {
      const events = await answer({ content: 'Hi', stopReason: 'stop_sequence', stopSequence: 'END' });
      expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop_sequence', stopSequence: 'END' });
    });

    it('counts cached tokens separately and thinking within the output, and keeps the original usage', async () => {
      const usage = {
        ...{ input_tokens: 60, output_tokens: 9, cache_read_input_tokens: 30, cache_creation_input_tokens: 10 },
        ...{ output_tokens_details: { thinking_tokens: 4 }, service_tier: 'standard', server_tool_use: null },
      };
      const events = await answer({ content: 'Hi', usage });
      expect(last(events, 'usage')).toEqual({
        type: 'usage',
        usage: { inputTokens: 60, outputTokens: 9, cacheReadTokens: 30, cacheWriteTokens: 10, thinkingTokens: 4 },
      });
      const { server_tool_use: _, ...known } = usage;
      expect(last(events, 'details')).toMatchObject({ fields: { usage: known } });
    });

    it('reports no tokens if nothing was counted', async () => {
      expect(last(await answer({ content: 'Hi', usage: null }), 'usage')).toBeUndefined();
    });

    it('has the other fields of the message', async () => {
      const events = await answer({ content: 'Hi', fields: { container: { id: 'c1' }, diagnostics: null } });
      const fields = events.flatMap((event) => (event.type === 'details' ? [event.fields] : []));
      expect(Object.assign({}, ...fields)).toEqual({
        container: { id: expect.stringMatching(/^c1\./) },
        ...{ stop_reason: 'end_turn', usage: { input_tokens: 12, output_tokens: 3 } },
      });
    });
  });

  it('streams: the events of one piece are one batch, which does not wait for the next', async () => {
    const rest = Promise.withResolvers<void>();
    claude.provider.script(says({ content: 'Hello there', hold: rest.promise }));
    const events = claude.models.generate(CLAUDE, CLAUDE_REQUEST)[Symbol.asyncIterator]();
    const seen: GenerationEvent[] = [];
    while (!seen.some(({ type }) => type === 'text')) seen.push(...((await events.next()).value as GenerationEvent[]));
    expect(seen.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe('Hello ');
    rest.resolve();
    for (let next = await events.next(); !next.done; next = await events.next()) seen.push(...next.value);
    expect(seen.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('may answer a streamed request whole, and a whole one as a stream', async () => {
    const whole = { type: 'message', content: [textBlock('Hi')], stop_reason: 'end_turn', usage: null };
    claude.provider.script(sends(JSON.stringify(whole)));
    expect((await claude.generate()).map(({ type }) => type)).toEqual(['text', 'details', 'finish']);
    claude.provider.script((response, seen) =>
      says('Hi there')(response, { ...seen, body: { ...seen.body, stream: true } }),
    );
    const [batch, ...more] = await claude.batches(CLAUDE_REQUEST, { stream: false });
    expect(more).toEqual([]);
    expect(batch!.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  describe('a failure', () => {
    it.each([
      [400, 'invalid_request_error', 'rejected'],
      [401, 'authentication_error', 'unavailable'],
      [402, 'billing_error', 'unavailable'],
      [403, 'permission_error', 'unavailable'],
      [404, 'not_found_error', 'unavailable'],
      [413, 'request_too_large', 'rejected'],
      [429, 'rate_limit_error', 'saturated'],
      [500, 'api_error', 'unavailable'],
      [504, 'timeout_error', 'timeout'],
      [529, 'overloaded_error', 'saturated'],
      [500, 'constructor', 'unavailable'],
    ])('is reported with %i but without the account, also in a stream', async (status, type, kind) => {
      const error = { type, message: `says ${CLAUDE_KEY}` };
      claude.provider.script(fails(status, error));
      const before = await claude.failure();
      claude.provider.script(says({ content: 'Hel', breaksOff: error }));
      const seen: GenerationEvent[] = [];
      const within = await (async () => {
        for await (const batch of claude.models.generate(CLAUDE, CLAUDE_REQUEST)) seen.push(...batch);
      })().catch((reason: unknown) => reason as HostedModelError);
      expect(seen).toContainEqual({ type: 'text', part: 0, text: 'Hel' });
      for (const each of [before, within!]) {
        expect(each).toMatchObject({ kind, details: { upstreamStatus: status } });
        expect(each.message).toBe(kind === 'rejected' ? 'says [key]' : each.message);
        expect(each.message).not.toContain(CLAUDE_KEY);
      }
    });

    const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
    const start = event({ type: 'message_start', message: { content: [] } });
    it.each([
      ['no JSON', sends('<html>')],
      ['another shape', sends('{"hello": 1}')],
      ['a list', sends('[]')],
      ['nothing', sends('')],
      ['no content', sends('{"type":"message","stop_reason":"end_turn"}')],
      ['an error with status 200', sends('{"type":"error","error":null}')],
      ['no JSON in a stream', sends(`${start}data: {"typ\n\n`, 'text/event-stream')],
      ['a stream that ends early', sends(start, 'text/event-stream')],
      ['an invalid block', sends(start + event({ type: 'content_block_start', index: 0 }), 'text/event-stream')],
      [
        'a part of no number',
        sends(start + event({ type: 'content_block_delta', index: -1, delta: {} }), 'text/event-stream'),
      ],
      [
        'an invalid text',
        sends(event({ type: 'content_block_start', index: 0, content_block: { type: 'text' } }), 'text/event-stream'),
      ],
    ])('is malformed: %s', async (_, act) => {
      claude.provider.script(act);
      expect((await claude.failure()).kind).toBe('unavailable');
    });

    it('is not caused by a message without a reason for its end', async () => {
      claude.provider.script(sends('{"type":"message","content":[],"stop_reason":null}'));
      expect(await claude.generate()).toEqual([{ type: 'finish', reason: 'stop' }]);
    });

    it('is not caused by unknown newer events', async () => {
      const text = [
        { type: 'brand_new', x: 1 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, y: 2 },
      ];
      claude.provider.script(sends(start + text.map(event).join(''), 'text/event-stream'));
      expect(await claude.generate()).toEqual([
        { type: 'details', style: 'anthropic', fields: { y: 2, stop_reason: 'end_turn' } },
        { type: 'finish', reason: 'stop' },
      ]);
    });

    it('is not caused by data after the end', async () => {
      const end = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }];
      const text = `${start}${end.map(event).join('')}data: [DONE]\n\n`;
      claude.provider.script(sends(text, 'text/event-stream'));
      expect((await claude.generate()).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });

    it('is not reported when the client leaves: the call is cancelled', async () => {
      claude.provider.script(says({ content: 'Hel', breaksOff: 'hang' }));
      const gone = new AbortController();
      const failed = claude.failure(CLAUDE_REQUEST, { signal: gone.signal });
      const seen = await claude.provider.next();
      gone.abort();
      expect((await failed).kind).toBe('cancelled');
      await seen.left;
    });
  });

  describe('a token count', () => {
    it("is requested in its own call, for the model's input", async () => {
      claude.provider.script(says({ content: '', usage: { input_tokens: 321, output_tokens: 0 } }));
      const asked = { ...CLAUDE_REQUEST, temperature: 0, stop: ['x'], unknownFields: { x: 1 } };
      expect(await claude.models.countTokens(CLAUDE, asked)).toBe(321);
      expect(claude.provider.seen[0]).toMatchObject({ path: '/v1/messages/count_tokens' });
      expect(claude.provider.seen[0]!.body).toEqual({
        ...{ model: 'claude-1', messages: [{ role: 'user', content: 'Say hello' }], x: 1 },
      });
    });

    it('is requested with an unchanged request of its own style', async () => {
      const body = { model: 'acme/claude', messages: [], tools: [{ type: 'web_search_20260318' }] };
      await claude.models.countTokens(CLAUDE, { ...CLAUDE_REQUEST, verbatim: { style: 'anthropic', body } });
      expect(claude.provider.seen[0]!.body).toEqual({ ...body, model: 'claude-1' });
    });

    it('is null if the provider cannot count, and fails as the provider fails', async () => {
      claude.provider.script(refuses(404));
      expect(await claude.models.countTokens(CLAUDE, CLAUDE_REQUEST)).toBeNull();
      claude.provider.script(fails(400, { type: 'invalid_request_error', message: 'no messages' }));
      await expect(claude.models.countTokens(CLAUDE, CLAUDE_REQUEST)).rejects.toMatchObject({
        ...{ kind: 'rejected', message: 'no messages' },
      });
      claude.provider.script(sends('{"input_tokens": "many"}'));
      await expect(claude.models.countTokens(CLAUDE, CLAUDE_REQUEST)).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  it('makes no embeddings', async () => {
    await expect(claude.models.embed(CLAUDE, { inputs: ['x'] })).rejects.toMatchObject({ kind: 'rejected' });
  });
});
