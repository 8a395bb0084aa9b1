import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { FeedbackGiven } from '#domain/feedback/index.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { verdictsOn, type Feedback } from '#projections/inferences/verdicts.js';
import { AnswerBudget } from './answer-budget.js';
import { eventData, isInObject, wholeContent, type Content } from './whole-content.js';

export type GivenFeedback = Pick<
  Feedback,
  'userId' | 'reviewer' | 'verdict' | 'correctedOutput' | 'notes' | 'at' | 'newLabels'
>;

/** What calls and their verdicts say, whole: documents hold large texts cut. */
@Injectable()
export class CallContents {
  constructor(
    private readonly application: Application,
    private readonly answers: AnswerBudget,
  ) {}

  /** Runs with the whole content; null if it was deleted. @throws UnavailableError when too many large ones are read at once */
  async within<T>(document: InferenceDocument, run: (content: Content | null) => T | Promise<T>): Promise<T> {
    const { whole, workspaceId } = document;
    const size = whole && isInObject(whole) ? whole.size : 0;
    return this.answers.within(size, workspaceId, async () =>
      run(await wholeContent(this.application.ports, document)),
    );
  }

  /** The latest verdict; null if none was given. */
  async feedback({ feedback }: InferenceDocument): Promise<GivenFeedback | null> {
    return feedback && this.wholeVerdict(feedback);
  }

  /** The latest verdict of each reviewer, the newest last. */
  async verdicts(document: InferenceDocument): Promise<readonly GivenFeedback[]> {
    return Promise.all(verdictsOn(document).map((feedback) => this.wholeVerdict(feedback)));
  }

  private async wholeVerdict(feedback: Feedback): Promise<GivenFeedback> {
    if (!feedback.whole) return feedback;
    const data = await eventData<FeedbackGiven['data']>(this.application.ports, feedback.whole);
    return data ? { ...data, reviewer: feedback.reviewer } : feedback;
  }
}
