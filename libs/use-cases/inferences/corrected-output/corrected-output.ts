import type { Json } from '#domain/json.js';
import { Reader } from '#primitives/reader.js';
import { askedOf, type CallInHistory } from './asked.js';
import { EncoderCheck } from './encoder-check.js';
import { checkGenerated } from './generated.js';
import { NewLabels } from './new-labels.js';

/**
 * Checks that a corrected output could have been the call's answer: its heads, labels and shapes are the requested
 * ones, and its spans occur in the text. A missing head is not corrected; a missing label has no entities.
 * @param field of the body in which it came
 * @param newLabels names that it may contain although the call did not request them; `any` for all names
 * @returns the names in it that the call did not request
 * @throws InvalidError naming the mismatch, or an unlisted new label
 */
export function checkCorrectedOutput(
  corrected: Json,
  call: CallInHistory,
  field: string,
  newLabels: readonly string[] | 'any' = [],
): readonly string[] {
  const reader = new Reader();
  const added = new NewLabels(newLabels);
  if (call.task === 'generate') checkGenerated(reader, corrected, call.output, [field]);
  else if (call.task === 'embed') reader.refuse([field], 'must be left out: vectors are not corrected', 'not_allowed');
  else new EncoderCheck(reader, askedOf(call), added).check(corrected, [field]);
  added.refuseUnused(reader, field);
  reader.done();
  return added.found;
}
