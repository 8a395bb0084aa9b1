import { createHash } from 'node:crypto';
import type { Application } from '#application/application.js';
import { systemContext } from '#application/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider, type DatasetCommand } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';

/** Rows of a dataset version that is ready, put into the log and the object store without going through an upload. */
export async function addReadyDataset(
  { execute, ports }: Pick<Application, 'ports'> & { execute: Application['execute'] },
  workspaceId: string,
  name: string,
  rows: readonly JsonObject[],
): Promise<void> {
  const id = datasetStreamId(workspaceId, name);
  const run = (command: DatasetCommand) =>
    execute(datasetDecider, id, command, systemContext('test', workspaceId), ['datasets', 'dataset-versions']);
  const { state } = await run({
    type: 'initialize-version',
    workspaceId,
    name,
    datasetType: 'ner',
    format: null,
    fileName: null,
    columnMapping: {},
    projectId: null,
  });
  const { versionId } = state.versions.at(-1)!;
  const content = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const object = {
    key: `datasets/${workspaceId}/${versionId}.jsonl`,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
  await ports.objectStore.put(object.key, content);
  const version = { workspaceId, versionId };
  const entityLabels = labelsOf(
    rows.flatMap(({ entities }) => entities as [string, string][]),
    1,
  );
  const classLabels = [
    ...new Set(rows.flatMap(({ label }) => (label === undefined ? [] : [String(label)]))),
  ].toSorted();
  const contents = {
    rows: rows.length,
    heads: [
      ...(rows.some((row) => row['entities']) ? ['entities'] : []),
      ...(classLabels.length > 0 ? ['classification'] : []),
    ],
    labels: [...entityLabels, ...classLabels].toSorted(),
    entityLabels,
    classLabels,
    multiLabel: false,
    format: 'jsonl',
  } as never;
  await run({ type: 'seal-version', ...version, source: object });
  await run({ type: 'start-conversion', ...version, attempt: 1, worker: 'test' });
  await run({ type: 'start-validation', ...version, attempt: 1 });
  await run({ type: 'complete-version', ...version, attempt: 1, contents, object });
}

const labelsOf = (entities: readonly (readonly string[] | undefined)[], at: number): string[] =>
  [...new Set(entities.flatMap((entity) => (entity?.[at] === undefined ? [] : [entity[at]])))].toSorted();
