import { serveMessages, type ServedMessages } from '#test/support/messages.js';
import { fails, says, toolUseBlock } from '#test/support/scripted-anthropic.js';
import { answers } from '#test/support/scripted-answers.js';
import { hangs, refuses } from '#test/support/scripted-provider.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const tool = { description: 'Looks', parameters: { type: 'object', properties: { at: { type: 'string' } } } };

describe('a model with a fallback of another style', () => {
  let served: ServedMessages;
  beforeEach(async () => {
    served = await serveMessages();
  });
  afterEach(() => served.close());

  const chat = (model: string, more: object = {}) =>
    served.api.call('POST', '/v1/chat/completions', { model, messages, ...more });
  const message = (model: string, more: object = {}) => served.post({ model, messages, max_tokens: 10, ...more });

  it("is answered by the fallback in the caller's dialect: chat completions by Claude", async () => {
    served.acme.script(refuses(503));
    served.claude.script(says({ content: [toolUseBlock('t1', 'look', { at: 'sky' })] }));
    const { status, body } = await chat('acme/chat-or-claude', {
      ...{ tools: [{ type: 'function', function: { name: 'look', ...tool } }], tool_choice: 'required', odd: 1 },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ model: 'acme/chat-or-claude', choices: [{ finish_reason: 'tool_calls' }] });
    const [call] = body.choices[0].message.tool_calls;
    expect(call).toMatchObject({ id: 't1', function: { name: 'look', arguments: '{"at":"sky"}' } });
    expect(served.acme.seen[0]!.body).toMatchObject({ model: 'chat-1', odd: 1 });
    expect(served.claude.seen[0]!.body).toMatchObject({
      ...{ model: 'claude-2', tool_choice: { type: 'any' }, messages },
      tools: [{ name: 'look', description: 'Looks', input_schema: tool.parameters }],
    });
  });

  it("is answered by the fallback in the caller's dialect: messages by a GPT-style model", async () => {
    served.claude.script(fails(529, { type: 'overloaded_error', message: 'Overloaded' }));
    served.acme.script(answers({ toolCalls: [{ id: 't1', name: 'look', input: '{"at":"sky"}' }] }));
    const { status, body } = await message('acme/claude-or-chat', {
      ...{ system: 'Be brief', tools: [{ name: 'look', input_schema: tool.parameters }], tool_choice: { type: 'any' } },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ type: 'message', model: 'acme/claude-or-chat', stop_reason: 'tool_use' },
      content: [{ type: 'tool_use', id: 't1', name: 'look', input: { at: 'sky' } }],
    });
    expect(served.acme.seen[0]!.body).toMatchObject({ model: 'chat-2', tool_choice: 'required' });
    expect(served.acme.seen[0]!.body.messages[0]).toEqual({ role: 'system', content: 'Be brief' });
  });

  it("reports the model's own failure when both fail", async () => {
    served.claude.script(fails(529, { type: 'overloaded_error', message: 'Overloaded' }, { 'retry-after': '17' }));
    served.acme.script(refuses(500));
    const { status, headers, body } = await message('acme/claude-or-chat');
    expect([status, headers.get('retry-after'), body.error.type]).toEqual([529, '17', 'overloaded_error']);
    const other = await chat('acme/chat-or-claude');
    expect(other.status).toBe(503);
  });

  it('cancels both providers when the client disconnects', async () => {
    served.claude.script(refuses(500));
    served.acme.script(hangs);
    const gone = new AbortController();
    const asked = fetch(`${served.api.url}/v1/messages`, {
      ...{
        method: 'POST',
        signal: gone.signal,
        body: JSON.stringify({ model: 'acme/claude-or-chat', messages, max_tokens: 9 }),
      },
      headers: { 'content-type': 'application/json', 'x-api-key': served.api.key },
    });
    const seen = await served.acme.next();
    gone.abort();
    await expect(asked).rejects.toThrow();
    await seen.left;
  });
});
