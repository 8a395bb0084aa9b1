import type { FeedbackAct, FeedbackEvent, FeedbackGiven } from './events.js';

type Given = FeedbackGiven['data'];

export interface FeedbackState {
  /** The latest verdict; null if there is none, the last event is another one, or earlier ones were not read. */
  readonly latest: Given | null;
  /** Events so far. */
  readonly count: number;
}

export function evolve({ count }: FeedbackState, event: FeedbackEvent): FeedbackState {
  return { latest: event.type === 'feedback-given.v1' ? event.data : null, count: count + 1 };
}

export interface FeedbackTexts {
  /** Times of the verdicts whose texts are kept, superseded and removed ones too. */
  readonly kept: readonly string[];
  /** When texts were erased last; null: never. */
  readonly erasedAt: string | null;
}

export function evolveTexts(texts: FeedbackTexts, { type, data }: FeedbackEvent): FeedbackTexts {
  switch (type) {
    case 'feedback-given.v1':
      return { ...texts, kept: [...texts.kept, data.at] };
    case 'feedback-removed.v1':
      return texts;
    case 'feedback-texts-erased.v1':
      return { kept: texts.kept.filter((at) => at > data.until), erasedAt: data.erasedAt };
  }
}

/** The verdict of each reviewer, the latest last. */
export type Verdicts<Given> = readonly Given[];

type Reviewed = Pick<Given, 'userId' | 'reviewer'>;

/** The reviewer of an event; of an older one, its user. */
export const reviewerIn = ({ reviewer, userId }: Reviewed): string => reviewer ?? `user:${userId}`;

/** The verdicts after a reviewer gave one (`given`), or removed it (null). */
export const verdictsAfter = <Given extends { readonly reviewer: string }>(
  verdicts: Verdicts<Given>,
  event: Reviewed,
  given: Given | null,
): Verdicts<Given> => [...verdicts.filter(({ reviewer }) => reviewer !== reviewerIn(event)), ...(given ? [given] : [])];

export type ReviewersVerdict = Given & { readonly reviewer: string };

export const evolveVerdicts = (
  verdicts: Verdicts<ReviewersVerdict>,
  event: FeedbackEvent,
): Verdicts<ReviewersVerdict> =>
  event.type === 'feedback-texts-erased.v1'
    ? verdicts.map((each) => (each.at > event.data.until ? each : withoutTexts(each)))
    : actedOn(verdicts, event);

const actedOn = (verdicts: Verdicts<ReviewersVerdict>, { type, data }: FeedbackAct): Verdicts<ReviewersVerdict> =>
  verdictsAfter(verdicts, data, type === 'feedback-given.v1' ? { ...data, reviewer: reviewerIn(data) } : null);

/** A verdict without quotes from the call. */
export const withoutTexts = <Judged extends Pick<Given, 'correctedOutput' | 'newLabels' | 'notes'>>({
  newLabels: _,
  ...rest
}: Judged) => ({ ...rest, correctedOutput: null, notes: null });
