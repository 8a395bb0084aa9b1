import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body, type Schema } from '../../api/client.js';
import { uploadDataset } from '../../api/upload.js';
import { fromOutput, schemeIn } from '../../components/editor/output.js';
import { isRecord } from '../../components/json.js';
import { whenReady } from '../datasets/settled.js';
import { allRows } from '../labelling/use-rows.js';
import { CLASS, textOfRow, toRow, type Row } from '../labelling/row.js';

/** Texts of a test set; each version is asked about all of them. */
export const MAX_TESTS = 20;
/** The newest versions that are compared. */
export const MAX_VERSIONS = 4;

const SUFFIX = '-smoke';

/** The dataset that holds the smoke tests of a name: its versions say what was tested when, and are erased like any other. */
export const smokeDataset = (model: string): string => `${model}${SUFFIX}`;

/** Whether a dataset holds smoke tests. */
export const isSmoke = (dataset: string): boolean => dataset.endsWith(SUFFIX);

const keyOf = (model: string) => ['datasets', smokeDataset(model), 'smoke'];

interface Tests {
  /** Of the dataset; null: there are none yet. */
  readonly version: string | null;
  readonly rows: readonly Row[];
}

/** The smoke tests of a name. */
export const useTests = (model: string): UseQueryResult<Tests> =>
  useQuery({ queryKey: keyOf(model), queryFn: () => findTests(model) });

async function findTests(model: string): Promise<Tests> {
  const name = smokeDataset(model);
  const { datasets } = await body(api.GET('/felix/datasets', { params: { query: { limit: 1000 } } }));
  const version = datasets.find((each) => each.name === name)?.version_number ?? null;
  if (version === null) return { version, rows: [] };
  return { version, rows: await allRows(name, version) };
}

/**
 * Keeps a text with its right answer as one more test, in place of that of the same text.
 * @throws Error in words for people
 */
export async function addTest(model: string, text: string, output: unknown): Promise<void> {
  const { rows } = await findTests(model);
  const others = rows.filter((row) => textOfRow(row) !== text);
  if (others.length >= MAX_TESTS) throw new Error(`${model} has ${MAX_TESTS} smoke tests, the most there can be.`);
  await saveTests(model, [...others, rowOf(text, output)]);
}

/** Makes these rows the tests of a name from now on. */
export async function saveTests(model: string, rows: readonly Row[]): Promise<void> {
  const name = smokeDataset(model);
  const content = rows.map((row) => JSON.stringify(row)).join('\n');
  await whenReady(name, await uploadDataset(name, 'smoke.jsonl', content));
}

/** A text with an answer as its labels. The one class of a text is its `label`. */
export function rowOf(text: string, output: unknown): Row {
  const scheme = schemeIn(output);
  const annotation = fromOutput(text, output, scheme);
  const [only, ...more] = scheme.tasks;
  if (only?.name !== 'classification' || more.length > 0) return toRow({ text }, annotation, scheme);
  const classes = { [CLASS]: annotation.classes[only.name] ?? [] };
  return toRow({ text }, { ...annotation, classes }, { ...scheme, tasks: [{ ...only, name: CLASS }] });
}

export interface Result {
  readonly version: number;
  /** Answers by text; null until its evaluation is complete. */
  readonly answers: ReadonlyMap<
    string,
    { readonly output: unknown; readonly expected: unknown; readonly isRight: boolean }
  > | null;
  readonly problem: string | null;
}

/** How the newest versions answered these tests, the oldest first; versions that were not asked are left out. */
export const useResults = (model: Schema['NamedModelRecord'], { version }: Tests): UseQueryResult<readonly Result[]> =>
  useQuery({
    queryKey: ['evaluations', 'smoke', model.name, version, model.updated_at],
    queryFn: async () => {
      const { evaluations } = await body(
        api.GET('/felix/evaluations', { params: { query: { dataset_name: smokeDataset(model.name) } } }),
      );
      const results = newest(model).map(async (each): Promise<Result[]> => {
        const found = evaluations.find((one) => one.model_id === each.model_id && one.version_number === version);
        if (!found) return [];
        const answers = found.status === 'complete' ? await answersOf(found.id) : null;
        return [{ version: each.version, answers, problem: found.error_message }];
      });
      return (await Promise.all(results)).flat();
    },
    enabled: version !== null,
    refetchInterval: ({ state }) =>
      state.data?.some(({ answers, problem }) => answers === null && problem === null) ? 1_000 : false,
  });

const newest = ({ versions = [] }: Schema['NamedModelRecord']) =>
  versions.toSorted((a, b) => a.version - b.version).slice(-MAX_VERSIONS);

async function answersOf(id: string): Promise<NonNullable<Result['answers']>> {
  const { predictions = [] } = await body(
    api.GET('/felix/evaluations/{id}', { params: { path: { id }, query: { limit: MAX_TESTS } } }),
  );
  return new Map(
    predictions.map(({ text, expected, predicted, correct }) => [
      text,
      { output: predicted, expected, isRight: correct },
    ]),
  );
}

/** Asks the newest versions that were not asked yet. */
export async function runTests(model: Schema['NamedModelRecord'], done: readonly Result[]): Promise<void> {
  const missing = newest(model).filter(({ version }) => !done.some((each) => each.version === version));
  for (const { model_id: base_model } of missing)
    await body(api.POST('/felix/evaluations', { body: { base_model, dataset_name: smokeDataset(model.name) } }));
}

/** An answer without its confidences, in one order: what two versions can be compared by. */
export function said(output: unknown): string {
  const plain = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(plain)
      : isRecord(value)
        ? Object.fromEntries(
            Object.entries(value)
              .filter(([name]) => name !== 'confidence')
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, each]) => [name, plain(each)]),
          )
        : value;
  return JSON.stringify(plain(output));
}
