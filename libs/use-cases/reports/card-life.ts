import type { DistillationEvent } from '#domain/distillation/index.js';
import type { ImprovementEvent } from '#domain/improvement/index.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { Proposal } from '#domain/proposal/index.js';
import type { Recorded } from '../events/log-reader.js';
import type { Gathered } from './gathered.js';
import { incidentStatements } from './incidents.js';
import type { ModelFacts } from './model-facts.js';
import type { Names } from './names.js';
import { proposalStatements } from './proposals.js';
import { cited, fact, noEvent, notRecorded, whyOf, type Statement } from './report.js';

/** Section 5: what the log has of risks, and what nobody but the deployer knows. */
export function risks({ incidents, improvements }: ModelFacts, names: Names): readonly Statement[] {
  const gates = improvements.flatMap((event) => {
    if (event.type === 'gate-decided.v1') {
      const failed = event.data.rules.filter(({ passed }) => !passed).map(({ rule }) => rule);
      return [
        fact(
          `The gate of improvement ${event.data.improvementId} ${failed.length === 0 ? 'let the new version pass' : `refused the new version by ${failed.join(', ')}`}.`,
          [cited(event)],
        ),
      ];
    }
    if (event.type === 'gate-forced.v1')
      return [
        fact(
          `${names.of(event.data.actor)}${event.data.confirmedBy ? `, confirmed by ${names.of(event.data.confirmedBy)},` : ''} accepted the version that the gate of improvement ${event.data.improvementId} had refused${whyOf(event, event.data.reason)}.`,
          [cited(event)],
        ),
      ];
    return [];
  });
  return [
    ...gates,
    ...(incidents.length > 0 ? incidentStatements(incidents, names) : [notRecorded('Incidents of this model')]),
    notRecorded('The risk management system (article 9): identified risks, measures, residual risk, tests of measures'),
  ];
}

/** The end of an improvement, or of a distillation. */
type Ended = { readonly outcome: string; readonly version: number | null; readonly reason: string | null };

/** Section 6: what changed, who changed it, and why. */
export function changes(
  { name, events, improvements, distillations }: ModelFacts,
  gathered: Gathered,
  names: Names,
): readonly Statement[] {
  const told = events.flatMap((event) => {
    const text = changeOf(event);
    return text === null
      ? []
      : [
          {
            event,
            text: `${text} by ${names.of(event.metadata.actor)}${confirmedIn(event, names)}${whyOf(event, reasonIn(event))}`,
          },
        ];
  });
  const improved = improvements.flatMap((event) => {
    const text = improvementOf(event);
    return text === null ? [] : [{ event, text }];
  });
  const distilled = distillations.flatMap((event) => {
    const text = distillationOf(event);
    return text === null ? [] : [{ event, text }];
  });
  const all = [...told, ...improved, ...distilled].toSorted((a, b) => (a.event.position < b.event.position ? -1 : 1));
  return [
    ...all.map(({ event, text }) => fact(`${event.metadata.occurredAt}: ${text}.`, [cited(event)])),
    ...proposalStatements(gathered, { names, isAbout: (proposal) => modelOf(proposal) === name }),
    notRecorded('Changes that were planned in advance, and their effect on compliance'),
  ];
}

function improvementOf({ type, data }: Recorded<ImprovementEvent>): string | null {
  const { improvementId } = data;
  if (type === 'improvement-requested.v1')
    return `improvement ${improvementId} of version ${data.champion.version} began (${data.trigger})`;
  return type === 'improvement-ended.v1' ? `improvement ${improvementId} ${endOf(data)}` : null;
}

function distillationOf({ type, data }: Recorded<DistillationEvent>): string | null {
  const distillation = `distillation ${data.distillationId}`;
  switch (type) {
    case 'distillation-requested.v1':
      return `${distillation} of ${data.teacher} for an agreement of ${data.targetAgreement} began (${data.trigger ?? 'request'})`;
    case 'distillation-ended.v1':
      return `${distillation} ${endOf(data)}`;
    case 'distillation-retargeted.v1':
      return `${distillation} was given an agreement of ${data.targetAgreement} to hold`;
    case 'cascade-opened.v1':
      return `the version of ${distillation} began to answer what it is sure of`;
    case 'cascade-returned.v1':
      return `all calls of the version of ${distillation} were given back to its teacher: ${JSON.stringify(data.reason)}`;
    default:
      return null;
  }
}

const endOf = ({ outcome, version, reason }: Ended): string =>
  `ended: ${outcome}${version === null ? '' : `, version ${version}`}${reason === null ? '' : `, ${JSON.stringify(reason)}`}`;

function changeOf({ type, data }: Recorded<ModelEvent>): string | null {
  switch (type) {
    case 'model-version-added.v1':
      return `version ${data.version} was added`;
    case 'model-version-promoted.v1':
      return `version ${data.version} ${data.rollback ? 'was put back in use' : 'was put in use'}${data.previous === null ? '' : ` instead of version ${data.previous}`}`;
    case 'model-label-set.v1':
      return `label ${data.label} was set to version ${data.version}`;
    case 'model-label-removed.v1':
      return `label ${data.label} was removed from version ${data.previous}`;
    case 'model-traffic-set.v1':
      return data.traffic === null
        ? 'all calls were given to the version in use'
        : `${data.traffic.percent}% of callers were given version ${data.traffic.version}`;
    case 'model-shadow-set.v1':
      return data.version === null ? 'the shadow was taken away' : `version ${data.version} was made the shadow`;
    case 'model-policy-set.v1':
      return data.policy === null ? 'the policy was taken away' : 'the policy was set';
    case 'model-deleted.v1':
      return 'the name was deleted';
    default:
      return null;
  }
}

/** The model that a proposed act is about; null: none by name. */
function modelOf({ command, input }: Proposal): string | null {
  if (command === 'delete-model') return input as string;
  const isOfModel = command === 'change-model' || command === 'roll-back-model';
  return isOfModel ? (input as { readonly name: string }).name : null;
}

const confirmedIn = ({ metadata: { confirmedBy } }: Recorded<ModelEvent>, names: Names): string =>
  confirmedBy === undefined ? '' : `, confirmed by ${names.of(confirmedBy)}`;

const reasonIn = ({ data }: Recorded<ModelEvent>): string | null => ('reason' in data ? data.reason : null);

/** Section 9: what is watched in use. */
export function postMarket({ events }: ModelFacts, { calls }: Gathered): readonly Statement[] {
  const drifts = events.flatMap((event) => {
    if (event.type !== 'drift-detected.v1') return [];
    const { version, week, measure, against, psi, bound } = event.data;
    return [
      fact(
        `Drift of version ${version} in week ${week}: ${measure} against ${against} has a population stability index of ${psi.toFixed(3)}, at or above the bound ${bound}.`,
        [cited(event)],
        { version, week, measure, against, psi, bound },
      ),
    ];
  });
  const failed = calls.totals.get('failed');
  return [
    ...(drifts.length > 0 ? drifts : [noEvent('No drift is on the log.')]),
    ...(failed
      ? [fact(`${failed.count} recorded calls of the workspace failed, of all models.`, [failed.first, failed.last])]
      : []),
    notRecorded('The post-market monitoring plan (article 72)'),
  ];
}
