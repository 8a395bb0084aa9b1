import type { CallContentErased } from '#domain/erasure/index.js';
import type { CallContent, CallMetered, KeptContent, SignedThoughts } from '#domain/inference/index.js';
import type { Projection } from '#log/projector/projection.js';

/** Thoughts before a call of a tool, by that call. */
export type SignedThoughtsDocument = SignedThoughts & {
  readonly id: string;
  readonly inferenceId: string;
};

/** Ids of tool calls are the providers' own: unique in a workspace, as far as one can know. */
export const thoughtsId = (workspaceId: string, toolCallId: string): string => `${workspaceId}/${toolCallId}`;

export const signedThoughts: Projection<SignedThoughtsDocument, CallContent | CallMetered | CallContentErased> = {
  name: 'signed-thoughts',
  version: 3,
  erases: ['call-content-erased.v1'],
  indexes: [],
  key({ type, data }) {
    const { toolCallId } = type === 'call-content-erased.v1' ? data : (data.thoughts ?? { toolCallId: null });
    return toolCallId === null ? null : thoughtsId(data.workspaceId, toolCallId);
  },
  on: {
    'call-metered.v1': (_, { data }) => documentOf(data),
    'call-content.v1': (_, { data }) => documentOf(data),
    'call-content-erased.v1': (document, { data: { inferenceId } }) =>
      document?.inferenceId === inferenceId ? null : document,
  },
};

type Call = Pick<CallContent['data'], 'inferenceId' | 'workspaceId'> & Pick<KeptContent, 'thoughts'>;

const documentOf = ({ thoughts, workspaceId, inferenceId }: Call): SignedThoughtsDocument => ({
  ...thoughts!,
  id: thoughtsId(workspaceId, thoughts!.toolCallId),
  inferenceId,
});
