/** Bus subject of how far generation jobs are; at most one signal a second for each. */
export const GENERATION_PROGRESS = 'generation.progress';

export type GenerationProgress = {
  readonly jobId: string;
  readonly attempt: number;
  /** 0 to 1. */
  readonly fraction: number;
};
