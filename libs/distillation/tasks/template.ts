import { createHash } from 'node:crypto';
import type { CanonicalTool, Part } from '../calls/canonical.js';
import type { Json } from '#domain/json.js';

/** A stretch of a part between two constant chunks. */
export type Hole =
  /** The text that the answer is about. `json`: it stands within a string of JSON, and is read without its escapes. */
  | { readonly kind: 'text'; readonly json: boolean }
  /** One of a few values, each of which the calls had. */
  | { readonly kind: 'parameter'; readonly values: readonly string[] }
  /** A date, number, id or name, on which the answer does not depend. */
  | { readonly kind: 'left-out'; readonly maxLength: number };

/** The constant chunks of a part and the holes between them: one more chunk than holes, the first and last may be empty. */
export interface TemplatePart {
  readonly role: Part['role'];
  readonly chunks: readonly string[];
  readonly holes: readonly Hole[];
}

/** The constant part of a prompt. Exactly one hole is the text. */
export interface Template {
  readonly parts: readonly TemplatePart[];
  readonly tools: readonly CanonicalTool[];
  /** As `CanonicalRequest.format`. */
  readonly format: Json;
}

/** Sixteen hexadecimal digits of the SHA-256 of a template's constant part: the same prompt has the same id, whatever its calls. */
export function templateId({ parts, tools, format }: Template): string {
  const constant = [parts.map(({ role, chunks }) => [role, ...chunks]), tools, format];
  return createHash('sha256').update(JSON.stringify(constant)).digest('hex').slice(0, 16);
}

/** Constant characters of a template, without tools and schema. */
export const constantLength = ({ parts }: Pick<Template, 'parts'>): number =>
  parts.reduce((sum, { chunks }) => sum + chunks.reduce((length, chunk) => length + chunk.length, 0), 0);
