import { once } from 'node:events';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import type { JsonObject } from '#domain/json.js';
import { EXPORT_COLUMNS, tableRows } from '#audit/export-table.js';
import { sentenceOf, type SettingsEvent } from '#domain/settings/index.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { ParquetExport } from '#rows/formats/index.js';
import { compose } from '#apps/composition/compose.js';
import { locationsOf } from '#apps/composition/locations.js';
import { exportAudit, verifyAudit, verifyExportFile } from '#apps/operator/audit.js';
import { OperationError, reasonOf } from '#apps/operator/operation.js';
import { RECORD_EXPORT } from '#apps/operator/reads.js';
import { timeOf } from '#apps/operator/time.js';
import { readSettings, Settings } from '#settings/index.js';
import { agreedSettings, YES } from '../agreement.js';
import { placesOf } from '../audit-places.js';
import { cell, show, type View } from '../output.js';
import { auditReportCommand } from './audit-report.js';
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
  `${cell(withheld)} of these events are exported without their texts`,
  `${cell(unproven)} events have no proof`,
  'an export leaves files, contents of calls and completeness unproved: verify the log for these',
];

const trust = ({ trusted, vouched = null, size }: JsonObject): readonly string[] => {
  if (trusted !== true)
    return [
      `NOT TRUSTED: nothing from outside vouches for it, and who has the installation's secret can sign another log; give ${vouched === null ? '' : '--checkpoint with one that was kept elsewhere, set ANNEAL_AUDIT_CHECKPOINTS, or give '}--witness`,
    ];
  if (vouched === null || vouched === size) return [];
  return [
    `the checkpoint that was kept signs ${cell(vouched)} of these events: nothing from outside vouches for the rest`,
  ];
};

const logSummary = ({
  size,
  same,
  erased,
  uncovered,
  objects,
  restarts,
  begunAfter,
  problems,
  kept,
  stamped,
  isSealed = null,
  ...calls
}: JsonObject): readonly string[] => [
  `${cell(problems)} problems`,
  `${cell(same)} of ${cell(size)} events are as they were signed`,
  `${cell(erased)} events were erased, as the log records`,
  `${cell(uncovered)} events are newer than the checkpoint, ${isSealed === null ? "and were not compared with the log's seal" : isSealed === true ? 'with their seal' : 'NOT with their seal'}`,
  `${cell(objects)} objects are intact`,
  ...callSummary(calls),
  ...(kept === 0 ? [] : [`${cell(kept)} kept checkpoints are continued by the tree`]),
  ...(stamped ? [stampSummary(stamped as JsonObject)] : []),
  ...(begunAfter === null ? [] : [`the tree began when the log had ${cell(begunAfter)} events`]),
  ...(restarts === 0 ? [] : [`the tree was restarted ${cell(restarts)} times, see audit-tree-restarted.v1`]),
];

const stampSummary = ({ size, time, by, trusted }: JsonObject): string =>
  trusted === true
    ? `${cell(size)} of these events were on the log at ${cell(time)}, says ${cell(by)}`
    : `${cell(size)} events have a time stamp of ${cell(time)} by ${cell(by)}, which nothing given vouches for (--tsa)`;

const callSummary = ({ calls, contents, contentsUnchecked, cutOff, isOtherSecret }: JsonObject): readonly string[] => [
  `${cell(calls)} calls have their content`,
  `${cell(contents)} contents are as they were recorded, ${cell(contentsUnchecked)} could not be compared`,
  ...(cutOff === 0 ? [] : [`${cell(cutOff)} calls were cut off when their process died`]),
  ...(isOtherSecret === true ? ['the secret belongs to another log'] : []),
];

const verify: CommandModule = {
  command: 'verify [path]',
  describe:
    'Verify the log, the audit tree and the objects with the public key alone; the exit status is 1 if anything differs from what was signed',
  builder: (yargs) =>
    yargs
      .positional('path', {
        type: 'string',
        describe: 'A copy of a data folder, or an export file; default: the system that the settings name',
      })
      .options({
        key: {
          type: 'string',
          array: true,
          default: [],
          describe:
            'The public keys that you trust (NAME+ID+KEY), as GET /audit/key has them; default: those that the log names',
        },
        checkpoint: { type: 'string', array: true, default: [], describe: 'A file with a checkpoint that you kept' },
        witness: {
          type: 'string',
          array: true,
          default: [],
          describe: 'The public key of a witness that must have cosigned',
        },
        tsa: {
          type: 'string',
          describe:
            'A file with the certificates (PEM) of the authority whose time stamps you trust; default: the one in ANNEAL_AUDIT_TIMESTAMPS',
        },
        secret: {
          type: 'string',
          describe:
            'A file with the secret, which decrypts contents to compare them with their calls; default: secret.key in the data folder',
        },
      }),
  handler: async (args) => {
    const path = args['path'] as string | undefined;
    const witnesses = args['witness'] as string[];
    const { auditCheckpoints, auditTimestamps, webhookOrigins } = readSettings(process.env);
    const authorities = (args['tsa'] as string | undefined) ?? auditTimestamps?.certificates ?? null;
    const kept = { keys: args['key'] as string[], checkpoints: args['checkpoint'] as string[], witnesses };
    const outside = { kept: auditCheckpoints, trustedOrigins: webhookOrigins, authorities };
    const isExport = path !== undefined && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
    if (isExport && kept.checkpoints.length > 0)
      throw new OperationError(
        '--checkpoint needs a log to compare with; an export holds its own checkpoint, in its first line: leave --checkpoint out',
      );
    const found = isExport
      ? verifyExportFile(path, kept.keys, witnesses)
      : verifyAudit({
          ...(await placesOf(settingsOf(path), args['secret'] as string | undefined)),
          ...kept,
          ...outside,
        });
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

const settingsOf = (folder: string | undefined): Settings =>
  folder === undefined ? readSettings(process.env) : new Settings({ dataDir: resolve(folder) });

const exported: CommandModule = {
  command: 'export [folder]',
  describe: 'Write events to standard output, each with the proof that it is in the log: all events, or a part',
  builder: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        describe: 'A copy of a data folder; default: the system that the settings name',
      })
      .options({
        stream: { type: 'string', describe: 'Export only this stream' },
        from: { type: 'string', describe: 'Export only events from this time on (ISO 8601)' },
        to: { type: 'string', describe: 'Export only events until this time (ISO 8601)' },
        content: {
          type: 'boolean',
          default: false,
          describe:
            'Include decrypted contents, and the keys that prove them; the log records this as a read of contents',
        },
        format: { choices: ['jsonl', 'parquet'], default: 'jsonl', describe: 'The format of the output' },
      }),
  handler: async (args) => {
    const given = (name: string) => (args[name] as string | undefined) ?? null;
    const scope = { stream: given('stream'), from: timeOf('--from', given('from')), to: timeOf('--to', given('to')) };
    const folder = args['folder'] as string | undefined;
    const { contents, ...places } = await placesOf(settingsOf(folder), undefined);
    const reading = args['content'] === true ? readingOf(contents, scope.stream, folder) : {};
    const lines = exportAudit({ ...places, scope, ...reading });
    for await (const piece of args['format'] === 'parquet' ? await asParquet(lines) : lines)
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
  },
};

/** @throws OperationError */
function readingOf(
  contents: Awaited<ReturnType<typeof placesOf>>['contents'],
  stream: string | null,
  folder: string | undefined,
) {
  if (folder !== undefined)
    throw new OperationError(
      '--content records the read on the log of the running system, so it cannot read a copy: name no folder',
    );
  if (contents === null)
    throw new OperationError(
      '--content needs the secret: set ANNEAL_SECRET_KEY, or put secret.key into the data folder',
    );
  const record = async (workspaceIds: readonly string[]) => {
    for await (const _ of ask(RECORD_EXPORT, { workspaceIds, stream }));
  };
  return { reading: { contents, record } };
}

async function asParquet(lines: AsyncIterable<string>): Promise<AsyncIterable<Uint8Array>> {
  const never = new AbortController().signal;
  return (await new ParquetExport().make(tableRows(lines), EXPORT_COLUMNS, 'operator', never)).content;
}

const restartView: View = {
  columns: ['tree', 'reason'],
  row: ({ tree, reason }) => [cell(tree), cell(reason)],
  empty: '',
};

const restart: CommandModule = {
  command: 'restart',
  describe:
    'Start a new audit tree after the old one was lost or damaged beyond repair; the log records this and the reason',
  builder: {
    reason: { type: 'string', demandOption: true, describe: 'The reason, for people who audit the log later' },
  },
  handler: ({ reason, json }) => show(ask('audit.restart', { reason: reason as string }), restartView, json === true),
};

const accept: CommandModule = {
  command: 'accept',
  describe:
    'Let the system start on a log that ends with events which this installation did not write; the log records who accepts them, and why',
  builder: (yargs) =>
    yargs.option('yes', YES).option('reason', {
      type: 'string',
      demandOption: true,
      describe: 'Where the events come from, for people who audit the log later',
    }),
  handler: async (args) => {
    const reason = reasonOf(args['reason']);
    const settings = await agreedSettings(
      args['yes'] as boolean,
      () =>
        'All that stands on the event log is believed from now on: events that somebody else appended act as if this installation had ' +
        'written them, and the next checkpoint signs them. npx anneal audit verify lists them.',
    );
    if (locationsOf(settings).eventStore.adapter !== 'sqlite')
      throw new OperationError('only a log on SQLite has a seal: on EventStoreDB there is nothing to accept');
    await (await compose(settings, { acceptEnd: { by: userInfo().username, reason } })).close();
    console.log('Done. Start the system.');
  },
};

const archiveView: View = {
  columns: ['events', 'segments', 'before'],
  row: ({ events, segments, before }) => [cell(events), cell(segments), cell(before)],
  empty: '',
};

const archive: CommandModule = {
  command: 'archive',
  describe:
    'Move the texts of old recorded calls from the log to the object store, where all that reads the log finds them',
  builder: {
    before: { type: 'string', demandOption: true, describe: 'Only calls before this time (ISO 8601)' },
  },
  handler: (args) =>
    show(ask('audit.archive', { before: args['before'] as string }), archiveView, args['json'] === true),
};

const settingsView: View = {
  columns: ['found at', 'change'],
  row: ({ at, change }) => [cell(at), cell(change)],
  empty: 'No change of a setting is recorded.',
};

const changedSettings: CommandModule = {
  command: 'settings',
  describe: 'Show which settings, models, prices and providers changed, when, and who ran the process that found it',
  handler: ({ json }) => show(settingsChanges(), settingsView, json === true),
};

async function* settingsChanges(): AsyncIterable<JsonObject> {
  for await (const frame of ask('events.replay', { categories: ['settings'] })) {
    const { data, metadata } = frame as unknown as Pick<RecordedEvent, 'metadata'> & Pick<SettingsEvent, 'data'>;
    for (const change of data.changes)
      yield { at: data.foundAt, change: sentenceOf(change, data.of, metadata.by ?? null) };
  }
}

/** `anneal audit accept`, `archive`, `export`, `report`, `restart`, `settings` and `verify` */
export const auditCommands: CommandModule = {
  command: 'audit <command>',
  describe: 'Prove that the log is as it was written',
  builder: (yargs) =>
    yargs
      .command(accept)
      .command(archive)
      .command(exported)
      .command(auditReportCommand)
      .command(restart)
      .command(changedSettings)
      .command(verify)
      .example([
        ['npx $0 audit verify', 'Verify the system that the settings name'],
        ['npx $0 audit export > events.jsonl', 'Write all events with their proofs to a file'],
        ['npx $0 audit verify events.jsonl', 'Verify that file'],
      ])
      .demandCommand(1),
  handler: () => {},
};
