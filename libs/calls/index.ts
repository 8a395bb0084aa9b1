export type { DecoderAnswer, DecoderCall, DecoderCalls, DecoderModel } from './decoder-calls.js';
export { whole, type GenerationRun } from './generation-run.js';
export { Collected, textOf, type Produced, type ProducedChoice, type ProducedPart } from './produced.js';
export { DEFAULT_MAX_TOKENS, HostedDecoderCalls, type DecoderCallsParts } from './backends/hosted/decoders.js';
export { HostedEmbeddingCalls, type EmbeddingCall, type EmbeddingsOutcome } from './backends/hosted/embedders.js';
export { sizeOf } from './tokens.js';
