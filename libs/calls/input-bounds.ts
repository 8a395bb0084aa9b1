import type { JsonBounds } from '#primitives/text/json-shape.js';

/** Texts, messages, images and documents for models. */
export const MODEL_INPUT: JsonBounds = { bytes: 16 * 1024 * 1024, values: 25_000 };
/** Bodies with token ids: OpenAI accepts 300,000 in one request. */
export const TOKEN_INPUT: JsonBounds = { ...MODEL_INPUT, numbersPerValue: 16 };
