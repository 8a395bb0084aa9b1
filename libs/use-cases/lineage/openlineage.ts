import type { JsonObject } from '#domain/json.js';
import type { VersionLineage } from './origins.js';
import type { Training } from './training.js';

interface Model {
  /** The job that made it, then each that it started from. */
  readonly training: readonly Training[];
  readonly datasets: readonly VersionLineage[];
  /** Namespace of jobs, datasets and models alike: they are of one workspace of one log. */
  readonly namespace: string;
}

const PRODUCER = 'urn:anneal:lineage';
const SPEC = 'https://openlineage.io/spec';
const RUN_EVENT = `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`;

/**
 * The runs that made a model, the oldest first: of merges of datasets and of training jobs, each with its start and, once it is over,
 * its end. @see https://openlineage.io/docs/spec/object-model
 */
export function runEvents({ training, datasets, namespace }: Model): readonly JsonObject[] {
  const merges = datasets
    .filter(({ origin, event }) => origin.merged_from.length > 0 && event !== null)
    .map((version) => {
      const inputs = version.origin.merged_from.map((source) => datasetOf(namespace, source));
      const run = { runId: version.version_id };
      const job = { namespace, name: `merge/${version.name}`, facets: jobType('MERGE') };
      return ended({ run, job, inputs, outputs: [datasetOf(namespace, version)] }, version.origin.event, version.event);
    });
  const trained = training.map((each) => {
    const { name, version } = each.engine;
    const engine = { ...facet('1-1-1', 'ProcessingEngineRunFacet'), name, version };
    const job = { namespace, name: `train/${each.model_name}`, facets: jobType('TRAINING') };
    const from = each.started_from ? [modelOf(namespace, each.started_from.job_id)] : [baseOf(namespace, each)];
    const inputs = [...from, ...each.datasets.map((pinned) => datasetOf(namespace, pinned))];
    const outputs = [modelOf(namespace, each.job_id)];
    const run = { runId: each.job_id, facets: { processing_engine: engine } };
    return ended({ run, job, inputs, outputs }, each.event, each.weights?.event ?? null);
  });
  return [...merges, ...trained].flat().sort((one, other) => (one['eventTime']! < other['eventTime']! ? -1 : 1));
}

function ended(
  facts: JsonObject,
  begun: { readonly time: string },
  over: { readonly time: string } | null,
): readonly JsonObject[] {
  const event = (eventType: string, eventTime: string): JsonObject => ({
    ...{ eventType, eventTime, producer: PRODUCER, schemaURL: RUN_EVENT },
    ...facts,
  });
  return [event('START', begun.time), ...(over ? [event('COMPLETE', over.time)] : [])];
}

const facet = (version: string, name: string) => ({
  _producer: PRODUCER,
  _schemaURL: `${SPEC}/facets/${version}/${name}.json#/$defs/${name}`,
});

const jobType = (type: string): JsonObject => ({
  jobType: { ...facet('2-0-4', 'JobTypeJobFacet'), processingType: 'BATCH', integration: 'ANNEAL', jobType: type },
});

const versioned = (datasetVersion: string): JsonObject => ({
  version: { ...facet('1-0-1', 'DatasetVersionDatasetFacet'), datasetVersion },
});

const datasetOf = (namespace: string, { name, version }: { readonly name: string; readonly version: number }) => ({
  ...{ namespace, name: `datasets/${name}` },
  facets: versioned(String(version)),
});

const modelOf = (namespace: string, jobId: string) => ({ namespace, name: `models/${jobId}` });

const baseOf = (namespace: string, { base_model }: Training) => ({
  ...{ namespace, name: `base-models/${base_model.id}` },
  facets: versioned(base_model.sha256),
});
