import type { EvaluationList, EvaluationRecord } from '#apps/api/routes/evaluations/responses.js';
import type { TrainingCheckpoint, TrainingJobRecord } from '#apps/api/routes/training-jobs/reading/responses.js';
import type { TestApi } from './api.js';

/** Training and evaluation as clients use them. */
export class TrainingClient {
  constructor(private readonly api: Pick<TestApi, 'call' | 'until'>) {}

  /** @throws Error when it is refused */
  async start(body: object): Promise<TrainingJobRecord> {
    const answer = await this.api.call('POST', '/felix/training-jobs', body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body as TrainingJobRecord;
  }

  job(id: string): Promise<TrainingJobRecord> {
    return this.get<TrainingJobRecord>(`/felix/training-jobs/${id}`);
  }

  until(id: string, holds: (job: TrainingJobRecord) => boolean): Promise<TrainingJobRecord> {
    return this.api.until(() => this.job(id), holds);
  }

  ended(id: string): Promise<TrainingJobRecord> {
    return this.until(id, ({ is_terminal_status }) => is_terminal_status);
  }

  async checkpoints(id: string): Promise<readonly TrainingCheckpoint[]> {
    const { checkpoints } = await this.get<{ checkpoints: TrainingCheckpoint[] }>(
      `/felix/training-jobs/${id}/checkpoints`,
    );
    return checkpoints;
  }

  /** Starts an evaluation and waits until it has ended. @throws Error when it is refused */
  async evaluate(body: object): Promise<EvaluationRecord> {
    const answer = await this.api.call('POST', '/felix/evaluations', body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    const { id } = answer.body as EvaluationRecord;
    return this.api.until(() => this.get<EvaluationRecord>(`/felix/evaluations/${id}`), hasEnded);
  }

  /** The evaluation that follows a job by itself, once it has ended. */
  async automaticEvaluation(jobId: string): Promise<EvaluationRecord> {
    const list = () => this.get<EvaluationList>(`/felix/evaluations?training_job_id=${jobId}`);
    const { evaluations } = await this.api.until(list, (body) => body.evaluations.some(hasEnded));
    return evaluations.find(hasEnded)!;
  }

  private async get<T>(path: string): Promise<T> {
    return (await this.api.call('GET', path)).body as T;
  }
}

const hasEnded = ({ status }: EvaluationRecord): boolean => status === 'complete' || status === 'failed';
