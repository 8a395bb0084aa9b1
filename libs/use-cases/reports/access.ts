import type { ApiKeyEvent, KeyLimits } from '#domain/api-key/index.js';
import { fold } from '#domain/decider.js';
import { apiKeyDecider } from '#domain/api-key/index.js';
import { membersOf, permissionsIn, type Team, type TeamEvent } from '#domain/team/index.js';
import type { Recorded } from '../events/log-reader.js';
import { endsOf } from './acts.js';
import type { Gathered } from './gathered.js';
import type { Names } from './names.js';
import { proposalStatements } from './proposals.js';
import { cited, fact, noEvent, notRecorded, type ReportEvent, type Section, type Statement } from './report.js';

interface AccessOptions {
  readonly workspaceId: string;
  readonly team: Team;
  readonly names: Names;
  readonly period: { readonly since: string | null; readonly until: string | null };
}

/** Who may do what, who let them, and what they did in the period. */
export function accessSections(
  gathered: Gathered,
  { workspaceId, team, names, period }: AccessOptions,
): readonly Section[] {
  const members = [...membersOf(team, workspaceId)];
  const people = members.map(([userId, role]) => ({
    title: `Person ${names.of(`user:${userId}`)}`,
    statements: [
      granted(
        gathered,
        workspaceId,
        userId,
        names,
        `has the role ${role}, and may: ${[...permissionsIn(team, workspaceId, userId)].join(', ')}`,
      ),
      ...used(gathered, `user:${userId}`),
    ],
  }));
  const keys = keysOf(gathered).map((events) => key(events, gathered, names));
  const known = new Set([
    ...members.map(([userId]) => `user:${userId}`),
    ...keysOf(gathered).map(([created]) => `key:${created.data.keyId}`),
  ]);
  const others = gathered.acts.actors().filter((actor) => !known.has(actor));
  const proposals = proposalStatements(gathered, { names, period });
  return [
    ...people,
    ...keys,
    ...others.map((actor) => ({ title: `Other actor ${names.of(actor)}`, statements: used(gathered, actor) })),
    {
      title: 'Acts that two people decided',
      statements: proposals.length > 0 ? proposals : [noEvent('None was proposed in the period.')],
    },
    {
      title: 'Result of the review',
      statements: [notRecorded('Who reviewed these accesses, and what is to be withdrawn')],
    },
  ];
}

/** Who gave the person the role, and since when. */
function granted(gathered: Gathered, workspaceId: string, userId: string, names: Names, what: string): Statement {
  const events = gathered
    .events<TeamEvent>('team')
    .filter(
      ({ data }) =>
        'userId' in data && data.userId === userId && (!('workspaceId' in data) || data.workspaceId === workspaceId),
    );
  const grant = events.findLast(({ type }) => type === 'team-role-set.v1' || type === 'team-member-added.v1');
  const registered = gathered.registered.get(userId);
  const cites: ReportEvent[] = [...(registered ? [registered] : []), ...events.map((event) => cited(event))];
  const by = grant ? `; since ${grant.metadata.occurredAt}, granted by ${names.of(grant.metadata.actor)}` : '';
  return fact(`user:${userId} ${what}${by}.`, cites);
}

type KeyEvents = readonly Recorded<ApiKeyEvent>[];

function keysOf(gathered: Gathered): readonly KeyEventsOfOne[] {
  const byStream = Map.groupBy(gathered.events<ApiKeyEvent>('key'), ({ stream }) => stream);
  return [...byStream.values()].filter((events): events is KeyEventsOfOne => events[0]?.type === 'api-key-created.v1');
}

type KeyCreated = Extract<Recorded<ApiKeyEvent>, { type: 'api-key-created.v1' }>;
type KeyEventsOfOne = [KeyCreated, ...KeyEvents];

function key(events: KeyEventsOfOne, gathered: Gathered, names: Names): Section {
  const [created] = events;
  const { keyId, name, userId, lastDigits, scopes, expiresAt } = created.data;
  const state = fold(apiKeyDecider, events);
  const limits = limitsOf(events);
  const revoked = events.findLast(({ type }) => type === 'api-key-revoked.v1');
  return {
    title: `Key ${names.of(`key:${keyId}`)}`,
    statements: [
      fact(
        `Key ${JSON.stringify(name)} (…${lastDigits}) of ${names.of(`user:${userId}`)} was made on ${created.data.createdAt} by ${names.of(created.metadata.actor)}; scopes: ${scopes?.join(', ') ?? 'all that its maker may'}; ${expiresAt === null ? 'it does not expire' : `it expires on ${expiresAt}`}.`,
        [cited(created)],
        {
          key_id: keyId,
          user_id: userId,
          scopes: scopes ? [...scopes] : null,
          expires_at: expiresAt,
          status: state.status,
        },
      ),
      fact(`Its limits: ${limits}.`, [cited(events.findLast(({ type }) => type !== 'api-key-revoked.v1')!)]),
      ...(revoked
        ? [
            fact(`It was revoked on ${revoked.metadata.occurredAt} by ${names.of(revoked.metadata.actor)}.`, [
              cited(revoked),
            ]),
          ]
        : []),
      ...used(gathered, `key:${keyId}`),
    ],
  };
}

function limitsOf(events: KeyEventsOfOne): string {
  let limits: KeyLimits = events[0].data.limits ?? {};
  for (const { type, data } of events) if (type === 'api-key-limits-changed.v1') ({ limits } = data);
  const named = Object.entries(limits).map(([field, value]) => `${field} ${JSON.stringify(value)}`);
  return named.join(', ') || 'none';
}

function used(gathered: Gathered, actor: string): readonly Statement[] {
  const last = gathered.acts.lastOf(actor);
  if (last === null) return [noEvent('It has done nothing that is on the log.')];
  const acts = [...gathered.acts.of(actor)].toSorted(([, a], [, b]) => b.count - a.count);
  return [
    fact(`Its last act on the log: ${last.type} on ${last.time}.`, [last]),
    acts.length === 0
      ? noEvent('It did nothing in the period.')
      : fact(
          `In the period: ${acts.map(([type, { count }]) => `${type} ${count}`).join(', ')}.`,
          acts.flatMap(([, counted]) => endsOf(counted)),
          Object.fromEntries(acts.map(([type, { count }]) => [type, count])),
        ),
  ];
}
