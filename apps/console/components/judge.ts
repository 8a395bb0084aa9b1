import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { api, body, type Schema } from '../api/client.js';
import { useSession } from '../api/session.js';
import { draftKey, dropDraft } from './editor/drafts.js';
import type { Json } from './json.js';
import type { VerdictName } from './verdict-buttons.js';

export interface Judged {
  readonly verdict: VerdictName;
  /** The right answer, if the verdict corrects one. */
  readonly corrected?: Json;
  /** Labels of it that the call did not ask for. */
  readonly newLabels?: readonly string[];
}

/** The key of a call's correction that is not saved yet. */
export const useCorrectionDraft = (id: string): string => draftKey(useSession().data?.email ?? '', 'call', id);

interface Options {
  /** The judge's name; empty for the signed-in user. */
  readonly reviewer?: string;
  /** Called before the draft of the correction is dropped. */
  readonly onJudged?: (judged: Judged) => void;
}

/** Records a verdict on a call. */
export function useJudge(
  id: string,
  { reviewer, onJudged }: Options = {},
): UseMutationResult<Schema['FeedbackAccepted'], Error, Judged> {
  const queries = useQueryClient();
  const draft = useCorrectionDraft(id);
  return useMutation({
    mutationFn: ({ verdict, corrected, newLabels = [] }) =>
      body(
        api.POST('/inferences/{id}/feedback', {
          params: { path: { id } },
          body: {
            verdict,
            ...(corrected !== undefined && { corrected_output: corrected }),
            ...(newLabels.length > 0 && { new_labels: [...newLabels] }),
            ...(reviewer && { reviewer }),
          },
        }),
      ),
    onSuccess: (_, judged) => {
      onJudged?.(judged);
      dropDraft(draft);
      // Not awaited, so that the next answer can be judged at once.
      for (const queryKey of [['call', id], ['calls'], ['review', 'agreement']])
        void queries.invalidateQueries({ queryKey });
    },
  });
}
