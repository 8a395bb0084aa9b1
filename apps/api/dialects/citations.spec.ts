import { eventsIn, type HostedApi } from '#test/support/hosted-api.js';
import { says } from '#test/support/scripted-anthropic.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

/** Claude searches the web, and answers with what it found. */
describe('citations of an answer', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  const citation = (page: string) => ({
    ...{ type: 'web_search_result_location', url: `https://example.com/${page}`, title: page },
    ...{ encrypted_index: 'e', cited_text: 'c' },
  });
  const inDocument = { type: 'char_location', cited_text: 'c', document_index: 0, start_char_index: 0 };
  const blocks = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'museum' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    { type: 'text', text: 'Yes. ' },
    { type: 'text', text: 'It opened today.', citations: [citation('a'), inDocument, citation('b')] },
  ];
  const ask = async (path: string, body: object) => {
    hosted.claude.script(says({ content: blocks }));
    const asked = {
      model: 'acme/claude',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Is it open?' }],
      ...body,
    };
    const answer = await hosted.api.call('POST', path, asked);
    expect(answer.status).toBe(200);
    return answer;
  };
  const urlCitation = (page: string, start: number) => ({
    ...{ url: `https://example.com/${page}`, title: page, start_index: start, end_index: start + 16 },
  });

  it('are blocks of a message, streamed and whole, also where they come before their text', async () => {
    const { body } = await ask('/v1/messages', {});
    expect(body.content.at(-1)).toEqual(blocks.at(-1));
    const { chunks } = eventsIn((await ask('/v1/messages', { stream: true })).body.replaceAll(/^event: .*\n/gm, ''));
    const deltas = chunks.filter(({ type, index }) => type === 'content_block_delta' && index === 3);
    expect(deltas.map(({ delta }) => delta.citation ?? delta.text)).toEqual([
      ...[citation('a'), 'It ', 'opened ', 'today.', inDocument, citation('b')],
    ]);
    expect(chunks.at(-1).type).toBe('message_stop');
  });

  it('become annotations of a chat completion if they name a page', async () => {
    const annotations = ['a', 'b'].map((page) => ({ type: 'url_citation', url_citation: urlCitation(page, 5) }));
    const { body } = await ask('/v1/chat/completions', {});
    expect(body.choices[0].message).toMatchObject({ content: 'Yes. It opened today.', annotations });
    const { chunks, isDone } = eventsIn((await ask('/v1/chat/completions', { stream: true })).body);
    const deltas = chunks.flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta));
    expect(deltas.map(({ content = '' }) => content ?? '').join('')).toBe('Yes. It opened today.');
    expect(deltas.filter((delta) => delta.annotations !== undefined)).toEqual([{ annotations }]);
    expect([isDone, chunks.at(-1).choices[0].finish_reason]).toEqual([true, 'stop']);
  });

  it('become annotations in a response if they name a page', async () => {
    const annotations = ['a', 'b'].map((page) => ({ type: 'url_citation', ...urlCitation(page, 0) }));
    const asked = { input: 'Is it open?', max_tokens: undefined, messages: undefined };
    const { body } = await ask('/v1/responses', asked);
    expect(body.output.at(-1).content).toMatchObject([
      { text: 'Yes. ', annotations: [] },
      { text: 'It opened today.', annotations },
    ]);
    const streamed = await ask('/v1/responses', { ...asked, stream: true });
    const { chunks } = eventsIn(streamed.body.replaceAll(/^event: .*\n/gm, ''));
    expect(chunks.filter(({ type }) => type === 'response.output_text.annotation.added')).toMatchObject(
      annotations.map((annotation, annotation_index) => ({ content_index: 1, annotation_index, annotation })),
    );
    expect(chunks.at(-1).response.output.at(-1).content[1]).toMatchObject({ text: 'It opened today.', annotations });
  });
});

describe('a conversation in which Claude searched the web, continued by a model of style openai', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  it('has searches and their results as texts and no citations, and says so', async () => {
    const page = { url: 'https://example.com/a', title: 'A' };
    const found = { type: 'web_search_result', ...page, encrypted_content: 'e' };
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'museum' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] },
      {
        type: 'text',
        text: 'Yes.',
        citations: [{ type: 'web_search_result_location', ...page, encrypted_index: 'e' }],
      },
    ];
    const messages = [
      { role: 'user', content: 'Is it open?' },
      { role: 'assistant', content },
      { role: 'user', content: 'And today?' },
    ];
    const { status, headers } = await hosted.api.call('POST', '/v1/messages', {
      ...{ model: 'acme/chat', max_tokens: 99, messages },
    });
    expect([status, headers.get('x-anneal-dropped')]).toEqual([
      200,
      [
        'messages.1.content.0.server_tool_use',
        'messages.1.content.1.web_search_tool_result',
        'messages.1.content.2.citations',
      ].join(', '),
    ]);
    const [, said] = hosted.openai.seen.at(-1)!.body.messages;
    expect(said.content.map(({ text }: { text: string }) => text)).toEqual([
      'server_tool_use {"name":"web_search","input":{"query":"museum"}}',
      `web_search_tool_result {"content":[{"type":"web_search_result","url":"${page.url}","title":"A"}]}`,
      'Yes.',
    ]);
  });
});
