import type { RowsRequest } from './events.js';

/** The request without what people wrote in it. Labels and fields stay, as those of a dataset version do. */
export const withoutTexts = (rows: RowsRequest): RowsRequest => ({ ...rows, ...NO_TEXTS });

const NO_TEXTS = { domainDescription: null, prompt: null, instruction: null, classifiedExamples: [] } as const;

/** Whether people wrote something in the request. */
export const hasTexts = (rows: RowsRequest): boolean =>
  (Object.keys(NO_TEXTS) as (keyof typeof NO_TEXTS)[]).some((field) => (rows[field]?.length ?? 0) > 0);

/** Where a job's rows are stored. */
export const rowsKey = (workspaceId: string, jobId: string, attempt: number): string =>
  `generation/${workspaceId}/${jobId}/rows-${attempt}.jsonl`;

/** The job of which an object has the rows; null for others. */
export const jobOfRows = (key: string): string | null =>
  /^generation\/[^/]+\/([^/]+)\/rows-\d+\.jsonl$/.exec(key)?.[1] ?? null;
