import { join } from 'node:path';
import { describeAgent } from './support/describe-agent.js';

/** A program of one task: its arguments are the SDK's module, the prompt and the options. It prints what the agent says. */
const PROGRAM = `
  const [sdk, prompt, options] = process.argv.slice(1);
  const { query } = await import(sdk);
  let end = null;
  for await (const message of query({ prompt, options: JSON.parse(options) }))
    if (message.type === 'result') end = message;
  console.log(end?.result ?? end?.errors);
  process.exitCode = end?.is_error === false ? 0 : 1;
`;

await describeAgent({
  name: 'Claude Agent SDK',
  package: '@anthropic-ai/claude-agent-sdk@0.3.330',
  prepare: ({ prompt, model, thinks, url, key, packages }) => {
    const sdk = join(packages, '@anthropic-ai', 'claude-agent-sdk', 'sdk.mjs');
    const thinking = { type: 'enabled', budgetTokens: 4_000 };
    const allowedTools = ['Read', 'Write'];
    const options = { model, allowedTools, includePartialMessages: true, ...(thinks && { thinking }) };
    return Promise.resolve({
      program: 'node',
      args: ['--input-type=module', '--eval', PROGRAM, sdk, prompt, JSON.stringify(options)],
      environment: {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, ANTHROPIC_SMALL_FAST_MODEL: model },
        ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
      },
    });
  },
  calls: ({ work }) => [
    { name: 'Read', input: { file_path: join(work, 'notes.txt') } },
    { name: 'Write', input: { file_path: join(work, 'out.txt'), content: 'seen' } },
  ],
  dropped: { openai: ['context_management', 'thinking.display', 'tools.defer_loading'], anthropic: [] },
});
