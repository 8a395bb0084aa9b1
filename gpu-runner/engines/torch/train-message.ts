import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DecoderTrainSettings, TrainRequest } from '../engine.js';
import { verifiedBase } from './base.js';
import type { TrainMessage } from './messages.js';

/** Longer rows are cut off: memory grows with the longest. */
const MAX_ROW_TOKENS = 4096;

interface Rows {
  readonly train: Iterable<object>;
  readonly validation: Iterable<object>;
}

/** A training as Python takes it; the rows are written to files. @throws ArtifactError */
export async function trainMessage(
  kind: TrainMessage['kind'],
  request: Omit<TrainRequest, 'train' | 'validation' | 'sources' | 'settings'> & {
    readonly settings: DecoderTrainSettings;
  },
  { train, validation }: Rows,
): Promise<TrainMessage> {
  const { settings, baseDirectory, startFrom, resumeFrom, outputDirectory } = request;
  const { contextTokens, licence: _, ...base } = await verifiedBase(baseDirectory);
  await mkdir(outputDirectory, { recursive: true });
  const { multiLabel, decoder, ...given } = settings;
  const { beta = null, ...options } = decoder ?? {};
  return {
    type: 'train',
    kind,
    base,
    output: outputDirectory,
    startFrom,
    resumeFrom,
    train: await writeRows(join(outputDirectory, 'train.jsonl'), train),
    validation: await writeRows(join(outputDirectory, 'validation.jsonl'), validation),
    settings: {
      ...{ ...given, ...options, ...(beta !== null && { beta }) },
      ...(kind === 'encoder' && { multiLabel }),
      maxTokens: Math.min(contextTokens, MAX_ROW_TOKENS),
    },
  };
}

/** @returns the path */
async function writeRows(path: string, rows: Iterable<object>): Promise<string> {
  const lines = function* () {
    for (const row of rows) yield `${JSON.stringify(row)}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(path));
  return path;
}
