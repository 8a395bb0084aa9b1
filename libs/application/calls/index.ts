export type { DecoderAnswer, DecoderCall, DecoderCalls, DecoderModel } from './decoder-calls.js';
export { DEFAULT_MAX_TOKENS, HostedDecoderCalls, type DecoderCallsParts } from './hosted-decoder-calls.js';
