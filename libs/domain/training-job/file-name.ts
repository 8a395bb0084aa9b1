import type { TrainingRequest } from './events.js';

/** The name of a trained model in files: plain words only, since it names a file and a directory wherever it is unpacked. */
export function fileNameOf({ modelName, jobId }: Pick<TrainingRequest, 'modelName' | 'jobId'>): string {
  const words = modelName
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${words === '' ? 'model' : words}-${jobId.slice(0, 8)}`;
}
