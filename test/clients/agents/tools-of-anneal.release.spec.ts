import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHostedApi, type HostedSystem } from '#test/support/hosted-api.js';
import { answers } from '#test/support/scripted-answers.js';
import { says, textBlock, toolUseBlock } from '#test/support/scripted-anthropic.js';
import { describeWith } from '#test/torch/environment.js';
import type { Agent, AgentCommand, Task, ToolCall } from './support/agent.js';
import { installed } from './support/install.js';
import { endAgents, runAgent } from './support/run.js';

const DATASET = 'orders-by-agent';
const MODEL = 'order-state';
const rows = Array.from({ length: 40 }, (_, row) => {
  const label = row % 2 === 0 ? 'late' : 'arrived';
  return JSON.stringify({ text: `order ${row} has ${row % 2 === 0 ? 'not come yet' : 'come today'}`, label });
}).join('\n');

/** What a model does to get from rows to an answer: each call waits for what the one before began. */
const WORK: readonly (ToolCall & { readonly after?: (system: HostedSystem) => Promise<unknown> })[] = [
  { name: 'create_dataset', input: { dataset_name: DATASET, dataset_type: 'classification', rows } },
  {
    name: 'train',
    input: {
      model_name: MODEL,
      base_model: 'anneal/encoder-base-v1',
      datasets: [{ name: DATASET, version: 'latest' }],
      nr_epochs: 3,
    },
    after: ({ api }) => settled(api, `/felix/datasets/${DATASET}`, ({ body }) => body.versions[0].status === 'ready'),
  },
  {
    name: 'ask',
    input: {
      model_id: MODEL,
      text: 'order 77 has not come yet',
      schema: { classifications: [{ task: 'state', labels: ['late', 'arrived'] }] },
    },
    after: ({ api }) => settled(api, `/models/${MODEL}`, ({ status }) => status === 200),
  },
];

const settled = (
  api: HostedSystem['api'],
  path: string,
  holds: (answer: Awaited<ReturnType<HostedSystem['api']['call']>>) => boolean,
) => api.until(() => api.call('GET', path), holds);

type Worker = Pick<Agent, 'name' | 'package' | 'setUp'> & {
  readonly model: string;
  /** The agent's name for a tool of this server. */
  readonly toolName: (name: string) => string;
  readonly prepare: (task: Task) => Promise<AgentCommand>;
};

const AGENTS: readonly Worker[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code@2.1.330',
    setUp: '@anthropic-ai/claude-code/install.cjs',
    model: 'acme/claude',
    toolName: (name) => `mcp__anneal__${name}`,
    prepare: ({ prompt, model, url, key }) => {
      const headers = { Authorization: `Bearer ${key}` };
      const servers = JSON.stringify({ mcpServers: { anneal: { type: 'http', url: `${url}/mcp`, headers } } });
      return Promise.resolve({
        program: 'claude',
        args: [
          '--print',
          prompt,
          '--model',
          model,
          '--allowedTools',
          'mcp__anneal',
          '--mcp-config',
          servers,
          '--strict-mcp-config',
        ],
        environment: {
          ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_SMALL_FAST_MODEL: model },
          ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', ENABLE_TOOL_SEARCH: 'false' },
        },
      });
    },
  },
  {
    name: 'Codex',
    package: '@openai/codex@0.169.0',
    model: 'acme/agent',
    toolName: (name) => `mcp__anneal__${name}`,
    async prepare({ prompt, model, url, key, home }) {
      await mkdir(join(home, '.codex'));
      await writeFile(
        join(home, '.codex', 'config.toml'),
        `
model_provider = "anneal"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.anneal]
name = "Anneal"
base_url = "${url}/v1"
env_key = "ANNEAL_API_KEY"
wire_api = "responses"
[mcp_servers.anneal]
url = "${url}/mcp"
bearer_token_env_var = "ANNEAL_API_KEY"
required = true
`,
      );
      const options = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--model', model];
      return { program: 'codex', args: ['exec', ...options, prompt], environment: { ANNEAL_API_KEY: key } };
    },
  },
];

for (const agent of AGENTS)
  await describeWith(
    `${agent.name} (${agent.package}) with the tools of Anneal`,
    () => installed(agent),
    (folder) => suite(agent, folder),
  );

function suite(agent: Worker, folder: string): void {
  let hosted: HostedSystem;
  let home: string;
  beforeAll(async () => {
    hosted = await startHostedApi();
    home = await mkdtemp(join(tmpdir(), 'anneal-agents-'));
    await mkdir(join(home, 'work'));
    hosted.openai.script(async (response, request) => {
      const done = results(request.body.messages, ({ role }) => role === 'tool');
      const next = await call(done.length, (request.body.tools ?? []).length > 0);
      const toolCalls = next && [{ id: `call_${done.length}`, name: next.name, input: JSON.stringify(next.input) }];
      return answers({ text: next ? 'Next.' : `Done: ${done.at(-1)}`, ...(toolCalls && { toolCalls }) })(
        response,
        request,
      );
    });
    hosted.claude.script(async (response, request) => {
      const blocks = request.body.messages.flatMap(({ content }: { content: unknown }) => content);
      const done = results(blocks, ({ type }) => type === 'tool_result');
      const next = await call(done.length, (request.body.tools ?? []).length > 0);
      const content = next
        ? [textBlock('Next.'), toolUseBlock(`toolu_${done.length}`, next.name, next.input)]
        : [textBlock(`Done: ${done.at(-1)}`)];
      return says({ content })(response, request);
    });
  });
  afterAll(async () => {
    endAgents();
    await hosted.close();
    await rm(home, { recursive: true });
  });

  async function call(done: number, hasTools: boolean): Promise<ToolCall | null> {
    const step = hasTools ? WORK[done] : undefined;
    if (step === undefined) return null;
    await step.after?.(hosted);
    return { name: agent.toolName(step.name), input: step.input };
  }

  it('makes a dataset of rows, trains, and asks the model by its name', async () => {
    const { url, key } = hosted.api;
    const packages = join(folder, 'node_modules');
    const task: Task = {
      prompt: 'Train a model of order states.',
      model: agent.model,
      thinks: false,
      url,
      key,
      home,
      work: join(home, 'work'),
      packages,
    };
    const ended = await runAgent(await agent.prepare(task), task);
    expect(ended).toMatchObject({ status: 0 });
    expect(ended.out).toMatch(/Done: .*late/s);
    const isNative = ({ format }: { format: string }) => format === 'native';
    const asked = await hosted.api.until(
      () => hosted.api.call('GET', '/inferences'),
      ({ body }) => body.inferences.some(isNative),
    );
    expect(asked.body.inferences.filter(isNative)).toHaveLength(1);
  });
}

function results(
  parts: readonly Record<string, unknown>[],
  isResult: (part: Record<string, unknown>) => boolean,
): readonly string[] {
  return parts.filter(isResult).map((part) => JSON.stringify(part['content'] ?? part));
}
