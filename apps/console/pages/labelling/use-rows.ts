import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body, fetchAnswer, refusal } from '../../api/client.js';
import { bytes } from '../../components/values.js';
import type { Row } from './row.js';

/** Rows are held in the browser while they are labelled. */
const MOST_BYTES = 50_000_000;

/** All rows of a version. @throws Error for one that is too large for the browser */
export async function allRows(name: string, version: string, signal?: AbortSignal): Promise<readonly Row[]> {
  const { size } = await body(
    api.GET('/felix/datasets/{name}/{version}', { params: { path: { name, version } }, ...(signal && { signal }) }),
  );
  if (size > MOST_BYTES)
    throw new Error(`${name}, version ${version} has ${bytes(size)}; up to ${bytes(MOST_BYTES)} can be read here`);
  const answer = await fetchAnswer(`/felix/datasets/${encodeURIComponent(name)}/${version}/download?format=jsonl`, {
    ...(signal && { signal }),
  });
  if (!answer.ok) throw await refusal(answer);
  const lines = (await answer.text()).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as Row);
}

/** All rows of a version, which never change. */
export const useRows = (name: string, version: string): UseQueryResult<readonly Row[]> =>
  useQuery(rowsQuery(name, version));

export const rowsQuery = (name: string, version: string) =>
  queryOptions({
    queryKey: ['datasets', name, version, 'all-rows'],
    queryFn: ({ signal }) => allRows(name, version, signal),
    enabled: name !== '' && version !== '',
    staleTime: Infinity,
  });
