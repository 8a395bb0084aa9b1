import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { HostedApi } from '#test/support/hosted-api.js';
import { sends } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

// Only TypeScript is built into dist/.
const STREAMS = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'streams');
const messages = [{ role: 'user' as const, content: 'Is the museum open?' }];

/** The parts of a streamed answer that a client of any dialect reads. */
interface Heard {
  readonly text: string;
  readonly end: unknown;
  /** Pages that the answer names, where the dialect has a place for them. */
  readonly pages: readonly string[];
}

/** Streams in the shape in which providers send them: what each dialect makes of it. */
const HEARD: readonly (readonly [
  stream: string,
  text: string,
  pages: readonly string[],
  ends: readonly [chat: string, response: string, message: string],
])[] = [
  [
    'anthropic-web-search',
    'I looked. The museum opened.',
    ['https://news.example/a'],
    ['stop', 'completed', 'end_turn'],
  ],
  ['anthropic-code-execution', 'Let me count. It is 42.', [], ['stop', 'completed', 'end_turn']],
  ['anthropic-refusal', 'I will not ', [], ['content_filter', 'incomplete', 'refusal']],
  [
    'anthropic-documents',
    'By the guide, it opened in May.',
    ['https://guide.example'],
    ['stop', 'completed', 'end_turn'],
  ],
  ['anthropic-paused', 'Let me look.', [], ['stop', 'incomplete', 'pause_turn']],
  ['anthropic-nameless-call', 'I call it.', [], ['stop', 'completed', 'end_turn']],
  ['anthropic-unknown', 'Still here.', [], ['stop', 'completed', 'end_turn']],
  ['openai-web-search', 'I looked. The museum opened.', ['https://news.example/a'], ['stop', 'completed', 'end_turn']],
  ['openai-citations-on-top', 'The museum opened.[1]', ['https://news.example/a'], ['stop', 'completed', 'end_turn']],
  ['openai-refusal', 'I will not.', [], ['stop', 'completed', 'end_turn']],
  ['openai-filtered', 'Half of', [], ['content_filter', 'incomplete', 'refusal']],
  ['openai-executed-tools', 'It is 42.', [], ['stop', 'completed', 'end_turn']],
  ['openai-numbered-from-1', 'Still here.', [], ['stop', 'completed', 'end_turn']],
  ['openai-unknown', 'Still here.', [], ['stop', 'completed', 'end_turn']],
];

describe('streams as providers send them, read by the SDKs', () => {
  let hosted: HostedApi;
  let openai: OpenAI;
  let anthropic: Anthropic;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
    const { url, key: apiKey } = hosted.api;
    openai = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
    anthropic = new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });
  });
  afterAll(() => hosted.close());

  const modelOf = (stream: string) => {
    const act = sends(readFileSync(join(STREAMS, `${stream}.sse`), 'utf8'), 'text/event-stream');
    const isClaude = stream.startsWith('anthropic');
    (isClaude ? hosted.claude : hosted.openai).script(act);
    return isClaude ? 'acme/claude' : 'acme/chat';
  };

  async function byChat(model: string): Promise<Heard> {
    const chunks = await Array.fromAsync(await openai.chat.completions.create({ model, messages, stream: true }));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const deltas = choices.map(({ delta }) => delta as OpenAI.ChatCompletionMessage);
    return {
      text: deltas.map(({ content, refusal }) => content ?? refusal ?? '').join(''),
      end: choices.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason,
      pages: deltas.flatMap(({ annotations = [] }) => annotations.map(({ url_citation: { url } }) => url)),
    };
  }

  async function byResponses(model: string): Promise<Heard> {
    const response = await openai.responses.stream({ model, input: 'Is the museum open?' }).finalResponse();
    const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
    return {
      text: parts.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join(''),
      end: response.status,
      pages: parts.flatMap((part) =>
        part.type === 'output_text'
          ? part.annotations.flatMap((each) => (each.type === 'url_citation' ? [each.url] : []))
          : [],
      ),
    };
  }

  async function byMessages(model: string): Promise<Heard> {
    const { content, stop_reason: end } = await anthropic.messages
      .stream({ model, messages, max_tokens: 99 })
      .finalMessage();
    const texts = content.filter((block) => block.type === 'text');
    const cited = texts.flatMap(({ citations }) => citations ?? []);
    return {
      ...{ text: texts.map(({ text }) => text).join(''), end },
      pages: cited.flatMap((each) =>
        each.type === 'web_search_result_location'
          ? [each.url]
          : each.type === 'search_result_location'
            ? [each.source]
            : [],
      ),
    };
  }

  it.each(HEARD)('%s', async (stream, text, pages, [chat, response, message]) => {
    const model = modelOf(stream);
    expect(await byChat(model)).toEqual({ text, pages, end: chat });
    expect(await byResponses(model)).toEqual({ text, pages, end: response });
    expect(await byMessages(model)).toEqual({ text, pages, end: message });
  });

  it('blocks of tools that Claude ran reach the Messages dialect unchanged', async () => {
    const model = modelOf('anthropic-code-execution');
    const { content } = await anthropic.messages.stream({ model, messages, max_tokens: 99 }).finalMessage();
    expect(content.map(({ type }) => type)).toEqual([
      'text',
      'server_tool_use',
      'bash_code_execution_tool_result',
      'text',
    ]);
    expect(content[2]).toMatchObject({ tool_use_id: 'srvtoolu_02', content: { stdout: '42\n', return_code: 0 } });
  });
});
