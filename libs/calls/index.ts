export { whole, type AnswerStream } from './answer-stream.js';
export {
  DEFAULT_MAX_TOKENS,
  HostedDecoders,
  type DecoderAnswer,
  type DecoderRequest,
} from './backends/hosted/decoders.js';
export { HostedEmbedders } from './backends/hosted/embedders.js';
export { Lifecycle } from './lifecycle.js';
export { catalogModel, type Model } from './models.js';
export { Collected, textOf, type Produced, type ProducedChoice, type ProducedPart } from './produced.js';
export type { CallRequest } from './request.js';
export { sizeOf } from './tokens.js';
