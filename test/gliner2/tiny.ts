import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CodePoints } from '#domain/code-points.js';
import type { InferResult, InferSchema } from '#gpu-runner/contract/schema.js';
import { writeFiles } from '#test/support/write-files.js';

/** `tiny.py` made these files: random models as the Python package `gliner2` saves them, and what the torch engine answers with them. */
export const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'test', 'gliner2');

/** By the layer that counts records: each has another encoder, tokenizer and type of numbers too. */
export const KINDS = ['lstm', 'v2', 'moe'] as const;
export type Kind = (typeof KINDS)[number];

/** A call. */
export interface Call {
  readonly text: string;
  readonly schema: InferSchema;
  readonly threshold: number;
}

/** A call, and the result of the torch engine with offsets in code points. */
export type Answer = Call & { readonly result: InferResult };

const unpacked = async (name: string): Promise<unknown> =>
  JSON.parse(gunzipSync(await readFile(join(FIXTURES, name))).toString('utf8'));

export const answers = async (): Promise<Record<Kind, readonly Answer[]>> =>
  (await unpacked('answers.json.gz')) as Record<Kind, readonly Answer[]>;

/** The files of a model, by path. */
export async function filesOf(kind: Kind): Promise<Record<string, Buffer>> {
  const files = Object.entries((await unpacked(`${kind}.json.gz`)) as Record<string, string>);
  return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content, 'base64')]));
}

/** Writes the files of a model, with others beside or instead. */
export async function writeGliner2(
  folder: string,
  kind: Kind,
  others: Readonly<Record<string, string | Buffer>> = {},
): Promise<void> {
  await writeFiles(folder, { ...(await filesOf(kind)), ...others });
}

/** A recorded result in UTF-16 offsets, whose confidences may differ by rounding. */
export function expectedOf(result: unknown, text: string): unknown {
  const { toUtf16 } = new CodePoints(text);
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, each]): [string, unknown] => {
      if (key === 'confidence') return [key, expect.closeTo(each as number, 4)];
      return [key, (key === 'start' || key === 'end') && typeof each === 'number' ? toUtf16(each) : read(each)];
    });
    return Object.fromEntries(entries);
  };
  return read(result);
}
