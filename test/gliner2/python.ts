import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InferResult } from '#gpu-runner/contract/schema.js';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { run } from '#test/servers/tools.js';
import { FIXTURES, type Call, type Kind } from './tiny.js';

/** Writes a tiny random model by the package's own writer. */
export async function writeByPackage(python: string, folder: string, kind: Kind): Promise<void> {
  await mkdir(folder, { recursive: true });
  await tiny(python, ['write', folder, kind]);
}

/** What the torch engine answers with the model of a folder, by call, offsets in code points; or that it refuses the schema. */
export async function answersOfTorch(
  python: string,
  folder: string,
  calls: readonly Call[],
): Promise<readonly (InferResult | { readonly refused: string })[]> {
  const file = join(folder, '..', 'calls.json');
  await writeFile(file, JSON.stringify(calls));
  const printed = await tiny(python, ['answer', folder, file]);
  return JSON.parse(printed.trim().split('\n').at(-1)!) as Awaited<ReturnType<typeof answersOfTorch>>;
}

const tiny = (python: string, args: readonly string[]): Promise<string> =>
  run(python, [join(FIXTURES, 'tiny.py'), ...args], {
    environment: { HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: PYTHON_PACKAGE },
  });
