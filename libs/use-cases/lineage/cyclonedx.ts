import type { JsonObject } from '#domain/json.js';
import type { VersionLineage } from './origins.js';
import type { Training } from './training.js';

interface Model {
  /** The job that made it, then each that it started from. */
  readonly training: readonly Training[];
  readonly datasets: readonly VersionLineage[];
}

/** A bill of materials of a trained model: CycloneDX 1.6 as JSON, with its machine-learning parts. @see https://cyclonedx.org/docs/1.6/json/ */
export function modelBom({ training, datasets }: Model): JsonObject {
  const [job, ...before] = training as [Training, ...Training[]];
  const bases = [...new Map(training.map(({ base_model }) => [base_model.id, base_model])).values()];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${job.job_id}`,
    version: 1,
    metadata: {
      timestamp: (job.weights?.event ?? job.event).time,
      tools: { components: [{ type: 'application', name: 'anneal' }] },
      component: trainedModel(job),
    },
    components: [
      ...before.map(trainedModel),
      ...bases.map(({ id, sha256 }) => ({
        ...{ type: 'machine-learning-model', 'bom-ref': baseRef(id), name: id },
        properties: [property('configuration-sha256', sha256)],
      })),
      ...datasets.map(datasetComponent),
    ],
    dependencies: [
      ...training.map((each) => ({
        ref: jobRef(each.job_id),
        dependsOn: [
          each.started_from ? jobRef(each.started_from.job_id) : baseRef(each.base_model.id),
          ...known(datasets, each.datasets),
        ],
      })),
      ...datasets
        .filter(({ origin }) => origin.merged_from.length > 0)
        .map(({ version_id, origin }) => ({
          ref: datasetRef(version_id),
          dependsOn: known(datasets, origin.merged_from),
        })),
    ],
  };
}

function trainedModel({ job_id, model_name, weights, engine, datasets, started_by, event }: Training): JsonObject {
  return {
    type: 'machine-learning-model',
    'bom-ref': jobRef(job_id),
    name: model_name,
    version: job_id,
    modelCard: {
      modelParameters: {
        approach: { type: 'supervised' },
        datasets: datasets.map(({ version_id }) => ({ ref: datasetRef(version_id) })),
      },
    },
    components: (weights?.files ?? []).map(({ name, sha256, size }) => ({
      ...{ type: 'file', 'bom-ref': `${jobRef(job_id)}/${name}`, name },
      hashes: [{ alg: 'SHA-256', content: sha256 }],
      properties: [property('size', String(size))],
    })),
    properties: [
      property('engine', `${engine.name} ${engine.version}`),
      property('started-by', started_by.actor),
      property('event', event.position),
    ],
  };
}

const datasetComponent = (version: Model['datasets'][number]): JsonObject => ({
  type: 'data',
  'bom-ref': datasetRef(version.version_id),
  name: version.name,
  version: String(version.version),
  ...(version.sha256 !== null && { hashes: [{ alg: 'SHA-256', content: version.sha256 }] }),
  ...(version.described?.purpose && { description: version.described.purpose }),
  ...(version.described?.license && { licenses: [{ license: { name: version.described.license } }] }),
  data: [{ type: 'dataset', name: version.file_name ?? version.name }],
  properties: [
    property('origin', version.origin.kind),
    property('made-by', version.made_by.actor),
    property('event', version.origin.event.position),
    ...(version.described?.source ? [property('source', version.described.source)] : []),
    ...(version.described?.consent ? [property('consent', version.described.consent)] : []),
    ...(version.rows === null ? [] : [property('rows', String(version.rows))]),
  ],
});

const property = (name: string, value: string) => ({ name: `anneal:${name}`, value });

/** References to listed versions only: others would not resolve. */
const known = (datasets: Model['datasets'], versions: readonly { readonly version_id: string }[]): string[] =>
  versions.flatMap(({ version_id }) =>
    datasets.some((listed) => listed.version_id === version_id) ? [datasetRef(version_id)] : [],
  );

const jobRef = (jobId: string): string => `job:${jobId}`;
const datasetRef = (versionId: string): string => `dataset:${versionId}`;
const baseRef = (id: string): string => `base-model:${id}`;
