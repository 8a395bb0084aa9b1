import type { Client } from '#apps/demo/client.js';

/** Whether each completed job has its automatic evaluation and every evaluation has ended. */
export async function allEvaluated(api: Client): Promise<boolean> {
  interface Record {
    readonly id: string;
    readonly status: string;
    readonly model_id: string;
  }
  const { training_jobs: jobs } = await api.get<{ training_jobs: readonly Record[] }>('/felix/training-jobs');
  const { evaluations } = await api.get<{ evaluations: readonly Record[] }>('/felix/evaluations');
  const evaluated = new Set(evaluations.map(({ model_id }) => model_id));
  const completed = jobs.filter(({ status }) => status === 'complete' || status === 'deployed');
  const ended = evaluations.every(({ status }) => status === 'complete' || status === 'failed');
  return ended && completed.every(({ id }) => evaluated.has(id));
}
