import type { ExportFormat } from '#domain/model-export/index.js';
import type { StoredFile, TrainingRequest } from '#domain/training-job/index.js';
import type { ExportWork } from '../../contract/work.js';
import type { ExportedModel } from '#gpu-runner/engines/decoder-engine.js';
import {
  code,
  datasetsTable,
  figuresTable,
  inline,
  learnedRows,
  settingsTable,
  slug,
  table,
  yaml,
} from '../card-parts.js';
import { FORMATS } from './formats.js';

/**
 * The README.md of an exported model, in the form of model hubs: a head in YAML, then the model's purpose, how to load
 * it, its origin, quality and training. Names datasets by their names, versions and hashes; holds no text of their
 * rows.
 */
export function exportCard(
  { job: { request, metrics }, format }: ExportWork,
  exported: ExportedModel,
  files: readonly StoredFile[],
): string {
  const { baseModel, engine, configuration } = request;
  const licence = exported.baseLicence;
  const { what, rows, intendedUse, use } = FORMATS[format];
  return `---
${yaml(headOf(request, format, exported))}---

# ${inline(request.modelName)}

${what}, fine-tuned by Anneal from ${code(baseModel.id)} ${configuration.trainingType === 'lora' ? 'by LoRA' : 'in full'} on ${learnedRows(request, metrics, rows)}.

## Intended use

${intendedUse}

## Licence

${
  licence === null
    ? `The licence of the base model ${code(baseModel.id)} is not recorded. It applies to these weights too: look it up before you pass them on.`
    : `The base model ${code(baseModel.id)} has the licence ${inline(licence)}, which applies to these weights too.`
}

## Use

${use(baseModel.id)}

## Figures

${figuresTable(FORMATS[format].figures(metrics), metrics.judgedRows)}

## Lineage

${table(
  ['', ''],
  [
    ['training job', code(request.jobId)],
    ...(request.startFrom === null
      ? []
      : [['started from', code(request.startFrom.checkpointId ?? request.startFrom.jobId)]]),
    ['base model', `${code(baseModel.id)}, sha256 ${code(baseModel.sha256)}`],
    ['engine', inline(`${engine.name} ${engine.version}`)],
    [
      'exported with',
      Object.entries(exported.versions)
        .map(([name, version]) => inline(`${name} ${version}`))
        .join(', '),
    ],
    ['format', `${format}, ${inline(exported.dtype)}, ${exported.parameters} parameters`],
  ],
)}

${datasetsTable(request)}

## Settings

${settingsTable(request)}

## Files

${table(
  ['file', 'bytes', 'sha256'],
  files.map(({ name, size, sha256 }) => [code(name), `${size}`, code(sha256)]),
)}
`;
}

function headOf(
  { baseModel, datasets, configuration }: TrainingRequest,
  format: ExportFormat,
  { baseLicence }: ExportedModel,
): Parameters<typeof yaml>[0] {
  const { library, relation, pipeline } = FORMATS[format];
  const licence = baseLicence?.toLowerCase() ?? null;
  return {
    library_name: library,
    pipeline_tag: pipeline,
    base_model: baseModel.id,
    base_model_relation: relation,
    ...(licence === null
      ? { license: 'unknown' }
      : HUB_LICENCES.has(licence)
        ? { license: licence }
        : { license: 'other', license_name: slug(licence) }),
    datasets: [...new Set(datasets.map(({ name }) => slug(name)))],
    tags: ['anneal', configuration.trainingType, ...(format === 'adapter' ? [] : [format])],
  };
}

/** Licences that model hubs know by these words (https://huggingface.co/docs/hub/repositories-licenses); any other is `other`. */
const HUB_LICENCES = new Set(
  (
    'apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0 bigcode-openrail-m afl-3.0 ' +
    'bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear cc cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 ' +
    'cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 ' +
    'cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-permissive-1.0 cdla-permissive-2.0 ecl-2.0 epl-1.0 epl-2.0 eupl-1.1 eupl-1.2 agpl-3.0 ' +
    'gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 isc gemma llama2 llama3 llama3.1 llama3.2 llama3.3 ms-pl mpl-2.0 odc-by odbl ' +
    'osl-3.0 postgresql ofl-1.1 ncsa unlicense zlib'
  ).split(' '),
);
