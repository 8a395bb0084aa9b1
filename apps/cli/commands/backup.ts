import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Argv, CommandModule } from 'yargs';
import { backupSources, keysFolder, requireApart } from '#apps/composition/backup-places.js';
import { LOST_WITH_KEYS } from '#apps/composition/keys-of-log.js';
import { locationsOf } from '#apps/composition/locations.js';
import { keepPrivate } from '#apps/composition/private-folder.js';
import { LOST_WITH_SECRET } from '#apps/composition/secret-of-log.js';
import { verifyAudit } from '#apps/operator/audit.js';
import { backUpSystem, listBackups, restoreSystem, verifyBackupAt, type SigningKeys } from '#apps/operator/backup.js';
import { OperationError } from '#apps/operator/operation.js';
import { OBJECTS_MODES, type ObjectsMode, type Part } from '#backup/manifest.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isMissing } from '#ports/key-store/open.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import { givenSecret } from '#primitives/secrets/secret-key.js';
import { objectStoreAddress, readSettings, type Settings } from '#settings/index.js';
import { placesOf } from '../audit-places.js';
import { requireSystem } from '../open.js';
import { cell, follow, show, type View } from '../output.js';

const TARGET = 'A folder, file:FOLDER, or s3://BUCKET/PREFIX?region=...; default: ANNEAL_BACKUP_TARGET';
const KEYS =
  'A place of their own for the keys of contents, which has one copy that each backup overwrites, so that erased contents stay erased';
const ID = { type: 'string', describe: 'The id of a backup, as `backup list` shows it; default: the newest' } as const;

const positional = (yargs: Argv): Argv => yargs.positional('target', { type: 'string', describe: TARGET });

const madeView: View = {
  columns: ['backup', 'files', 'bytes', 'new bytes', 'state'],
  row: (frame) => ['id', 'files', 'bytes', 'newBytes', 'state'].map((field) => cell(frame[field])),
  empty: 'There is no backup.',
};

const create: CommandModule = {
  command: ['create [target]', '$0'],
  describe: 'Back up the system, running or stopped; what the target has already is not stored again',
  builder: (yargs) =>
    positional(yargs).options({
      keys: { type: 'string', describe: KEYS },
      objects: {
        choices: OBJECTS_MODES,
        default: 'copy',
        describe: 'Copy the objects, or only name them, where a bucket keeps its own versions or copies',
      },
      'keep-days': { type: 'number', describe: 'Remove backups that are older, but never the newest; default: none' },
    }),
  handler: (args) =>
    interruptibly(async (signal) => {
      const settings = readSettings(process.env);
      requireSystem(settings);
      process.umask(0o077);
      const to = targetOf(args['target'], settings);
      const keysTo = args['keys'] === undefined ? settings.backupKeys : placeOf('--keys', args['keys'] as string);
      requireApart(settings, { name: 'the target', place: to }, keysTo && { name: '--keys', place: keysTo });
      const keepDays = (args['keep-days'] as number | undefined) ?? null;
      if (keepDays !== null && !(keepDays >= 1)) throw new OperationError('--keep-days must be at least 1');
      const locations = locationsOf(settings);
      const from = backupSources('backup', locations);
      const keys = keysTo && { directory: keysFolder('--keys', locations), to: keysTo };
      const objects = args['objects'] as ObjectsMode;
      const signingKeys = await signingKeysOf(settings);
      if (signingKeys === null)
        throw new OperationError(
          'the secret, which signs backups, is not at hand: set ANNEAL_SECRET_KEY, or put secret.key back',
        );
      const made = backUpSystem({ from, to, signingKeys, objects, keys, keepDays, signal });
      const frames = async function* (): AsyncGenerator<Json> {
        for await (const frame of made)
          yield isSummary(frame) ? { ...frame, state: 'whole', notIn: notIn(settings, keysTo !== null) } : frame;
      };
      await show(frames(), madeView, args['json'] as boolean);
      if (args['json'] !== true) for (const line of notIn(settings, keysTo !== null)) console.log(`Not in it: ${line}`);
    }),
};

const list: CommandModule = {
  command: 'list [target]',
  describe: 'List the backups of a target, oldest first',
  builder: positional,
  handler: async (args) => {
    const settings = readSettings(process.env);
    const target = presentTarget(args['target'], settings);
    await show(listBackups(target, await signingKeysOf(settings)), madeView, args['json'] as boolean);
  },
};

const verifyView: View = {
  columns: ['backup', 'what'],
  row: (frame) =>
    frame['problem'] === undefined
      ? [
          cell(frame['id']),
          `${frame['verified'] === true ? 'verified' : 'NOT VERIFIED'}; ${cell(frame['problems'])} problems; ${frame['signed'] === null ? 'not compared with the secret, which is not at hand' : frame['signed'] === true ? 'signed' : 'not signed'}; ${cell(frame['files'])} files, ${cell(frame['bytes'])} bytes`,
        ]
      : ['', cell(frame['problem'])],
  empty: 'The verification was interrupted.',
};

const verify: CommandModule = {
  command: 'verify [target]',
  describe:
    'Read a backup, and compare each file with its SHA-256, and all with the secret; the exit status is 1 if anything differs',
  builder: (yargs) => positional(yargs).option('backup', ID),
  handler: async (args) => {
    const settings = readSettings(process.env);
    const target = presentTarget(args['target'], settings);
    const id = (args['backup'] as string | undefined) ?? null;
    const found = verifyBackupAt(target, id, await signingKeysOf(settings));
    await show(failing(found), verifyView, args['json'] as boolean);
  },
};

/** `anneal backup [create|list|verify]` */
export const backupCommands: CommandModule = {
  command: 'backup <command>',
  describe: 'Back up the system while it runs, list backups, and verify them',
  builder: (yargs) =>
    yargs
      .command(create)
      .command(list)
      .command(verify)
      .example([
        ['npx $0 backup /mnt/backups', 'Back up, without the keys of contents'],
        ['npx $0 backup /mnt/backups --keys /mnt/keys', 'The same, and keep a copy of the keys elsewhere'],
        ['npx $0 backup verify /mnt/backups', 'Verify the newest backup'],
      ])
      .demandCommand(0),
  handler: () => {},
};

const PARTS = ['log', 'coordination', 'objects', 'keys'] as const;

const restoreView: Pick<View, 'row'> = { row: ({ step, what }) => [`${cell(step)}:`, cell(what)] };

/** `anneal restore` */
export const restoreCommand: CommandModule = {
  command: 'restore [target]',
  describe:
    'Restore a backup into the data folder, or what the settings name; overwrites nothing, and verifies the result',
  builder: (yargs) =>
    positional(yargs).options({
      backup: ID,
      keys: { type: 'string', describe: 'The place that has the copy of the keys of contents' },
      only: {
        choices: PARTS,
        array: true,
        describe: 'Only what is lost; default: log, coordination, objects, and keys with --keys',
      },
      audit: {
        type: 'boolean',
        default: true,
        describe: 'Verify log, audit tree and objects afterwards; --no-audit skips that',
      },
    }),
  handler: (args) =>
    interruptibly(async (signal) => {
      const settings = readSettings(process.env);
      const from = presentTarget(args['target'], settings);
      await keepPrivate(settings.dataDir);
      const only = (args['only'] as (typeof PARTS)[number][] | undefined) ?? null;
      const keysFrom = keysFromOf(args['keys'] as string | undefined, only, settings);
      const parts = PARTS.filter((part): part is Part => part !== 'keys' && (only === null || only.includes(part)));
      const id = (args['backup'] as string | undefined) ?? null;
      const locations = locationsOf(settings);
      const to = backupSources('restore', locations);
      const keys = keysFrom && { directory: keysFolder('--keys', locations), from: keysFrom };
      const run = restoreSystem({
        ...{ to, dataDir: settings.dataDir, from, id, parts, keys, signal },
        signingKeys: await signingKeysOf(settings),
      });
      const frames = async function* (): AsyncGenerator<Json> {
        for await (const frame of run) yield* isSummary(frame) ? restored(frame, settings) : [frame];
        if (args['audit'] !== true || signal.aborted) return;
        const places = await placesOf(settings);
        for await (const found of verifyAudit({ ...places, keys: [], checkpoints: [] }))
          yield audited(found as JsonObject);
      };
      await follow(failing(frames()), restoreView, args['json'] as boolean);
    }),
};

function* restored(frame: JsonObject, settings: Settings): Generator<JsonObject> {
  const { others, missing, ...facts } = frame as JsonObject & Record<'others' | 'missing', readonly string[]>;
  const { id, written, bytes, kept, deleted, logPosition } = facts;
  yield {
    ...{ step: 'restored', ...facts },
    what: `backup ${cell(id)}, up to position ${cell(logPosition).replace(/^0+(?=\d)/, '')}: ${cell(written)} files (${cell(bytes)} bytes) written, ${cell(kept)} were there already`,
  };
  if (deleted !== 0)
    yield { step: 'deleted', what: `${cell(deleted)} objects of the backup were deleted or erased since, and stay so` };
  if (facts['logWentOn'] === true)
    yield {
      step: 'audit tree',
      what: 'is as of the backup, and the log went on: the next start says that it is lost. Then begin another: npx anneal audit restart --reason TEXT',
    };
  if (others.length > 0)
    yield {
      step: 'left',
      objects: others,
      what: `${others.length} objects are there with another content, and were left as they are: ${shortened(others)}`,
    };
  if (missing.length > 0)
    yield {
      step: 'missing',
      objects: missing,
      what: `${missing.length} objects are not in the object store, which was to keep them: ${shortened(missing)}`,
    };
  if (facts['signed'] === null)
    yield {
      step: 'not compared',
      what: 'the secret is not at hand, so nothing proves that this backup is as it was made: the start with the secret of its log compares what the log vouches for',
    };
  for (const what of lacking(settings)) yield { step: 'lost', what };
}

const shortened = (keys: readonly string[]): string =>
  keys.length > 3 ? `${keys.slice(0, 3).join(', ')}, ...` : keys.join(', ');

function audited(found: JsonObject): JsonObject {
  if (found['verified'] === undefined) return { step: 'problem', ...found };
  const { verified, problems, size, same, objects, uncovered, isSealed } = found;
  return {
    ...{ step: verified === true ? 'verified' : 'NOT VERIFIED', ...found },
    what: `${cell(problems)} problems; ${cell(same)} of ${cell(size)} events are as they were signed; ${cell(uncovered)} newer ones ${isSealed === true ? 'have their seal' : 'were not compared with a seal'}; ${cell(objects)} objects are intact`,
  };
}

/** What a restored system has to do without. */
function* lacking(settings: Settings): Generator<string> {
  if (isMissing(locationsOf(settings).contentKeys))
    yield `the keys of contents are not there: put them back (restore --only keys --keys PLACE), or go on without them (content-keys replace). Without them is lost: ${LOST_WITH_KEYS}`;
  if (givenSecret(settings.dataDir, settings.secretKey) === null)
    yield `the secret is not there: set ANNEAL_SECRET_KEY, or put secret.key back, or go on without it (secret replace). Without it is lost: ${LOST_WITH_SECRET}`;
}

/** What a backup does not have, and its system does. */
function notIn({ dataDir, secretKey }: Settings, hasKeys: boolean): string[] {
  const holds = (name: string) => existsSync(join(dataDir, name)) && readdirSync(join(dataDir, name)).length > 0;
  return [
    `the secret (${secretKey === null ? 'secret.key' : 'ANNEAL_SECRET_KEY'}): keep a copy elsewhere`,
    ...(hasKeys
      ? []
      : ['the keys of contents: keep a copy elsewhere (--keys PLACE), or contents are lost with the disk']),
    ...['models', 'engines'].filter(holds).map((name) => `${name}/ of the data folder: import or install them again`),
  ];
}

/** @throws OperationError */
function keysFromOf(given: string | undefined, only: readonly string[] | null, settings: Settings) {
  const isWanted = only === null ? given !== undefined : only.includes('keys');
  if (!isWanted && given !== undefined) throw new OperationError('--keys needs keys among --only');
  if (!isWanted) return null;
  const place = given === undefined ? settings.backupKeys : placeOf('--keys', given);
  if (place === null) throw new OperationError('--only keys needs --keys PLACE, the place that has their copy');
  return place;
}

/** @throws OperationError */
function targetOf(given: unknown, { backupTarget }: Settings): ObjectStoreAddress {
  if (typeof given === 'string' && given !== '') return placeOf('TARGET', given);
  if (backupTarget === null) throw new OperationError('name a target, or set ANNEAL_BACKUP_TARGET');
  return backupTarget;
}

/** The same, which must be there. @throws OperationError */
function presentTarget(given: unknown, settings: Settings): ObjectStoreAddress {
  const target = targetOf(given, settings);
  if (target.kind === 'folder' && !existsSync(target.directory))
    throw new OperationError(`there is no folder ${target.directory}, so there are no backups`);
  return target;
}

/** The keys of the secret, and of earlier ones where coordination keeps them. */
const signingKeysOf = async (settings: Settings): Promise<SigningKeys> =>
  (await placesOf(settings)).contents?.secret.keys('backups') ?? null;

/** A folder, or an address. @throws SettingsError */
const placeOf = (name: string, value: string): ObjectStoreAddress =>
  /^[A-Za-z][A-Za-z0-9+.-]*:/.test(value)
    ? objectStoreAddress(name, value)
    : { kind: 'folder', directory: resolve(value) };

const isSummary = (frame: Json): frame is JsonObject & { readonly id: string } =>
  (frame as JsonObject)['id'] !== undefined;

/** The exit status is 1 unless all is verified. */
async function* failing(frames: AsyncIterable<Json>): AsyncGenerator<Json> {
  for await (const frame of frames) {
    if ((frame as JsonObject)['verified'] === false) process.exitCode = 1;
    yield frame;
  }
}

/** Ends work in order at Ctrl+C. */
async function interruptibly(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    await work(interrupted.signal);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new OperationError('interrupted: the same command continues');
  }
}
