import { canonicalAnswer } from '#distillation/calls/answers.js';
import { canonicalRequest } from '#distillation/calls/canonical.js';
import { Catalog } from '#models/catalog/catalog.js';
import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { answers } from '#test/support/scripted-answers.js';
import { says } from '#test/support/scripted-anthropic.js';
import { refuses } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { AnswerBudget } from '../calls/answer-budget.js';
import { CallContents } from '../calls/call-contents.js';
import { RecordedCalls, type LeftOut, type TeacherCall, type WantedCalls } from './recorded-calls.js';

const SYSTEM = 'Name the queue of the ticket.';
const asked = (text: string) => ({
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: text },
  ],
});

/** The dialects of chats: what each sends for a text under one system prompt. */
const DIALECTS = [
  { path: '/inference', request: (text: string) => ({ model_id: 'acme/chat', task: 'generate', ...asked(text) }) },
  { path: '/v1/chat/completions', request: (text: string) => ({ model: 'acme/chat', ...asked(text) }) },
  {
    path: '/v1/responses',
    request: (text: string) => ({ model: 'acme/chat', instructions: SYSTEM, input: text }),
  },
  {
    path: '/v1/messages',
    request: (text: string) => ({
      ...{ model: 'acme/chat', max_tokens: 20, system: SYSTEM },
      messages: [{ role: 'user', content: text }],
    }),
  },
];
/** The native route does not stream. */
const EACH = DIALECTS.flatMap((dialect) =>
  (dialect.path === '/inference' ? [false] : [false, true]).map((stream) => ({ ...dialect, stream })),
);

interface ReadCalls extends LeftOut {
  readonly calls: readonly TeacherCall[];
}

describe('recorded calls of a teacher', () => {
  let system: HostedApi;
  let api: TestApi;
  let recorded: RecordedCalls;

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    recorded = new RecordedCalls(
      api.application,
      new Catalog({ models: [] }),
      new CallContents(api.application, new AnswerBudget()),
      openSecretKey(api.settings.dataDir, api.settings.secretKey),
    );
  });
  afterAll(() => system.close());

  const project = async (name: string): Promise<string> => (await api.call('POST', '/projects', { name })).body.id;
  const ask = async (text: string, answer: string, more: object = {}) => {
    system.openai.script(answers(answer));
    return api.call('POST', '/v1/chat/completions', { model: 'acme/chat', ...asked(text), ...more });
  };
  const all = async (workspaceId: string, wanted: WantedCalls): Promise<ReadCalls> => {
    const reading = recorded.asked(workspaceId, wanted);
    const calls = await Array.fromAsync(reading.each);
    return { calls, ...reading.leftOut! };
  };
  const read = async (wanted: Partial<WantedCalls>): Promise<ReadCalls> => {
    await api.drained();
    return all(api.workspaceId, { model: 'acme/chat', ...wanted });
  };
  const idOf = async (projectId: string): Promise<string> => {
    await api.drained();
    return (await api.call('GET', `/inferences?project_id=${projectId}&limit=1`)).body.inferences[0].id;
  };
  const textsIn = ({ calls }: ReadCalls) => calls.map(({ request }) => canonicalRequest(request)!.parts.at(-1)!.text);
  const answersIn = ({ calls }: ReadCalls) => calls.map(({ answer }) => canonicalAnswer(answer)?.text);

  it.each(EACH)('are understood alike from $path, stream: $stream', async ({ path, request, stream }) => {
    const projectId = await project(`dialect ${path} ${stream}`);
    system.openai.script(answers('billing', { usage: { prompt_tokens: 100, completion_tokens: 10 } }));
    const sent = { ...request('My card was charged twice'), ...(stream && { stream }), project_id: projectId };
    expect((await api.call('POST', path, sent)).status).toBe(200);
    const { calls, leftOut, limit } = await read({ projectId });
    expect([leftOut, limit]).toEqual([{ not_kept: null, erased: 0, failed: 0, disputed: 0 }, null]);
    expect(calls).toEqual([
      expect.objectContaining({ model: 'acme/chat', projectId, tokens: 110, cost: '280000000', isCorrected: false }),
    ]);
    expect(canonicalRequest(calls[0]!.request)).toEqual({
      ...{ tools: [], format: null },
      parts: [
        { role: 'system', text: SYSTEM },
        { role: 'user', text: 'My card was charged twice' },
      ],
    });
    expect(canonicalAnswer(calls[0]!.answer)).toEqual({ tool: null, text: 'billing' });
  });

  it('are those of a provider of another style too', async () => {
    const projectId = await project('another style');
    system.claude.script(says('refund'));
    const sent = { ...DIALECTS[3]!.request('Money back'), model: 'acme/claude', project_id: projectId };
    expect((await api.call('POST', '/v1/messages', sent)).status).toBe(200);
    expect(answersIn(await read({ projectId, model: 'acme/claude' }))).toEqual(['refund']);
    expect((await read({ projectId })).calls).toEqual([]);
  });

  it('take the newest within the limit, newest first, and say that there are more', async () => {
    const projectId = await project('a limit');
    for (const text of ['one', 'two', 'three']) await ask(text, text, { project_id: projectId });
    const newest = await read({ projectId, limit: 2 });
    expect([textsIn(newest), newest.limit]).toEqual([['three', 'two'], 'calls']);
    const whole = await read({ projectId, limit: 3 });
    expect([textsIn(whole), whole.limit]).toEqual([['three', 'two', 'one'], null]);
    const [, second] = whole.calls;
    expect(textsIn(await read({ projectId, since: second!.at }))).toEqual(['three', 'two']);
    expect(textsIn(await read({ projectId, until: second!.at }))).toEqual(['two', 'one']);
  });

  it('have the corrections of people, and leave out what is disputed, erased or failed, by number', async () => {
    const projectId = await project('verdicts');
    const verdicts = [
      { verdict: 'correct' },
      { verdict: 'incorrect', corrected_output: 'refund' },
      { verdict: 'incorrect', corrected_output: { content: 'fraud' } },
      { verdict: 'unsure' },
    ];
    for (const [at, verdict] of verdicts.entries()) {
      await ask(`ticket ${at}`, 'billing', { project_id: projectId });
      const given = await api.call('POST', `/inferences/${await idOf(projectId)}/feedback`, verdict);
      expect(given.status).toBe(200);
    }
    await ask('to be erased', 'billing', { project_id: projectId });
    expect((await api.call('DELETE', `/inferences/${await idOf(projectId)}`)).status).toBe(200);
    system.openai.script(refuses(400, { error: { message: 'no' } }));
    const failed = { model: 'acme/chat', ...asked('failed'), project_id: projectId };
    expect((await api.call('POST', '/v1/chat/completions', failed)).status).toBe(400);

    const found = await read({ projectId });
    expect(textsIn(found)).toEqual(['ticket 2', 'ticket 1', 'ticket 0']);
    expect(answersIn(found)).toEqual(['fraud', 'refund', 'billing']);
    expect(found.calls.map(({ isCorrected }) => isCorrected)).toEqual([true, true, false]);
    expect(found.leftOut).toEqual({ not_kept: null, erased: 1, failed: 1, disputed: 1 });
  });

  it('are those of a name too that a person judged, whoever answered them', async () => {
    const projectId = await project('a name');
    await api.call('POST', '/models', { name: 'queues' });
    await api.call('POST', '/models/queues/versions', { model_id: 'acme/claude' });
    await api.call('PUT', '/models/queues/versions/1/promote', { reason: 'the first' });
    system.claude.script(says('billing'));
    for (const [at, verdict] of ['correct', 'incorrect', 'unsure', null].entries()) {
      const sent = { ...DIALECTS[1]!.request(`ticket ${at}`), model: 'queues', project_id: projectId };
      expect((await api.call('POST', '/v1/chat/completions', sent)).status).toBe(200);
      const given = { verdict, ...(verdict === 'incorrect' && { corrected_output: 'refund' }) };
      const id = await idOf(projectId);
      if (verdict) expect((await api.call('POST', `/inferences/${id}/feedback`, given)).status).toBe(200);
    }
    await ask('of the teacher', 'fraud', { project_id: projectId });
    const found = await read({ projectId, judgedOf: 'queues' });
    expect(textsIn(found)).toEqual(['ticket 1', 'ticket 0', 'of the teacher']);
    expect(answersIn(found)).toEqual(['refund', 'billing', 'fraud']);
    expect(answersIn(await read({ projectId, judgedOf: 'others' }))).toEqual(['fraud']);
    // Those of the model that is asked for are read once.
    expect(answersIn(await read({ projectId, model: 'acme/claude', judgedOf: 'queues' }))).toHaveLength(3);
  });

  it('count those made with store: false, which have no content and no project that is known', async () => {
    const before = (await read({})).leftOut.not_kept!;
    await ask('unseen', 'billing', { store: false });
    const after = await read({});
    expect(after.leftOut.not_kept).toBe(before + 1);
    expect(textsIn(after)).not.toContain('unseen');
    expect((await read({ until: '2000-01-01T00:00:00.000Z' })).leftOut.not_kept).toBe(0);
  });

  it('are of one workspace', async () => {
    const other = (await sharedHostedApi()).api;
    await ask('ours', 'billing');
    await api.drained();
    const theirs = await all(other.workspaceId, { model: 'acme/chat' });
    expect(theirs).toEqual({ calls: [], leftOut: { not_kept: 0, erased: 0, failed: 0, disputed: 0 }, limit: null });
    const projectId = await project('ours alone');
    await expect(all(other.workspaceId, { model: 'acme/chat', projectId })).rejects.toThrow('project');
  });
});
