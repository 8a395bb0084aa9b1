export type { DecoderAnswer, DecoderCall, DecoderCalls, DecoderModel } from './decoder-calls.js';
