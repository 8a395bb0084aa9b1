import type { Schema } from '../../api/client.js';

export type WebhookType = Schema['WebhookRecord']['types'][number];

/** What each type of message tells. */
export const TYPES: Readonly<Record<WebhookType, string>> = {
  'dataset.ready': 'A dataset can be used',
  'dataset.failed': 'A dataset could not be read',
  'training_job.completed': 'A training is complete',
  'training_job.failed': 'A training failed',
  'training_job.cancelled': 'A training was stopped',
  'evaluation.completed': 'An evaluation is complete',
  'evaluation.failed': 'An evaluation failed',
  'gate.decided': 'The gate decided on a version',
  'model.promoted': 'A version was put in use',
  'model.rolled_back': 'An earlier version is in use again',
  drift: 'Calls have shifted',
  'distillation.ended': 'A distillation ended',
  'cascade.returned': 'The teacher answers all calls again',
  'proposal.made': 'An act waits for a second person',
  'proposal.confirmed': 'A second person confirmed',
  'proposal.declined': 'A second person declined',
  'proposal.expired': 'Nobody confirmed in time',
  'credits.low': 'Less than a tenth of the month is left',
  'webhook.disabled': 'Another webhook was disabled',
};

export const ALL_TYPES = Object.keys(TYPES) as WebhookType[];

/** Headings by the first word of a type. */
const HEADINGS: Readonly<Record<string, string>> = {
  dataset: 'Datasets',
  training_job: 'Training',
  evaluation: 'Training',
  proposal: 'Second persons',
  credits: 'Workspace',
  webhook: 'Workspace',
};

const headingOf = (type: WebhookType): string => HEADINGS[type.split('.')[0]!] ?? 'Models';

/** The types below headings, as people choose among them. */
export const GROUPS = Object.entries(Object.groupBy(ALL_TYPES, headingOf)).map(
  ([heading, types = []]) => [heading, types.map((value) => ({ value, label: TYPES[value] }))] as const,
);
