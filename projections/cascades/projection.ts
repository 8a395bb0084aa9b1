import { audited, NO_EVIDENCE, type AuditEvidence } from '#domain/distillation/audit.js';
import type { DistillationEvent } from '#domain/distillation/index.js';
import type { CallMetered } from '#domain/inference/index.js';
import type { Projection } from '#log/projector/projection.js';

type Targeted = Extract<
  DistillationEvent,
  { readonly type: 'distillation-requested.v1' | 'distillation-retargeted.v1' }
>;

/** Calls of a distilled version that student and teacher both answered. */
export type CascadeDocument = {
  /** The distillation's. */
  readonly id: string;
  readonly workspaceId: string;
  readonly targetAgreement: number;
  /** The first calls, answered by the teacher, oldest first. */
  readonly watched: readonly { readonly certainty: number; readonly agrees: boolean }[];
  /** Of the audits since. */
  readonly evidence: AuditEvidence;
};

/** Later ones change nothing: the cascade is opened or returned by then. */
const MAX_WATCHED = 1_000;

/** What the comparisons of student and teacher have shown, call by call. */
export const cascades: Projection<CascadeDocument, CallMetered | Targeted> = {
  name: 'cascades',
  version: 1,
  indexes: [],
  key: ({ type, data }) => (type === 'call-metered.v1' ? (data.cascade?.distillationId ?? null) : data.distillationId),
  on: {
    'distillation-requested.v1': (_, { data: { distillationId, workspaceId, targetAgreement } }) => ({
      ...{ id: distillationId, workspaceId, targetAgreement },
      ...{ watched: [], evidence: NO_EVIDENCE },
    }),
    'distillation-retargeted.v1': (document, { data: { targetAgreement } }) =>
      document && { ...document, targetAgreement, evidence: NO_EVIDENCE },
    'call-metered.v1'(document, { data: { cascade, status } }) {
      const { reason, certainty, agrees } = cascade ?? {};
      if (!document || status !== 'success' || agrees === undefined) return document;
      if (reason === 'audit')
        return { ...document, evidence: audited(document.evidence, agrees, document.targetAgreement) };
      if (reason !== 'watching' || document.watched.length >= MAX_WATCHED) return document;
      return { ...document, watched: [...document.watched, { certainty: certainty!, agrees }] };
    },
  },
};
