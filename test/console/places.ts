import type { FilledSystem } from './filled-system.js';

/** A page of the console, with something on it. */
export interface Place {
  readonly name: string;
  /** Below `/console`. */
  readonly path: (system: FilledSystem) => string;
}

/** Every page. Pictures are taken of them, and axe looks at them. */
export const PLACES: readonly Place[] = [
  { name: 'home', path: () => '/' },
  { name: 'datasets', path: () => '/datasets' },
  { name: 'dataset-new', path: () => '/datasets/new' },
  { name: 'dataset', path: ({ dataset }) => `/datasets/${dataset}/2` },
  { name: 'dataset-report', path: ({ dataset }) => `/datasets/${dataset}/2?tab=report` },
  { name: 'dataset-versions', path: ({ dataset }) => `/datasets/${dataset}/2?tab=versions` },
  { name: 'dataset-failed', path: () => '/datasets/broken/1' },
  { name: 'training', path: () => '/training' },
  { name: 'training-new', path: () => '/training/new' },
  { name: 'training-runs', path: ({ jobId }) => `/training?runs=${jobId}` },
  { name: 'job', path: ({ jobId }) => `/training/${jobId}` },
  { name: 'job-labels', path: ({ jobId }) => `/training/${jobId}?tab=labels` },
  { name: 'job-mistakes', path: ({ jobId }) => `/training/${jobId}?tab=mistakes` },
  { name: 'job-files', path: ({ jobId }) => `/training/${jobId}?tab=files` },
  { name: 'compare', path: ({ jobId }) => `/training/compare?job=${jobId}` },
  { name: 'models', path: () => '/models' },
  { name: 'model', path: ({ model }) => `/models/${model}` },
  { name: 'model-versions', path: ({ model }) => `/models/${model}?tab=versions` },
  { name: 'model-drift', path: ({ model }) => `/models/${model}?tab=drift` },
  { name: 'model-lineage', path: ({ model }) => `/models/${model}?tab=lineage` },
  { name: 'distillable', path: () => '/distillable' },
  { name: 'review', path: () => '/review' },
  { name: 'labelling', path: ({ dataset }) => `/labelling?dataset=${dataset}&version=2&row=3` },
  { name: 'labelling-compared', path: ({ dataset }) => `/labelling?dataset=${dataset}&version=2&second=${dataset}/2` },
  { name: 'history', path: () => '/history?verdict=none' },
  { name: 'history-call', path: ({ inferenceId }) => `/history?call=${inferenceId}` },
  { name: 'history-charts', path: () => '/history?view=charts' },
  { name: 'call', path: ({ inferenceId }) => `/history/${inferenceId}` },
  { name: 'batches', path: () => '/batches' },
  { name: 'log', path: () => '/log' },
  { name: 'log-stream', path: ({ jobId }) => `/log?stream=job-${jobId}` },
  { name: 'contents', path: () => '/contents' },
  { name: 'erasure', path: () => '/contents?erase=call' },
  { name: 'reads', path: () => '/contents?tab=reads' },
  { name: 'reports', path: () => '/reports' },
  { name: 'reports-incidents', path: () => '/reports?tab=incidents' },
  { name: 'reports-verify', path: () => '/reports?tab=verify' },
  { name: 'operate', path: () => '/operate' },
  ...['read-models', 'work', 'bill', 'settings'].map((tab) => ({
    name: `operate-${tab}`,
    path: () => `/operate?tab=${tab}`,
  })),
  { name: 'settings', path: () => '/settings' },
  { name: 'webhooks', path: () => '/webhooks' },
  { name: 'webhook', path: ({ webhookId }) => `/webhooks/${webhookId}` },
  { name: 'playground', path: () => '/playground' },
  { name: 'keys', path: () => '/keys' },
  { name: 'people', path: () => '/people' },
  { name: 'design', path: () => '/design' },
];
