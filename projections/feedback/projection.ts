import { reviewerIn, verdictsAfter, type FeedbackEvent, type Verdict } from '#domain/feedback/index.js';
import type { Projection } from '#log/projector/projection.js';

/** A call with verdicts, for lists of feedback. The texts of the verdicts are in the document of the call. */
type FeedbackDocument = {
  /** Id of the inference. */
  readonly id: string;
  readonly workspaceId: string;
  /** Verdict of each reviewer, the latest last. */
  readonly verdicts: readonly { readonly reviewer: string; readonly verdict: Verdict; readonly at: string }[];
  /** Whether several reviewers gave a verdict. */
  readonly shared: boolean;
  /** Time of the latest verdict. */
  readonly at: string;
};

export const feedback: Projection<FeedbackDocument, FeedbackEvent> = {
  name: 'feedback',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'at'] }, { fields: ['workspaceId', 'shared', 'at'] }],
  key: ({ data }) => data.inferenceId,
  on: {
    'feedback-given.v1': (document, { data }) => {
      const { verdict, at } = data;
      return documentOf(
        data,
        verdictsAfter(document?.verdicts ?? [], data, { reviewer: reviewerIn(data), verdict, at }),
      );
    },
    'feedback-removed.v1': (document, { data }) =>
      documentOf(data, verdictsAfter(document?.verdicts ?? [], data, null)),
  },
};

function documentOf(
  { inferenceId: id, workspaceId }: FeedbackEvent['data'],
  verdicts: FeedbackDocument['verdicts'],
): FeedbackDocument | null {
  const latest = verdicts.at(-1);
  return latest ? { id, workspaceId, verdicts, shared: verdicts.length > 1, at: latest.at } : null;
}
