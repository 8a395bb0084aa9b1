import OpenAI from 'openai';
import type { HostedApi } from '#test/support/hosted-api.js';
import { says, toolUseBlock } from '#test/support/scripted-anthropic.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { refusals } from '#test/support/strict-anthropic.js';
import { strictly } from '#test/support/strict-openai.js';

describe('custom tools of a chat with a model of style anthropic', () => {
  let hosted: HostedApi;
  let client: OpenAI;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
    client = new OpenAI({ apiKey: hosted.api.key, baseURL: `${hosted.api.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => hosted.close());

  const asked = {
    model: 'acme/claude',
    messages: [{ role: 'user' as const, content: 'List the files' }],
    tools: [
      { type: 'custom' as const, custom: { name: 'run', description: 'Runs a command' } },
      { type: 'function' as const, function: { name: 'read', parameters: { type: 'object' } } },
    ],
  };
  const call = { id: 't1', type: 'custom' as const, custom: { name: 'run', input: 'ls -l' } };

  it('are called with a text, whole and streamed, and the conversation goes on', async () => {
    const used = says({ content: [toolUseBlock('t1', 'run', { input: 'ls -l' })] });
    hosted.claude.script(strictly(refusals, used));
    const { choices } = await client.chat.completions.create(asked);
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [call] } });
    const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [call] } });
    expect(hosted.claude.seen.at(-1)!.body.tools[0]).toMatchObject({
      ...{ name: 'run', input_schema: { type: 'object', required: ['input'] } },
    });
    hosted.claude.script(strictly(refusals, says('Two files')));
    const result = { role: 'tool' as const, tool_call_id: 't1', content: 'a b' };
    const messages = [...asked.messages, choices[0]!.message, result];
    const { choices: after } = await client.chat.completions.create({ ...asked, messages });
    expect(after[0]!.message.content).toBe('Two files');
    expect(hosted.claude.seen.at(-1)!.body.messages[1].content).toEqual([
      { type: 'tool_use', id: 't1', name: 'run', input: { input: 'ls -l' } },
    ]);
  });
});
