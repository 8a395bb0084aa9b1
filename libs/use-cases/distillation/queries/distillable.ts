import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Surveys, type Survey, type SurveyedCall } from '#distillation/survey/index.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { orConflict } from '../../datasets/queries/report.js';
import { RecordedCalls, type LeftOut, type TeacherCall, type WantedCalls } from '../recorded-calls.js';

interface DistillableRequest extends Pick<WantedCalls, 'model' | 'projectId' | 'since'> {
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The tasks in a workspace's recorded calls. */
export interface Distillable extends LeftOut {
  readonly survey: Survey;
  /** The time that the calls were read in, ISO 8601: until now, from `since` or the oldest call; null without calls. */
  readonly from: string | null;
  readonly until: string;
}

export class ListDistillable extends CallerQuery<DistillableRequest, Distillable> {}

@QueryHandler(ListDistillable)
export class ListDistillableHandler implements IQueryHandler<ListDistillable> {
  constructor(
    private readonly recorded: RecordedCalls,
    private readonly surveys: Surveys,
  ) {}

  /** @throws NotFoundError for a project that is not there; ConflictError as `RecordedCalls.each` */
  async execute({ caller: { workspaceId }, input: { signal, ...wanted } }: ListDistillable): Promise<Distillable> {
    const until = new Date().toISOString();
    let oldest: string | null = null;
    const reading = this.recorded.asked(workspaceId, wanted);
    async function* calls(): AsyncGenerator<SurveyedCall> {
      for await (const call of reading.each) {
        oldest = call.at;
        yield asSurveyed(call);
      }
    }
    const survey = await orConflict(this.surveys.survey(workspaceId, calls, signal), 'list of tasks', signal);
    const left = reading.leftOut!;
    return { survey, ...left, from: left.limit === null && wanted.since ? wanted.since : oldest, until };
  }
}

const asSurveyed = ({ id, at, model, request, answer, cost, teacher, tokens }: TeacherCall): SurveyedCall => ({
  ...{ id, at, model, request, answer, cost, teacher, tokens },
});
