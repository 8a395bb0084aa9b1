import { jest } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import { eventually } from '#test/support/eventually.js';
import { EngineUnavailableError, type LoadedDecoder } from '../decoder-engine.js';
import { checkServers } from './server-settings.js';
import { StartedServer } from './started-server.js';

const PROGRAM = fileURLToPath(new URL('../../../test/vllm/scripted-program.js', import.meta.url));
const never = new AbortController().signal;

describe('a vLLM server that the runner starts', () => {
  let folder: string;
  let base: string;
  let python: string;
  let opened: StartedServer[];
  let logged: jest.SpiedFunction<typeof console.error>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vllm-started-'));
    base = join(folder, 'base');
    await mkdir(base);
    await writeFile(join(base, 'manifest.json'), '{"id": "ada/tiny"}');
    python = join(folder, 'python');
    await writeFile(python, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' '${folder}' "$@"\n`);
    await chmod(python, 0o755);
    opened = [];
    logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(async () => {
    logged.mockRestore();
    await Promise.all(opened.map((server) => server.close()));
    await rm(folder, { recursive: true });
  });

  const serverOf = (fields: object = {}) => {
    const [settings] = checkServers({ servers: { own: { base: 'ada/tiny', ...fields } } }, {});
    const { memoryShare } = settings!;
    const server = new StartedServer({
      ...{ settings: { ...settings!, memoryShare: memoryShare! }, python },
      ...{ hasChatTemplate: true, toolParser: 'hermes', runner: 'gpu.1' },
    });
    opened.push(server);
    return server;
  };
  const adapter = async () => {
    const directory = join(folder, 'adapter');
    await mkdir(directory);
    await writeFile(join(directory, 'adapter_model.safetensors'), 'weights');
    await writeFile(join(directory, 'adapter_config.json'), '{"peft_type": "LORA", "r": 8}');
    const facts = { base: { sha256: await baseModelSha256(base) } };
    await writeFile(join(directory, 'anneal.json'), JSON.stringify(facts));
    return directory;
  };
  const ask = (model: LoadedDecoder) =>
    Array.fromAsync(model.generate({ input: { prompt: 'Where?' }, maxTokens: 4 }, never));
  const starts = async () => {
    const lines = (await readFile(join(folder, 'starts.jsonl'), 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as { readonly pid: number; readonly args: readonly string[] });
  };
  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('begins with the first model, takes a share of the card, and has the next rank that vLLM knows', async () => {
    const server = serverOf({ memory_share: 0.4, max_loras: 4, max_lora_rank: 24 });
    for (const directory of [null, await adapter()])
      expect(await ask(await server.load(base, directory))).toContainEqual({ type: 'text', text: 'scripted' });
    const [first, ...others] = await starts();
    expect(others).toEqual([]);
    const line = first!.args.join(' ');
    for (const part of [
      `--model ${base} --served-model-name ada/tiny --host 127.0.0.1`,
      '--gpu-memory-utilization 0.4',
      '--enable-lora --max-loras 4 --max-lora-rank 32',
      '--enable-auto-tool-choice --tool-call-parser hermes',
    ])
      expect(line).toContain(part);
  });

  it('is started again for the next call when it was lost, and given its adapters again', async () => {
    const model = await serverOf().load(base, await adapter());
    const [first] = await starts();
    process.kill(first!.pid, 'SIGKILL');
    await eventually(async () => !isRunning(first!.pid));
    // A call that meets the end of the server fails.
    await eventually(async () => {
      const answer = await ask(model).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EngineUnavailableError);
        return [];
      });
      return answer.length > 0;
    });
    expect(await starts()).toHaveLength(2);
    expect(logged.mock.calls.flat().join()).toContain('generation server own was lost (SIGKILL)');
  });

  it('ends with its runner', async () => {
    const server = serverOf();
    await server.load(base, null);
    const [first] = await starts();
    await server.close();
    expect(isRunning(first!.pid)).toBe(false);
  });

  it('that does not start leaves its last words in the log, not in the answer', async () => {
    const failed = serverOf({ base: 'ada/broken' }).load(base, null);
    await expect(failed).rejects.toThrow(EngineUnavailableError);
    await expect(failed).rejects.not.toThrow(/kernel/);
    expect(logged.mock.calls.flat().join()).toMatch(/own was lost \(code 3\)[^]*no kernel image is available/);
  });
});
