import type { ChatExample, DecoderTrainRequest, DecoderTrainResult, PreferenceExample } from '../decoder-engine.js';
import { openAiChat } from './chat-shape.js';
import type { StartEngine } from './process.js';
import { train, type TrainingReport } from './train.js';
import { trainMessage } from './train-message.js';

/** Trains an adapter of a language model. @throws as `DecoderEngine.train` */
export async function trainDecoder(
  start: StartEngine,
  { kind, train: rows, validation, ...request }: DecoderTrainRequest,
  report: TrainingReport,
  signal: AbortSignal,
): Promise<DecoderTrainResult> {
  const files = { train: shaped(rows), validation: shaped(validation) };
  const message = await trainMessage(kind === 'preferences' ? kind : 'decoder', request, files);
  const { predictions: _, ...result } = await train(start, message, report, signal);
  return result;
}

function* shaped(rows: readonly (ChatExample | PreferenceExample)[]): Iterable<object> {
  for (const row of rows)
    if ('messages' in row) yield openAiChat(row);
    else {
      const { prompt, tools, ...answers } = row;
      const { messages, ...given } = openAiChat({ messages: prompt, ...(tools && { tools }) });
      yield { prompt: messages, ...given, ...answers };
    }
}
