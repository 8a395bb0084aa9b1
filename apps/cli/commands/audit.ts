import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { EXPORT_COLUMNS, tableRows } from '#audit/export-table.js';
import { ParquetExport } from '#dataset-formats/index.js';
import { locationsOf } from '#apps/composition/locations.js';
import { exportAudit, verifyAudit, verifyExportFile } from '#apps/operator/audit.js';
import { OperationError } from '#apps/operator/operation.js';
import { RECORD_EXPORT } from '#apps/operator/reads.js';
import { decodeSecret, givenSecret, type SecretKey } from '#primitives/secrets/secret-key.js';
import { readSettings, Settings } from '#settings/index.js';
import { cell, show, type View } from '../output.js';
import { ask } from '../session.js';

const view: View = {
  columns: ['position', 'problem', 'what'],
  row: (frame) =>
    frame['problem'] === undefined
      ? ['', frame['verified'] === true ? 'verified' : 'NOT VERIFIED', summary(frame)]
      : [cell(frame['position']).replace(/^0+(?=\d)/, ''), cell(frame['problem']), cell(frame['what'])],
  empty: 'The verification was interrupted.',
};

const summary = (frame: JsonObject): string =>
  (frame['proven'] === undefined ? logSummary(frame) : exportSummary(frame)).concat(trust(frame)).join('; ');

const exportSummary = ({ size, events, proven, withheld, unproven, problems }: JsonObject): readonly string[] => [
  `${cell(problems)} problems`,
  `${cell(proven)} of ${cell(events)} events are in the log of ${cell(size)} events that the checkpoint signs`,
  `of those ${cell(withheld)} are without their texts`,
  `${cell(unproven)} are without proof`,
  'files, contents of calls, and events that were left out, can only be verified with the log',
];

const trust = ({ trusted }: JsonObject): readonly string[] =>
  trusted === true ? [] : ['the public key is the one that the log or the export itself names: compare it with yours'];

const logSummary = ({
  size,
  same,
  erased,
  uncovered,
  objects,
  restarts,
  problems,
  ...calls
}: JsonObject): readonly string[] => [
  `${cell(problems)} problems`,
  `${cell(same)} of ${cell(size)} events are as they were signed`,
  `${cell(erased)} were erased as the log says`,
  `${cell(uncovered)} are newer than the checkpoint`,
  `${cell(objects)} objects are whole`,
  ...callSummary(calls),
  ...(restarts === 0 ? [] : [`the tree was restarted ${cell(restarts)} times, see audit-tree-restarted.v1`]),
];

const callSummary = ({ calls, contents, contentsUnchecked, cutOff, isOtherSecret }: JsonObject): readonly string[] => [
  `${cell(calls)} calls have their content`,
  `${cell(contents)} contents are those that were recorded, ${cell(contentsUnchecked)} could not be compared`,
  ...(cutOff === 0 ? [] : [`${cell(cutOff)} calls were cut off when their process died`]),
  ...(isOtherSecret === true ? ['the secret is not the one of this log'] : []),
];

const verify: CommandModule = {
  command: 'verify [path]',
  describe:
    'Verify log, tree and objects by the public key alone; the exit status is 1 if anything is not as it was signed',
  builder: (yargs) =>
    yargs
      .positional('path', {
        type: 'string',
        describe: 'A copy of a data folder, or the file of an export; default: the system of the settings',
      })
      .options({
        key: { type: 'string', array: true, default: [], describe: 'Public key (NAME+ID+KEY) that you trust' },
        checkpoint: { type: 'string', array: true, default: [], describe: 'File with a checkpoint that you kept' },
        witness: {
          type: 'string',
          array: true,
          default: [],
          describe: 'Public key of a witness that must have cosigned',
        },
        secret: {
          type: 'string',
          describe:
            'File with the secret, to compare contents with their calls; default: secret.key of the data folder',
        },
      }),
  handler: async (args) => {
    const path = args['path'] as string | undefined;
    const witnesses = args['witness'] as string[];
    const kept = { keys: args['key'] as string[], checkpoints: args['checkpoint'] as string[], witnesses };
    const isExport = path !== undefined && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
    if (isExport && kept.checkpoints.length > 0)
      throw new OperationError('--checkpoint compares with a log; an export has the one checkpoint of its first line');
    const found = isExport
      ? verifyExportFile(path, kept.keys, witnesses)
      : verifyAudit({ ...placesOf(settingsOf(path), args['secret'] as string | undefined), ...kept });
    let verified = false;
    const frames = async function* () {
      for await (const frame of found) {
        if ((frame as JsonObject)['verified'] === true) verified = true;
        yield frame;
      }
    };
    await show(frames(), view, args['json'] as boolean);
    if (!verified) process.exitCode = 1;
  },
};

/** @param secretFile default: the secret of the settings, or of the data folder */
function placesOf(settings: Settings, secretFile: string | undefined) {
  const { eventStore, objectStore, contentKeys: keys } = locationsOf(settings);
  const text = secretFile === undefined ? givenSecret(settings.dataDir, settings.secretKey)?.text : read(secretFile);
  return { eventStore, objectStore, contents: text === undefined ? null : { secret: secretOf(text), keys } };
}

/** @throws OperationError */
function secretOf(text: string): SecretKey {
  try {
    return decodeSecret(text);
  } catch (error) {
    throw new OperationError(`--secret: ${(error as Error).message}`);
  }
}

/** @throws OperationError */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OperationError(`--secret: ${file} cannot be read: ${(error as Error).message}`);
  }
}

const settingsOf = (folder: string | undefined): Settings =>
  folder === undefined ? readSettings(process.env) : new Settings({ dataDir: resolve(folder) });

const exported: CommandModule = {
  command: 'export [folder]',
  describe: 'Write events with proofs that they are in the log, the whole log or a part of it, to standard output',
  builder: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        describe: 'A copy of a data folder; default: the system of the settings',
      })
      .options({
        stream: { type: 'string', describe: 'Only this stream' },
        from: { type: 'string', describe: 'Only events from this time on (ISO 8601)' },
        to: { type: 'string', describe: 'Only events until this time (ISO 8601)' },
        content: {
          type: 'boolean',
          default: false,
          describe: 'With what is encrypted, and the keys that prove it; recorded as a read of contents',
        },
        format: { choices: ['jsonl', 'parquet'], default: 'jsonl' },
      }),
  handler: async (args) => {
    const given = (name: string) => (args[name] as string | undefined) ?? null;
    const scope = { stream: given('stream'), from: time(given('from')), to: time(given('to')) };
    const folder = args['folder'] as string | undefined;
    const { contents, ...places } = placesOf(settingsOf(folder), undefined);
    const reading = args['content'] === true ? readingOf(contents, scope.stream, folder) : {};
    const lines = exportAudit({ ...places, scope, ...reading });
    for await (const piece of args['format'] === 'parquet' ? await asParquet(lines) : lines)
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
  },
};

/** @throws OperationError */
function readingOf(
  contents: ReturnType<typeof placesOf>['contents'],
  stream: string | null,
  folder: string | undefined,
) {
  if (folder !== undefined)
    throw new OperationError(
      '--content is for the system of the settings, on whose log the read is recorded; name no folder',
    );
  if (contents === null) throw new OperationError('--content needs the secret: secret.key, or ANNEAL_SECRET_KEY');
  const record = async (workspaceIds: readonly string[]) => {
    for await (const _ of ask(RECORD_EXPORT, { workspaceIds, stream }));
  };
  return { reading: { contents, record } };
}

async function asParquet(lines: AsyncIterable<string>): Promise<AsyncIterable<Uint8Array>> {
  const never = new AbortController().signal;
  return (await new ParquetExport().make(tableRows(lines), EXPORT_COLUMNS, 'operator', never)).content;
}

/** @throws OperationError */
function time(value: string | null): string | null {
  if (value === null) return null;
  // Without an offset it is UTC, as in the API.
  const at = new Date(/T.*(Z|[+-]\d\d:?\d\d)$|^[\d-]+$/i.test(value) ? value : `${value}Z`);
  if (Number.isNaN(at.getTime())) throw new OperationError('give an ISO 8601 time such as 2030-01-02T03:04:05Z');
  return at.toISOString();
}

const restartView: View = {
  columns: ['tree', 'reason'],
  row: ({ tree, reason }) => [cell(tree), cell(reason)],
  empty: '',
};

const restart: CommandModule = {
  command: 'restart',
  describe: 'Begin another tree, because this one is lost or damaged for good; the log keeps that, and why',
  builder: { reason: { type: 'string', demandOption: true, describe: 'Why, for whoever audits the log later' } },
  handler: ({ reason, json }) => show(ask('audit.restart', { reason: reason as string }), restartView, json === true),
};

/** `anneal audit export`, `restart` and `verify` */
export const auditCommands: CommandModule = {
  command: 'audit <command>',
  describe: 'Prove that the log is what was written',
  builder: (yargs) => yargs.command(exported).command(restart).command(verify).demandCommand(1),
  handler: () => {},
};
