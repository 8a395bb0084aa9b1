import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import type { Layout } from './layout.js';
import { ai4privacy } from './data-sets/ai4privacy.js';
import { argilla } from './labelling/argilla.js';
import { brat } from './labelling/brat.js';
import { classColumnsLayout } from './data-sets/class-columns.js';
import { classLevels } from './data-sets/class-levels.js';
import { dataturks } from './labelling/dataturks.js';
import { doccano } from './labelling/doccano.js';
import { doccanoJoined } from './labelling/doccano-joined.js';
import { fastText } from './libraries/fasttext.js';
import { gliner } from './libraries/gliner.js';
import { gliner2 } from './libraries/gliner2.js';
import { groundTruth } from './labelling/ground-truth.js';
import { hfPipeline } from './libraries/hf-pipeline.js';
import { inference } from './anneal/inference.js';
import { intentExamples } from './chatbots/intent-examples.js';
import { langfuseDataset } from './evaluation-sets/langfuse-dataset.js';
import { mlflow } from './evaluation-sets/mlflow.js';
import { openAiEvals } from './evaluation-sets/openai-evals.js';
import { promptfoo } from './evaluation-sets/promptfoo.js';
import { labelStudio } from './labelling/label-studio.js';
import { labelStudioMin } from './labelling/label-studio-min.js';
import { prodigy } from './labelling/prodigy.js';
import { spacyParagraphs } from './libraries/spacy-paragraphs.js';
import { spacy } from './libraries/spacy.js';
import { spans } from './data-sets/spans.js';
import { textAndClass } from './data-sets/text-and-class.js';
import { tokens } from './data-sets/tokens.js';
import { azureUtterances, rasa } from './chatbots/utterances.js';
import { vertexAi } from './labelling/vertex-ai.js';

/** Layouts of sets of cases, which are datasets of labels or of chats. */
const CASES: readonly Layout[] = [openAiEvals, promptfoo, langfuseDataset, mlflow, argilla];

/** Layouts, the most telling first: of two that fit as many rows the first is taken. */
export const LAYOUTS: readonly Layout[] = [
  labelStudio,
  labelStudioMin,
  ...CASES,
  prodigy,
  doccano,
  doccanoJoined,
  gliner2,
  gliner,
  ai4privacy,
  brat,
  fastText,
  vertexAi,
  groundTruth,
  azureUtterances,
  rasa,
  intentExamples,
  dataturks,
  spacy,
  spacyParagraphs,
  tokens,
  hfPipeline,
  inference,
  classColumnsLayout,
  classLevels,
  textAndClass,
  spans,
];

/** The `format` of rows as Anneal itself writes them. */
export const OWN_ROWS = 'rows';

/** Values of `format` that name a layout of rows. */
export const LAYOUT_NAMES: readonly string[] = [
  OWN_ROWS,
  // The others are formats of files.
  ...LAYOUTS.map(({ name }) => name).filter((name) => name !== 'brat' && name !== 'fasttext'),
];

export const layoutNamed = (name: string): Layout | null => LAYOUTS.find((layout) => layout.name === name) ?? null;

/** Rows that are inspected to detect the layout. */
export const MAX_SAMPLED_ROWS = 200;

/** The layout that fits most of the first rows; null: they are Anneal's own. */
export function detectLayout(rows: readonly JsonObject[], datasetType: DatasetType): Layout | null {
  let best: { readonly layout: Layout | null; readonly rows: number } = { layout: null, rows: 0 };
  for (const layout of isDetected(datasetType) ? LAYOUTS : datasetType === 'decoder' ? CASES : []) {
    const fitting = rows.filter((row) => layout.needs.every((need) => need.holds(row))).length;
    if (fitting > best.rows && layout.holdsIn?.(rows) !== false) best = { layout, rows: fitting };
  }
  return best.layout;
}

/**
 * Whether rows of this type are converted to the native form from any layout. Free rows stay unchanged, and so do chats that are of no
 * evaluation set, unless a layout is demanded.
 */
export const isDetected = (datasetType: DatasetType): boolean =>
  datasetType === 'ner' || datasetType === 'classification';
