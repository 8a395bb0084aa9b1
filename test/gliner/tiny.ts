import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { writeFiles } from '#test/support/write-files.js';
import { importModel } from '#models/imported/index.js';

/** `tiny.py` made these files: random models in the format that the Python package `gliner` exports, and its own answers. */
export const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'test', 'gliner');

export const KINDS = ['span', 'token'] as const;
export type Kind = (typeof KINDS)[number];

/** A call, and what the package finds. Offsets are code points. */
export interface Answer {
  readonly text: string;
  /** Names, or descriptions by name. */
  readonly labels: readonly string[] | Readonly<Record<string, string>>;
  readonly flat: boolean;
  readonly threshold?: number;
  readonly hits: readonly {
    readonly start: number;
    readonly end: number;
    readonly text: string;
    readonly label: string;
    readonly score: number;
  }[];
}

export const answers = async (): Promise<Record<Kind, readonly Answer[]>> =>
  JSON.parse(await readFile(join(FIXTURES, 'answers.json'), 'utf8')) as Record<Kind, readonly Answer[]>;

/** The files of a model, by name: `gliner_config.json`, `model.onnx`, `tokenizer.json`, `tokenizer_config.json`. */
export async function filesOf(kind: Kind): Promise<Record<string, Buffer>> {
  const packed = gunzipSync(await readFile(join(FIXTURES, `${kind}.json.gz`))).toString('utf8');
  const files = Object.entries(JSON.parse(packed) as Record<string, string>);
  return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content, 'base64')]));
}

/** Writes the files of a model, with others beside or instead. */
export async function writeGliner(
  folder: string,
  kind: Kind,
  others: Readonly<Record<string, string | Buffer>> = {},
): Promise<void> {
  await writeFiles(folder, { ...(await filesOf(kind)), ...others });
}

/** Imports a model. @returns its folder */
export async function importGliner(source: string, id: string, modelsDir: string): Promise<string> {
  await Array.fromAsync(importModel(source, { id, licence: null }, modelsDir));
  return join(modelsDir, id.replace('/', '--'));
}
