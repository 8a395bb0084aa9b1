export { whole, type AnswerStream } from './answer-stream.js';
export { HostedDecoders } from './backends/hosted/decoders.js';
export { HostedEmbedders } from './backends/hosted/embedders.js';
export {
  Decoders,
  DEFAULT_MAX_TOKENS,
  type DecoderAnswer,
  type DecoderRequest,
  type DecoderSource,
} from './decoders.js';
export { Lifecycle } from './lifecycle.js';
export { isPassing, repeated, type Pause } from './repeated.js';
export { catalogModel, type Model } from './models.js';
export { Collected, textOf, type Produced, type ProducedChoice, type ProducedPart } from './produced.js';
export type { CallRequest } from './request.js';
export { sizeOf } from './tokens.js';
