import type { ExpiryEvent } from '#domain/expiry/index.js';
import {
  daysInForce,
  NO_RETENTION,
  RETENTION_KINDS,
  retentionDecider,
  type RetentionBounds,
  type RetentionEvent,
} from '#domain/retention/index.js';
import { fold } from '#domain/decider.js';
import { membersOf, permissionsIn, type Team } from '#domain/team/index.js';
import { endsOf } from './acts.js';
import type { CallsLogged, CallTotal, ContentKept } from './calls-logged.js';
import type { Gathered } from './gathered.js';
import type { Names } from './names.js';
import { cited, fact, noEvent, notRecorded, setting, whyOf, type Section, type Statement } from './report.js';

interface LogsOptions {
  readonly workspaceId: string;
  readonly team: Team;
  readonly bounds: RetentionBounds;
  readonly names: Names;
}

/** The logs of articles 12, 19 and 26 of the EU AI Act. */
export function logsSections(gathered: Gathered, options: LogsOptions): readonly Section[] {
  return [
    { title: 'What is logged of each call (article 12)', statements: logged(gathered) },
    { title: 'How long it is kept (articles 19 and 26)', statements: kept(gathered, options) },
    { title: 'Who can read it', statements: readers(gathered, options) },
    { title: 'Gaps', statements: gaps(gathered, options) },
  ];
}

const WHERE: Readonly<Record<ContentKept, string>> = {
  encrypted: 'with input and output, encrypted under a key of their own, in the event of the call',
  plain: 'with input and output, unencrypted, in the event of the call',
  'own-event': 'with input and output in an event of their own',
  none: 'without input and output: the caller asked for that, or the call was cut off',
};

function logged({ calls }: Gathered): readonly Statement[] {
  const all = calls.totals.get('calls');
  if (!all) return [noEvent('No call is on the log.')];
  const fields = [...calls.fields].map(([field, { count }]) => (count === all.count ? field : `${field} (${count})`));
  return [
    fact(`${all.count} calls are logged, the first on ${all.first.time}, the last on ${all.last.time}.`, endsOf(all), {
      calls: all.count,
    }),
    fact(
      `Each event of a call has its time, actor and position, and these fields, of some calls only where a number is given: ${fields.join(', ')}.`,
      endsOf(all),
      { fields: Object.fromEntries([...calls.fields].map(([field, { count }]) => [field, count])) },
    ),
    ...[...calls.contents].map(([where, counted]) =>
      fact(`${counted.count} calls are logged ${WHERE[where]}.`, endsOf(counted), { [where]: counted.count }),
    ),
    ...counts(calls, 'failed', (count) => `${count} of the calls failed, and are logged with the kind of the error.`),
    ...counts(calls, 'imported', (count) => `${count} calls of other systems were imported.`),
    notRecorded('Whether these events suffice to find situations of risk and substantial modifications'),
  ];
}

const counts = ({ totals }: CallsLogged, what: CallTotal, text: (count: number) => string): readonly Statement[] => {
  const all = totals.get(what);
  return all ? [fact(text(all.count), endsOf(all), { count: all.count })] : [];
};

const KINDS = {
  calls: 'Calls',
  feedback: 'Corrections and notes of people',
  job_logs: 'Log lines of training jobs',
  dataset_versions: 'Versions of datasets',
  evaluations: 'Predictions of evaluations',
  training_jobs: 'Training jobs and their files',
} as const;

const eventsOf = (gathered: Gathered) => gathered.events<RetentionEvent>('retention');

function kept(gathered: Gathered, { bounds }: LogsOptions): readonly Statement[] {
  const events = eventsOf(gathered);
  const state = events.length === 0 ? NO_RETENTION : fold(retentionDecider, events);
  return [
    setting(
      `The operator has calls and corrections kept for at least ${bounds.floorDays} days${bounds.ceilingDays === null ? '' : `, and everything for at most ${bounds.ceilingDays} days`}.`,
      { floor_days: bounds.floorDays, ceiling_days: bounds.ceilingDays },
    ),
    ...RETENTION_KINDS.map((kind) => {
      const days = daysInForce(state, kind, bounds);
      const set = events.findLast(({ type, data }) => type === 'retention-set.v1' && data.kind === kind);
      const text = `${KINDS[kind]} are kept ${days === null ? 'for ever' : `for ${days} days`}`;
      const values = { kind, days_in_force: days };
      return set ? fact(`${text}.`, [cited(set)], values) : setting(`${text}: the workspace has set nothing.`, values);
    }),
  ];
}

function readers(gathered: Gathered, { workspaceId, team, names }: LogsOptions): readonly Statement[] {
  const added = gathered.events('team');
  const people = [...membersOf(team, workspaceId)].flatMap(([userId, role]) => {
    const permissions = permissionsIn(team, workspaceId, userId);
    const reads = (['history', 'content', 'audit'] as const).filter((each) => permissions.has(each));
    const granted = added.findLast(({ data }) => data['userId'] === userId && data['workspaceId'] === workspaceId);
    if (reads.length === 0 || !granted) return [];
    return [
      fact(
        `${names.of(`user:${userId}`)}, ${role}, reads ${reads.map((each) => READS[each]).join(', ')}.`,
        [cited(granted)],
        {
          user_id: userId,
          role,
          permissions: reads,
        },
      ),
    ];
  });
  return [
    ...people,
    setting(
      'Keys read as far as their scopes and their maker go: see the access review. The operator of the machine reads everything that is not encrypted, and with the secret also what is.',
    ),
    ...counts(
      gathered.calls,
      'reads',
      (count) => `Reads of contents are logged too: ${count} events say who read what.`,
    ),
  ];
}

const READS = { history: 'records without contents', content: 'contents', audit: 'the log' } as const;

function gaps(gathered: Gathered, options: LogsOptions): readonly Statement[] {
  const { calls } = gathered;
  const events = eventsOf(gathered);
  const open = fold(retentionDecider, events).holds;
  const expired = gathered
    .events<ExpiryEvent>('expiry')
    .filter(({ data }) => data.erased > 0 || data.held > 0 || data.inUse > 0);
  const deletions = [...gathered.events('job'), ...gathered.events('dataset'), ...gathered.events('evaluation')].filter(
    ({ type }) => DELETIONS.has(type),
  );
  const unstored = calls.contents.get('none');
  const statements = [
    ...(unstored
      ? [
          fact(`${unstored.count} calls have no input and output on the log.`, endsOf(unstored), {
            count: unstored.count,
          }),
        ]
      : []),
    ...counts(
      calls,
      'erased',
      (count) => `The contents of ${count} calls were erased; that they were made, and the erasure, stay on the log.`,
    ),
    ...expired.map((event) => {
      const { kind, day, erased, held, inUse } = event.data;
      return fact(
        `On ${day}, ${erased} ${KINDS[kind].toLowerCase()} were erased because their time was over; ${held} were left under a hold, ${inUse} because they were in use.`,
        [cited(event)],
        { kind, day, erased, held, in_use: inUse },
      );
    }),
    ...open.flatMap((hold) => {
      const placed = events.find(({ type, data }) => type === 'hold-placed.v1' && data.holdId === hold.holdId);
      const { kind, id, version } = hold.covers;
      const what = [kind, id, version].filter((each) => each !== null).join(' ');
      return placed
        ? [
            fact(
              `A hold on ${what} prevents erasure since ${hold.placedAt}, placed by ${options.names.of(placed.metadata.actor)}${whyOf(placed, hold.reason)}.`,
              [cited(placed)],
            ),
          ]
        : [];
    }),
    ...deletions.map((event) =>
      fact(
        `${event.stream}: ${DELETIONS.get(event.type)} by ${options.names.of(event.metadata.actor)}${whyOf(event)}.`,
        [cited(event)],
      ),
    ),
  ];
  return statements.length > 0 ? statements : [noEvent('Nothing was deleted, erased or held.')];
}

const DELETIONS: ReadonlyMap<string, string> = new Map([
  ['training-job-deleted.v1', 'the training job was deleted'],
  ['training-job-erased.v1', 'weights, checkpoints and log lines of the job were removed'],
  ['training-job-log-erased.v1', 'log lines of the job were erased'],
  ['dataset-version-deleted.v1', 'a version of the dataset was deleted'],
  ['dataset-version-purged.v1', 'files of a version of the dataset were removed'],
  ['evaluation-deleted.v1', 'the evaluation was deleted'],
  ['evaluation-predictions-erased.v1', 'predictions of the evaluation were erased'],
  ['evaluation-erased.v1', 'predictions of the evaluation were removed'],
]);
