import { statSync } from 'node:fs';
import type { CommandModule } from 'yargs';
import { FORMAT_NAMES, type FormatName } from '#use-cases/inferences/formats/index.js';
import { OperationError } from '#apps/operator/operation.js';
import type { Json, JsonObject } from '#domain/json.js';
import { UnreadableFileError } from '#rows/formats/index.js';
import { apiAt, urlOption } from '../api.js';
import { exportedCalls } from '../exported-calls.js';
import { importSession, type RefusedRow } from '../import-session.js';
import { cell, ProgressBar, show, type View } from '../output.js';

const view: View = {
  columns: ['row', 'id', 'field', 'not imported because it'],
  row: ({ row, id, field, reason }) => [row, id, field, reason].map(cell),
  empty: 'No row was refused.',
};

/** `anneal import`: over HTTP, as the key in KEY. */
export const importCommand: CommandModule = {
  command: 'import <file>',
  describe: 'Import calls that another system made, from its export; needs an API key in KEY',
  builder: (yargs) =>
    yargs
      .positional('file', {
        type: 'string',
        demandOption: true,
        describe: 'JSON lines, a list of JSON, CSV or Parquet',
      })
      .options({
        url: urlOption,
        format: { choices: FORMAT_NAMES, describe: 'The system whose export it is; default: as its fields tell' },
      }),
  handler: async (args) => {
    const { url, file, format, json } = args as unknown as {
      readonly url: string;
      readonly file: string;
      readonly format?: FormatName;
      readonly json: boolean;
    };
    const total = sizeOf(file);
    const refused: RefusedRow[] = [];
    const progress = new ProgressBar();
    const tell = (done: number) => json || progress.update({ done, total, unit: 'bytes' });
    try {
      const sum = await importSession(apiAt(url), exportedCalls(file, tell), format ?? null, (row) =>
        refused.push(row),
      );
      progress.stop();
      // Nothing of the file is here.
      if (sum.refused > 0 && sum.refused === sum.rows) process.exitCode = 1;
      if (json) return void process.stdout.write(`${JSON.stringify({ ...sum, errors: refused })}\n`);
      await show(framesOf(refused), view, json);
      console.log(
        `${sum.rows} ${sum.rows === 1 ? 'row' : 'rows'} of ${sum.format}: ${sum.imported} imported, ${sum.unchanged} unchanged, ${sum.refused} refused.`,
      );
    } catch (error) {
      progress.stop();
      throw error instanceof UnreadableFileError ? new OperationError(`${file}: ${error.message}`) : error;
    }
  },
};

function sizeOf(file: string): number {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size === undefined) throw new OperationError(`${file} does not exist`);
  return size;
}

async function* framesOf(rows: readonly RefusedRow[]): AsyncGenerator<Json> {
  yield* rows as unknown as readonly JsonObject[];
}
