import type { CallContentErased } from '#domain/erasure/index.js';
import type { CallContent, SignedThoughts } from '#domain/inference/index.js';
import type { Projection } from '#log/projector/projection.js';

/** Thoughts before a call of a tool, by that call. */
export type SignedThoughtsDocument = SignedThoughts & {
  readonly id: string;
  readonly inferenceId: string;
};

/** Ids of tool calls are the providers' own: unique in a workspace, as far as one can know. */
export const thoughtsId = (workspaceId: string, toolCallId: string): string => `${workspaceId}/${toolCallId}`;

export const signedThoughts: Projection<SignedThoughtsDocument, CallContent | CallContentErased> = {
  name: 'signed-thoughts',
  version: 2,
  erases: ['call-content-erased.v1'],
  indexes: [],
  key({ type, data }) {
    const { toolCallId } = type === 'call-content-erased.v1' ? data : (data.thoughts ?? { toolCallId: null });
    return toolCallId === null ? null : thoughtsId(data.workspaceId, toolCallId);
  },
  on: {
    'call-content.v1': (_, { data: { thoughts, workspaceId, inferenceId } }) => ({
      ...thoughts!,
      id: thoughtsId(workspaceId, thoughts!.toolCallId),
      inferenceId,
    }),
    'call-content-erased.v1': (document, { data: { inferenceId } }) =>
      document?.inferenceId === inferenceId ? null : document,
  },
};
