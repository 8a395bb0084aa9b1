import { join } from 'node:path';
import { describeAgent } from './support/describe-agent.js';

await describeAgent({
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code@2.1.330',
  setUp: '@anthropic-ai/claude-code/install.cjs',
  prepare: ({ prompt, model, url, key }) =>
    Promise.resolve({
      program: 'claude',
      args: ['--print', prompt, '--model', model, '--allowedTools', 'Read', 'Write'],
      environment: {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_SMALL_FAST_MODEL: model },
        ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
      },
    }),
  calls: ({ work }) => [
    { name: 'Read', input: { file_path: join(work, 'notes.txt') } },
    { name: 'Write', input: { file_path: join(work, 'out.txt'), content: 'seen' } },
  ],
  dropped: { openai: ['context_management', 'thinking.display', 'tools.defer_loading'], anthropic: [] },
});
