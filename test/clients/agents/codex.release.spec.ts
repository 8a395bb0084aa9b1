import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeAgent } from './support/describe-agent.js';

await describeAgent({
  name: 'Codex',
  package: '@openai/codex@0.169.0',
  async prepare({ prompt, model, thinks, url, key, home }) {
    await mkdir(join(home, '.codex'));
    await writeFile(
      join(home, '.codex', 'config.toml'),
      `
model_provider = "anneal"
check_for_update_on_startup = false
${thinks ? 'model_reasoning_effort = "high"\nmodel_supports_reasoning_summaries = true' : ''}
[analytics]
enabled = false
[model_providers.anneal]
name = "Anneal"
base_url = "${url}/v1"
env_key = "ANNEAL_API_KEY"
wire_api = "responses"
`,
    );
    // The folders are scratch, and containers often allow no sandbox in them.
    const options = ['--skip-git-repo-check', '--sandbox', 'danger-full-access', '--model', model];
    return { program: 'codex', args: ['exec', ...options, prompt], environment: { ANNEAL_API_KEY: key } };
  },
  calls: () => [
    { name: 'exec_command', input: { cmd: 'cat notes.txt' } },
    { name: 'exec_command', input: { cmd: 'echo seen > out.txt' } },
  ],
  dropped: {
    openai: ['client_metadata', 'tools.web_search'],
    anthropic: ['client_metadata', 'prompt_cache_key', 'tools.web_search'],
  },
});
