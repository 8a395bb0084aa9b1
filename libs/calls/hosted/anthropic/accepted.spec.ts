import fc from 'fast-check';
import type { Json, JsonObject } from '#domain/json.js';
import { refusals } from '#test/support/strict-anthropic.js';
import { Dropped } from '../dropped.js';
import { textMessage, type ContentPart, type GenerationRequest, type Message } from '../port.js';
import { messagesBody } from './request.js';

const bodyOf = (request: GenerationRequest) => {
  const dropped = new Dropped(false);
  return { body: messagesBody('claude', request, false, dropped), dropped: dropped.names };
};
const hello = textMessage('user', 'Hello');
const call = (id: string, input: string): ContentPart => ({ type: 'tool-call', id, name: 'read', input });
const result = (id: string, text: string): Message => ({
  ...{ role: 'tool', content: [{ type: 'tool-result', id, content: [{ type: 'text', text }] }] },
});

describe('what other dialects ask for, in the form that Anthropic takes', () => {
  it('has no blank texts, and a user who speaks last', () => {
    const turns = (...messages: Message[]) => bodyOf({ messages }).body['messages'];
    expect(turns(hello, textMessage('assistant', ''), textMessage('user', ' Go on'))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: ' Go on' },
        ],
      },
    ]);
    expect(turns(hello, textMessage('assistant', 'Yes'), textMessage('user', ' \n'))).toEqual([
      ...[
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: '(empty)' },
      ],
    ]);
    expect(turns(textMessage('system', ' '), textMessage('user', ''))).toEqual([{ role: 'user', content: '(empty)' }]);
    expect(turns(hello, textMessage('assistant', 'I think \n'))).toEqual([
      ...[
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'I think' },
      ],
    ]);
  });

  it('has one result of each call, in the turn after it', () => {
    const turns = (...messages: Message[]) => {
      const { body } = bodyOf({ messages: [hello, ...messages] });
      expect(refusals(body)).toEqual([]);
      return (body['messages'] as readonly JsonObject[]).slice(1);
    };
    const called: Message = { role: 'assistant', content: [call('c1', '{}'), call('c2', '{}')] };
    const uses = expect.objectContaining({ role: 'assistant' }) as object;
    const answer = (id: string, content: Json) => ({ type: 'tool_result', tool_use_id: id, content });
    const none = (id: string) => ({ ...answer(id, '(no result)'), is_error: true });
    const text = (said: string) => ({ type: 'text', text: said });
    const goOn = textMessage('user', 'Go on');
    expect(turns(called, result('c2', 'x'), goOn)).toEqual([
      uses,
      { role: 'user', content: [none('c1'), answer('c2', 'x'), text('Go on')] },
    ]);
    expect(turns(called, textMessage('user', ' '))).toEqual([
      uses,
      { role: 'user', content: [none('c1'), none('c2'), text('(empty)')] },
    ]);
    const waits = textMessage('assistant', 'I wait');
    expect(turns(called, goOn, waits, result('c1', 'x'), result('c2', 'y'))).toEqual([
      uses,
      { role: 'user', content: [answer('c1', 'x'), answer('c2', 'y'), text('Go on')] },
      { role: 'assistant', content: 'I wait' },
      { role: 'user', content: '(empty)' },
    ]);
    expect(turns(called, result('c1', 'x'), result('c1', ''), result('c1', 'y'), result('c2', 'z'))).toEqual([
      uses,
      { role: 'user', content: [answer('c1', [text('x'), text('y')]), answer('c2', 'z')] },
    ]);
    // The model's turn goes on.
    expect(turns(called)).toEqual([uses]);
  });

  it('has no system text that is blank', () => {
    const { body } = bodyOf({ messages: [textMessage('system', ' \n'), hello] });
    expect(body).not.toHaveProperty('system');
  });

  it('has parameters of tools that are an object, not an object or null', () => {
    const parameters = { type: ['object', 'null'], properties: { p: { type: 'string' } } };
    const { body } = bodyOf({ messages: [hello], tools: [{ name: 'read', parameters }] });
    expect(body['tools']).toEqual([{ name: 'read', input_schema: { ...parameters, type: 'object' } }]);
  });

  it('describes tuples, values that are objects, and schemas elsewhere, which Anthropic does not enforce', () => {
    const pair = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] };
    const either = { enum: [{ a: 1 }, 'b'] };
    const elsewhere = { $ref: 'https://schemas.example/a' };
    const properties = { pair, either, elsewhere, colour: { enum: ['red', null, 3] } };
    const schema = { type: 'object', properties };
    const { body, dropped } = bodyOf({ messages: [hello], responseFormat: { type: 'json_schema', name: 'x', schema } });
    expect(refusals(body)).toEqual([]);
    expect(
      (body['output_config'] as { readonly format: { readonly schema: JsonObject } }).format.schema['properties'],
    ).toEqual({
      pair: { type: 'array', description: `{prefixItems: ${JSON.stringify(pair.prefixItems)}}` },
      either: { description: `{enum: ${JSON.stringify(either.enum)}}` },
      elsewhere: { description: '{$ref: "https://schemas.example/a"}' },
      colour: { enum: ['red', null, 3] },
    });
    expect(dropped).toEqual(['schema.prefixItems', 'schema.enum', 'schema.$ref']);
  });

  it('has ids of calls in its alphabet, the same in call and result, and broken arguments wrapped', () => {
    const assistant = {
      role: 'assistant',
      content: [call('functions.read:0', '{"p": "ab'), call('ok_1', '[1]')],
    } as const;
    const { body } = bodyOf({ messages: [hello, assistant, result('functions.read:0', ''), result('ok_1', 'x')] });
    const id = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;
    const [, calls, results] = body['messages'] as { content: JsonObject[] }[];
    expect(calls!.content).toEqual([
      { type: 'tool_use', id, name: 'read', input: { INVALID_JSON: '{"p": "ab' } },
      { type: 'tool_use', id: 'ok_1', name: 'read', input: { INVALID_JSON: '[1]' } },
    ]);
    expect(results!.content).toEqual([
      { type: 'tool_result', tool_use_id: calls!.content[0]!['id'] },
      { type: 'tool_result', tool_use_id: 'ok_1', content: 'x' },
    ]);
  });

  it('has room for thoughts beside the answer, and one way of sampling', () => {
    const thinking = { mode: 'enabled', budgetTokens: 10_000 } as const;
    expect(bodyOf({ messages: [hello], thinking }).body['max_tokens']).toBe(14_096);
    expect(bodyOf({ messages: [hello], temperature: 1, topP: 0.9 })).toMatchObject({
      body: { top_p: 0.9 },
      dropped: [],
    });
    expect(bodyOf({ messages: [hello], temperature: 0.2, topP: 1 })).toMatchObject({
      ...{ body: { temperature: 0.2 }, dropped: [] },
    });
  });

  it('leaves out what thinking excludes: other sampling, and thinking itself where a tool must be called', () => {
    const thinking = { mode: 'enabled', budgetTokens: 2_000 } as const;
    const sampled = bodyOf({ messages: [hello], thinking, temperature: 0.5, topP: 0.9, topK: 5 });
    expect(sampled.dropped).toEqual(['temperature', 'top_p', 'top_k']);
    expect(Object.keys(sampled.body)).toEqual(['model', 'messages', 'thinking', 'max_tokens', 'stream']);
    expect(bodyOf({ messages: [hello], thinking, temperature: 1, topP: 0.97 })).toMatchObject({
      ...{ body: { top_p: 0.97 }, dropped: [] },
    });
    const unknown = bodyOf({ messages: [hello], thinking, unknownFields: { top_k: 5 } });
    expect([unknown.body['top_k'], unknown.dropped]).toEqual([undefined, ['top_k']]);
    const tools = [{ name: 'read', parameters: {} }];
    const forced = bodyOf({ messages: [hello], thinking, tools, toolChoice: 'required' });
    expect([forced.body['thinking'], forced.body['tool_choice'], forced.dropped]).toEqual([
      ...[undefined, { type: 'any' }, ['thinking']],
    ]);
  });

  it('has a budget of thoughts within its bounds, or no thoughts where there is no room, and says so', () => {
    const sent = (budgetTokens: number, maxTokens?: number) => {
      const thinking = { mode: 'enabled', budgetTokens } as const;
      const { body, dropped } = bodyOf({ messages: [hello], thinking, ...(maxTokens && { maxTokens }) });
      return [body['thinking'], dropped];
    };
    const told = ['thinking.budget_tokens'];
    expect(sent(500)).toEqual([{ type: 'enabled', budget_tokens: 1024 }, told]);
    expect(sent(8_000, 4_096)).toEqual([{ type: 'enabled', budget_tokens: 4_095 }, told]);
    expect(sent(500, 1_024)).toEqual([undefined, told]);
    expect(sent(2_000, 4_096)).toEqual([{ type: 'enabled', budget_tokens: 2_000 }, []]);
  });

  it('has no strict tool whose parameters contain themselves, and says so', () => {
    const strict = (parameters: JsonObject) => {
      const { body, dropped } = bodyOf({ messages: [hello], tools: [{ name: 'a', parameters, strict: true }] });
      return [(body['tools'] as JsonObject[])[0]!['strict'], dropped];
    };
    const node = (ref: string) => ({ type: 'object', properties: { next: { $ref: ref } } });
    const tree = { properties: { root: { $ref: '#/$defs/node' } }, $defs: { node: node('#/$defs/node') } };
    for (const recursive of [tree, node('#'), node('#/properties/next')])
      expect(strict(recursive)).toEqual([undefined, ['tools.strict']]);
    const twice = {
      properties: { a: { $ref: '#/$defs/b' }, c: { $ref: '#/$defs/b' } },
      $defs: { b: { type: 'string' } },
    };
    expect(strict(twice)).toEqual([true, []]);
  });

  it('has a new id for a call whose id an earlier one has, also in its result', () => {
    const turn = (...ids: string[]): Message => ({ role: 'assistant', content: ids.map((id) => call(id, '{}')) });
    const messages = [hello, turn('a', 'a'), result('a', '1'), result('a', '2'), turn('a'), result('a', '3')];
    const turns = bodyOf({ messages }).body['messages'] as { content: JsonObject[] }[];
    const ids = turns.slice(1).map(({ content }) => content.map(({ id, tool_use_id: of }) => of ?? id));
    expect(ids[0]).toEqual(ids[1]);
    expect(ids[2]).toEqual(ids[3]);
    expect([ids[0]![0], new Set(ids.flat()).size]).toEqual(['a', 3]);
  });

  it('has parameters of tools without alternatives at the top, told in the description', () => {
    const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    const parameters = { description: 'Where', properties: { url: {} }, anyOf: [path, { required: ['url'] }] };
    const { body, dropped } = bodyOf({ messages: [hello], tools: [{ name: 'read', parameters }] });
    expect(body['tools']).toEqual([
      {
        name: 'read',
        input_schema: {
          type: 'object',
          properties: { path: { type: 'string' }, url: {} },
          description: `Where\n\n{anyOf: ${JSON.stringify(parameters.anyOf)}}`,
        },
      },
    ]);
    expect(dropped).toEqual(['schema.anyOf']);
    const all = bodyOf({ messages: [hello], tools: [{ name: 'read', parameters: { allOf: [path] } }] });
    expect(all.body['tools']).toMatchObject([{ input_schema: { required: ['path'] } }]);
  });

  it('has schemas that it can enforce; the description has what it cannot', () => {
    const schema = {
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 0, description: 'In years' },
        names: { type: 'array', minItems: 2, items: { type: 'string', minLength: 1, pattern: '^\\w+$' } },
        at: {
          oneOf: [
            { type: 'string', format: 'date' },
            { type: 'string', format: 'color' },
          ],
        },
        minimum: { $ref: '#/$defs/more' },
      },
      $defs: { more: { type: 'object', additionalProperties: { type: 'string' } } },
    };
    const { body, dropped } = bodyOf({
      messages: [hello],
      responseFormat: { type: 'json_schema', name: 'row', schema },
    });
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          ...{ type: 'object', additionalProperties: false },
          properties: {
            age: { type: 'integer', description: 'In years\n\n{minimum: 0}' },
            names: {
              ...{ type: 'array', description: '{minItems: 2}' },
              items: { type: 'string', pattern: '^\\w+$', description: '{minLength: 1}' },
            },
            at: {
              anyOf: [
                { type: 'string', format: 'date' },
                { type: 'string', description: '{format: "color"}' },
              ],
            },
            minimum: { $ref: '#/$defs/more' },
          },
          $defs: { more: { type: 'object', additionalProperties: false } },
        },
      },
    });
    expect(dropped.toSorted()).toEqual(
      ['minimum', 'minItems', 'minLength', 'format', 'additionalProperties'].map((key) => `schema.${key}`).toSorted(),
    );
  });

  const text = fc.oneof(fc.constantFrom('', ' ', '\n', 'a ', 'Yes'), fc.string());
  const id = fc.oneof(fc.constantFrom('functions.read:0', 'toolu_1', 'call 1', ''), fc.string());
  const said = text.map((each): ContentPart => ({ type: 'text', text: each }));
  const thought = fc.record({ text, signature: fc.constantFrom('', 'sig') });
  const assistant = fc.oneof(
    said,
    fc.tuple(id, fc.oneof(fc.json(), text)).map(([own, input]) => call(own, input)),
    thought.map((each): ContentPart => ({ type: 'thinking', ...each })),
  );
  const message = fc.oneof(
    fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content: fc.array(said, { maxLength: 3 }) }),
    fc.record({ role: fc.constant('assistant' as const), content: fc.array(assistant, { maxLength: 3 }) }),
    fc.tuple(id, text).map(([own, each]) => result(own, each)),
  );
  const schema = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.record(
        {
          type: fc.constantFrom<Json>('string', 'integer'),
          minimum: fc.nat(),
          maxLength: fc.nat(),
          format: fc.string(),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3), maxItems: fc.nat() }),
      fc.record(
        { type: fc.constant('object'), properties: fc.dictionary(fc.string(), tie('schema')), minProperties: fc.nat() },
        { requiredKeys: ['type', 'properties'] },
      ),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    ),
  })).schema;

  it('is never refused, whatever the conversation, schema and settings', () => {
    const request = fc.record(
      {
        messages: fc.array(message, { minLength: 1, maxLength: 6 }),
        temperature: fc.constantFrom(0, 0.5, 1),
        topP: fc.constantFrom(0.5, 1),
        topK: fc.nat(),
        toolChoice: fc.constantFrom('auto' as const, 'required' as const),
        stop: fc.array(text, { maxLength: 3 }),
        responseFormat: schema.map((given) => ({ type: 'json_schema' as const, name: 'a', schema: given })),
        thinking: fc.record({
          mode: fc.constant('enabled' as const),
          budgetTokens: fc.integer({ min: 1, max: 64_000 }),
        }),
        maxTokens: fc.integer({ min: 1, max: 8_192 }),
        tools: schema.map((parameters) => [
          { name: 'a', parameters: { properties: { a: parameters } }, strict: true },
          { name: 'b', parameters },
          { name: 'c', parameters: { properties: { a: parameters, next: { $ref: '#' } } }, strict: true },
        ]),
      },
      { requiredKeys: ['messages'] },
    );
    fc.assert(
      fc.property(request, (asked) => expect(refusals(bodyOf(asked).body)).toEqual([])),
      { numRuns: 500 },
    );
  });
});

describe('a request of the same style', () => {
  const sent = (body: JsonObject) => bodyOf({ messages: [], verbatim: { style: 'anthropic', body } });
  const messages = [{ role: 'user', content: 'Hello' }];

  it('has one way of sampling where the other is as without it', () => {
    const sampled = (temperature: number, top_p: number) => {
      const { body, dropped } = sent({ max_tokens: 9, messages, temperature, top_p });
      return [body['temperature'], body['top_p'], dropped];
    };
    expect([sampled(0.2, 1), sampled(1, 0.9), sampled(1, 1)]).toEqual([
      [0.2, undefined, []],
      [undefined, 0.9, []],
      [1, undefined, []],
    ]);
    // Some providers of the style take both; the others say so.
    expect(sampled(0.2, 0.9)).toEqual([0.2, 0.9, []]);
  });
});

describe('a request of the same style whose conversation other models had part in', () => {
  const answered = [
    { type: 'thinking', thinking: 'Hm', signature: '' },
    { type: 'tool_use', id: 'functions.read:0', name: 'read', input: {} },
  ];
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Alone' }] },
    { role: 'assistant', content: answered },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.read:0', content: 'x' }] },
  ];
  const thinking = { type: 'enabled', budget_tokens: 1024 };

  it('has no unsigned thoughts, no thinking that would need them, and ids that its provider takes', () => {
    const body = { max_tokens: 2048, thinking, messages, field_of_next_year: 1 };
    const { body: sent, dropped } = bodyOf({ messages: [], verbatim: { style: 'anthropic', body } });
    expect([sent['thinking'], sent['field_of_next_year'], dropped]).toEqual([
      ...[undefined, 1, ['thinking.signature', 'thinking']],
    ]);
    expect(sent['messages']).toHaveLength(3);
    expect(refusals(sent)).toEqual([]);
  });

  it('has no turns of the assistant that say nothing, no citations of others, and no id twice', () => {
    const own = { type: 'web_search_result_location', url: 'https://a.example', encrypted_index: 'e' };
    const said = { type: 'text', text: 'Yes', citations: [own, { ...own, encrypted_index: '' }] };
    const used = { type: 'tool_use', id: 'call_0', name: 'read', input: {} };
    const answer = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0' }] };
    const silent = [null, '', []].map((content) => ({ role: 'assistant', content }));
    const turns = [
      ...[messages[0]!, ...silent, { role: 'assistant', content: [{ type: 'text', text: ' ' }, said] }, messages[0]!],
      ...[{ role: 'assistant', content: [used] }, answer, { role: 'assistant', content: [used] }, answer],
    ];
    const body = { max_tokens: 9, messages: turns };
    const { body: sent, dropped } = bodyOf({ messages: [], verbatim: { style: 'anthropic', body } });
    const [, cited, , first, , second, last] = sent['messages'] as { content: JsonObject[] }[];
    expect(cited!.content).toEqual([{ ...said, citations: [own] }]);
    expect(first!.content).toEqual([used]);
    expect(second!.content[0]!['id']).toBe(last!.content[0]!['tool_use_id']);
    expect([refusals(sent), dropped]).toEqual([[], ['citations.encrypted_index']]);
  });
});
