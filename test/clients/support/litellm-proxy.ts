import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#primitives/free-port.js';
import { eventually } from '#test/support/eventually.js';
import { OFFLINE } from './python.js';

export interface LiteLlmProxy {
  /** Base address without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts LiteLLM's proxy. @param models its `model_list`; keys may stand in it @param python of an environment that has it */
export async function startLiteLlmProxy(python: string, models: readonly object[]): Promise<LiteLlmProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'anneal-litellm-'));
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    JSON.stringify({ model_list: models, litellm_settings: { telemetry: false, num_retries: 0 } }),
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // The installed program names the folder in which it was built.
  const program = ['-c', 'from litellm import run_server; run_server()'];
  const child = spawn(python, [...program, '--config', config, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, NO_PROXY: '*', ...OFFLINE },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const lives = async () => child.exitCode !== null || (await fetch(`${url}/health/liveliness`)).ok;
  await eventually(lives);
  if (child.exitCode !== null) throw new Error(`LiteLLM's proxy ended with ${child.exitCode}`);
  return {
    url,
    async close() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
