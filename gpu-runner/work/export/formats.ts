import type { ExportFormat } from '#domain/model-export/index.js';
import type { FinishedJob } from '#domain/training-job/index.js';

type Metrics = FinishedJob['metrics'];

/** Texts of an export's card that depend on its format. */
interface CardFacts {
  readonly what: string;
  /** The kind of the rows. */
  readonly rows: string;
  readonly intendedUse: string;
  /** Its name on model hubs. */
  readonly library: string;
  readonly pipeline: string;
  readonly relation: string;
  /** How it is loaded: Markdown. */
  readonly use: (baseId: string) => string;
  readonly figures: (metrics: Metrics) => readonly (readonly [string, number | null])[];
}

const DECODER = {
  rows: 'rows of chats',
  intendedUse: `It answers messages as the chats that it was trained on do. It was not tried on other tasks: measure it on your own rows first. It keeps
the limits and biases of its base model, and may repeat what its rows say.`,
  pipeline: 'text-generation',
  figures: ({ bestValidationLoss, finalTrainingLoss }: Metrics) =>
    [
      ['validation loss, in nats a token', bestValidationLoss],
      ['perplexity', bestValidationLoss === null ? null : Math.exp(bestValidationLoss)],
      ['training loss of the last epoch', finalTrainingLoss],
    ] as const,
} as const;

const GGUF = (what: string): CardFacts => ({
  ...DECODER,
  what: `A language model with a LoRA adapter merged into its weights, as one GGUF file ${what}`,
  library: 'gguf',
  relation: 'quantized',
  use: () => block('sh', 'llama-server -m *.gguf    # of llama.cpp'),
});

const block = (language: string, lines: string): string => `\`\`\`${language}\n${lines}\n\`\`\``;

/** Facts for a program that does not take \`run.py\`. */
const GRAPHS = `\`run.py\` is the reference for programs in other languages. Offsets are code points. A text is cut at \`max_tokens\` of \`model.json\`.

| graph | input | shape | meaning |
| --- | --- | --- | --- |
| \`model.onnx\` | \`input_ids\` | int64 [texts, tokens] | tokens of \`tokenizer.json\`, padded on the right with \`pad_token\` |
| | \`attention_mask\` | int64 [texts, tokens] | 1 for a token, 0 for padding |
| | \`first_tokens\` | int64 [texts, words] | index of the first token of each word; 0 for padding |
| \`relations.onnx\` | \`word_vectors\` | float32 [words, width] | those of one text, without padding |
| | \`heads\`, \`tails\` | int64 [pairs, 2] | first and last word of the ends of each pair |

| graph | output | shape | meaning |
| --- | --- | --- | --- |
| \`model.onnx\` | \`tag_scores\` | float32 [texts, words, tags, 3] | of each of \`tags\`: scores of the states outside, begin and inside. \`transitions\` [tags, from, to] has those between words |
| | \`class_scores\` | float32 [texts, classes] | the softmax is the probability of each of \`classes\`; with \`multi_label\`, the sigmoid |
| | \`word_vectors\` | float32 [texts, words, width] | input of \`relations.onnx\` |
| \`relations.onnx\` | \`relation_scores\` | float32 [pairs, relations] | the sigmoid is the probability of each of \`relations\` |

An output is there if the model learned what it is for, and \`relations.onnx\` if it learned relations.`;

export const FORMATS: Readonly<Record<ExportFormat, CardFacts>> = {
  adapter: {
    ...DECODER,
    what: 'A LoRA adapter',
    library: 'peft',
    relation: 'adapter',
    use: (baseId) =>
      block(
        'python',
        `from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

base = ${JSON.stringify(baseId)}  # or the folder that it is in
tokenizer = AutoTokenizer.from_pretrained(base)
model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), ".")`,
      ),
  },
  merged: {
    ...DECODER,
    what: 'A language model with a LoRA adapter merged into its weights',
    library: 'transformers',
    relation: 'finetune',
    use: () =>
      block(
        'python',
        `from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(".")
model = AutoModelForCausalLM.from_pretrained(".")`,
      ),
  },
  gguf: GGUF('in float16'),
  'gguf-q8_0': GGUF('in 8 bits'),
  onnx: {
    what: 'A text encoder with heads, as ONNX graphs',
    rows: 'labelled rows',
    intendedUse: `It finds in a text what the rows that it was trained on label: \`model.json\` has the labels. It was not tried on other texts: measure it on
your own rows first. It keeps the limits and biases of its base model.`,
    library: 'onnx',
    pipeline: 'token-classification',
    relation: 'finetune',
    figures: ({ f1, precision, recall, bestValidationLoss }) => [
      ['F1', f1],
      ['precision', precision],
      ['recall', recall],
      ['validation loss, in nats a row', bestValidationLoss],
    ],
    use: () => `${block(
      'sh',
      `pip install onnxruntime tokenizers numpy
python run.py "A text." "Another one."    # a line of JSON for each`,
    )}

In a program of your own, from this folder:

${block(
  'python',
  `from run import Encoder

encoder = Encoder(".")
print(encoder(["A text.", "Another one."], threshold=0.5))`,
)}

${GRAPHS}`,
  },
};
