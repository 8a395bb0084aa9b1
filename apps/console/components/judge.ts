import { api, body, type Schema } from '../api/client.js';
import type { Json } from './json.js';

export interface Judged {
  readonly verdict: 'correct' | 'incorrect';
  /** What the answer should have been. */
  readonly corrected?: Json;
}

/** Says of a recorded call whether it was right. */
export const judge = (id: string, { verdict, corrected }: Judged): Promise<Schema['FeedbackAccepted']> =>
  body(
    api.POST('/inferences/{id}/feedback', {
      params: { path: { id } },
      body: { verdict, ...(corrected !== undefined && { corrected_output: corrected }) },
    }),
  );
