import type { CatalogFileEntry } from '../catalog/entry.js';
import { bytesOf, type ImportedModel, type ModelManifest } from './folders.js';

/** The catalog's entry of an imported model, unless the catalog file has its own. Calls of it are free. */
export function catalogEntryOf({ manifest }: ImportedModel, isTrainable: boolean): CatalogFileEntry {
  const { id, architecture, contextTokens } = manifest;
  return {
    id,
    label: id.slice(id.indexOf('/') + 1),
    family: architecture,
    context_window: contextTokens,
    input_price_per_million: 0,
    output_price_per_million: 0,
    supports_on_demand_inference: true,
    ...(manifest.kind === 'anneal-decoder'
      ? decoderFields(manifest, isTrainable)
      : encoderFields(manifest, isTrainable)),
  };
}

type KindFields = Pick<
  CatalogFileEntry,
  'description' | 'task_type' | 'instruct' | 'supports_inference' | 'supports_training'
>;

function decoderFields(manifest: Extract<ModelManifest, { kind: 'anneal-decoder' }>, isTrainable: boolean): KindFields {
  const { hasChatTemplate } = manifest;
  const by = isTrainable ? 'trained by LoRA and served here' : 'served by the llama engine';
  const answers = hasChatTemplate ? 'It takes messages.' : 'It continues texts and takes no messages.';
  return {
    description: `Imported decoder (${traitsOf(manifest)}), ${by}. ${answers}`,
    task_type: 'decoder',
    instruct: hasChatTemplate,
    supports_inference: true,
    supports_training: isTrainable,
  };
}

/** GLiNER and GLiNER2 answer any schema; others have no heads before they are trained, and so answer nothing. */
function encoderFields(manifest: Extract<ModelManifest, { kind: 'anneal-encoder' }>, isTrainable: boolean): KindFields {
  const { contextTokens, format, isGliner2 = false } = manifest;
  const isGliner = format === 'onnx';
  const isServedOnly = isGliner || (isGliner2 && !isTrainable);
  const by = isServedOnly
    ? 'served by onnxruntime and not trained'
    : 'trained by LoRA or in full and served by the torch engine';
  const does = isGliner
    ? `It finds entities of any labels. Reads ${contextTokens} tokens of a text and the labels at a time.`
    : isGliner2
      ? `It finds entities, classes, structures and relations of any schema${isServedOnly ? '' : ', also without training'}. Reads ${contextTokens} tokens ` +
        `of a text and the schema together.`
      : `It learns entities, classes, structures and relations, and answers only once trained. Reads ${contextTokens} tokens of a text.`;
  return {
    description: `Imported encoder (${traitsOf(manifest)}), ${by}. ${does}`,
    task_type: 'encoder',
    supports_inference: isGliner || isGliner2,
    supports_training: !isServedOnly,
  };
}

const traitsOf = (manifest: ModelManifest): string =>
  [
    manifest.architecture,
    manifest.format,
    `${(bytesOf(manifest) / 1e6).toFixed(0)} MB`,
    ...(manifest.licence === null ? [] : [`licence ${manifest.licence}`]),
  ].join(', ');
