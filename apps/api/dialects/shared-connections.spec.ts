import { AccountBook } from '#application/accounts/index.js';
import { startHostedApi, type HostedSystem } from '#test/support/hosted-api.js';
import { operate } from '#test/support/operate.js';
import { streams } from '#test/support/scripted-provider.js';

const MODEL = 'acme/chat';
const messages = [{ role: 'user', content: 'Say hello' }];

describe('connections to a provider, shared by workspaces', () => {
  let hosted: HostedSystem;
  let calls: Promise<unknown>[];
  let end: PromiseWithResolvers<void>;
  beforeEach(async () => {
    hosted = await startHostedApi();
    calls = [];
    end = Promise.withResolvers();
  });
  afterEach(async () => {
    end.resolve();
    await Promise.all(calls);
    await hosted.close();
  });

  const chat = (key: string, stream = false) =>
    hosted.api.call('POST', '/v1/chat/completions', { model: MODEL, messages, stream }, { 'x-api-key': key });
  const hanging = async (count: number, reach: number) => {
    hosted.openai.script((response, request) => end.promise.then(() => streams('late')(response, request)));
    calls = Array.from({ length: count }, () => chat(hosted.api.key));
    while (hosted.openai.seen.length < reach) await hosted.openai.next();
  };
  const setLimit = async (value: number) => {
    await operate(hosted.api, 'team.limit', { limit: 'hosted_calls', value });
    const { team_id: teamId } = (await hosted.api.call('GET', '/account')).body;
    hosted.api.app.get(AccountBook).drop(teamId as string);
  };

  it("serve another workspace's call at once while 300 of one hang", async () => {
    const other = await hosted.api.colleague();
    await hanging(300, 192);
    hosted.openai.script(streams('hello'));
    const { status, body } = await chat(other.key);
    expect([status, body.choices?.[0].message.content]).toEqual([200, 'hello']);
    expect(hosted.openai.seen).toHaveLength(193);
  });

  it("refuse a call in its dialect, with the number in use, when a workspace has reached its team's limit", async () => {
    await setLimit(3);
    await hanging(3, 3);
    const openai = await chat(hosted.api.key);
    const says =
      "this workspace has 3 calls under way or waiting at this model's provider, and may have 3; try again later";
    expect(openai.status).toBe(429);
    expect(openai.body.error).toMatchObject({ type: 'rate_limit_error', code: 'queue_full', message: says });
    expect(openai.headers.get('retry-after')).toBe('1');
    expect(openai.headers.get('x-ratelimit-scope')).toBe('provider-connections');
    const native = await hosted.api.call('POST', '/inference', { model_id: MODEL, task: 'generate', messages });
    expect(native.body).toEqual({ detail: says, code: 'queue_full', scope: 'provider-connections', queue_length: 3 });
    const anthropic = await hosted.api.call('POST', '/v1/messages', { model: MODEL, max_tokens: 5, messages });
    expect([anthropic.status, anthropic.body.error]).toEqual([429, { type: 'rate_limit_error', message: says }]);
    await setLimit(4);
    hosted.openai.script(streams('hello'));
    expect((await chat(hosted.api.key)).status).toBe(200);
  });
});
